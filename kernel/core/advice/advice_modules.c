// SPDX-License-Identifier: MIT
#include "advice/advice_modules.h"

static bool is_counted(const struct module *m)
{
    return !m->slot || (m->slot->is_ordinary && !m->slot->is_soldered);
}

static void take_speed(const struct module *m, struct advice_facts *f)
{
    if (module_is_above_jedec(m)) {
        f->fast_mt_s = m->configured_mt_s;
        f->jedec_mt_s = m->jedec_mt_s;
    } else if (module_runs_by_profile(m) && !f->fast_mt_s) {
        f->fast_mt_s = m->configured_mt_s;
    }
}

void advice_take_modules(const struct modules *modules, char place[SMBIOS_NAME_SIZE],
                         struct advice_facts *f)
{
    f->n_modules = (unsigned)modules->n_others;
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        f->has_soldered |= m->slot && m->slot->is_soldered;
        if (!is_counted(m))
            continue;
        f->n_modules++;
        f->only = (struct advice_module){ module_place(m, place), m->maker, m->part, m->serial };
        take_speed(m, f);
    }
}

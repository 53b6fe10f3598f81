// SPDX-License-Identifier: MIT
#include "diagnosis/from_smbios.h"

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"

static bool is_wanted(const struct smbios_slot *s, bool only_modules)
{
    return s->is_ordinary && !s->is_soldered && (s->is_populated || !only_modules);
}

static unsigned count(const struct smbios_memory *memory, bool only_modules)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < memory->n_slot; i++)
        n += is_wanted(&memory->slot[i], only_modules);
    return n;
}

/* There are too many slots: empty ones are left out. */
static bool lists_modules_only(const struct smbios_memory *memory)
{
    return count(memory, false) > DIAGNOSIS_SLOTS_MAX;
}

static bool is_unique(const struct smbios_memory *memory, const char *locator)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < memory->n_slot; i++)
        n += strcmp(memory->slot[i].locator, locator) == 0;
    return n < 2;
}

static void take(const struct smbios_memory *memory, const struct smbios_slot *from,
                 struct diagnosis_slot *to)
{
    *to = (struct diagnosis_slot){ .is_present = from->is_populated,
                                   .size_bytes = from->size_bytes,
                                   .configured_mt_s = from->configured_mt_s };
    if (from->bank[0] && !is_unique(memory, from->locator))
        fmt_print(to->name, sizeof(to->name), "%s %s", from->bank, from->locator);
    else
        string_copy(to->name, from->locator, sizeof(to->name));
    string_copy(to->serial, from->serial, sizeof(to->serial));
    string_copy(to->part, from->part, sizeof(to->part));
}

void diagnosis_from_smbios(const struct smbios_memory *memory,
                           struct diagnosis_machine *ret_machine)
{
    bool only_modules;

    *ret_machine = (struct diagnosis_machine){ 0 };
    if (!memory)
        return;
    only_modules = lists_modules_only(memory);
    if (count(memory, only_modules) > DIAGNOSIS_SLOTS_MAX) {
        ret_machine->n_slots = DIAGNOSIS_SLOTS_MAX + 1;
        return;
    }
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        if (is_wanted(&memory->slot[i], only_modules))
            take(memory, &memory->slot[i], &ret_machine->slot[ret_machine->n_slots++]);
    }
}

/* Of the module that is in the slot; 0: unknown. */
static uint32_t jedec_mt_s(const struct modules *modules, const struct smbios_slot *slot)
{
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        if (m->slot == slot && m->jedec_mt_s)
            return module_is_above_jedec(m) ? m->jedec_mt_s
                                            : (uint32_t)max_u64(m->jedec_mt_s, m->configured_mt_s);
    }
    return 0;
}

void diagnosis_add_speeds(const struct smbios_memory *memory, const struct modules *modules,
                          struct diagnosis_machine *machine)
{
    unsigned n = 0;

    if (!memory || machine->n_slots > DIAGNOSIS_SLOTS_MAX)
        return;
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        if (is_wanted(&memory->slot[i], lists_modules_only(memory)))
            machine->slot[n++].jedec_mt_s = jedec_mt_s(modules, &memory->slot[i]);
    }
}

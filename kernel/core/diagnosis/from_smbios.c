// SPDX-License-Identifier: MIT
#include "diagnosis/from_smbios.h"

#include "lib/fmt.h"
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
    only_modules = count(memory, false) > DIAGNOSIS_SLOTS_MAX;
    if (count(memory, only_modules) > DIAGNOSIS_SLOTS_MAX) {
        ret_machine->n_slots = DIAGNOSIS_SLOTS_MAX + 1;
        return;
    }
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        if (is_wanted(&memory->slot[i], only_modules))
            take(memory, &memory->slot[i], &ret_machine->slot[ret_machine->n_slots++]);
    }
}

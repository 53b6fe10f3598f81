// SPDX-License-Identifier: MIT
#include "firmware/memory_ecc.h"

/* Some firmware counts the bits for correction as data: no data are so wide. */
static bool has_width_with_ecc(unsigned bits)
{
    return bits == 72 || bits == 80 || bits == 36 || bits == 40;
}

static enum ecc_answer module_has_ecc(const struct smbios_slot *s)
{
    unsigned extra;

    if (!s->data_bits || s->total_bits < s->data_bits)
        return ECC_NOT_SAID;
    extra = s->total_bits - s->data_bits;
    if (!extra)
        return has_width_with_ecc(s->data_bits) ? ECC_YES : ECC_NO;
    return extra * 8u == s->data_bits || extra * 4u == s->data_bits ? ECC_YES : ECC_NOT_SAID;
}

/*
 * Whether all modules have bits for error correction: an eighth or a quarter more than the data
 * (72/64; DDR5 has 80/64 or 40/32; 72/72 is the same). One module of equal widths makes it no.
 * Other widths, such as the 128/64 of some boards, say nothing, nor does the correction that DDR5
 * has within its chips.
 */
static enum ecc_answer modules_have_ecc(const struct smbios_memory *memory)
{
    enum ecc_answer all = ECC_NOT_SAID;
    bool is_silent = memory->n_slot < memory->slots;

    for (uint32_t i = 0; i < memory->n_slot; i++) {
        enum ecc_answer one;

        if (!memory->slot[i].is_populated)
            continue;
        one = module_has_ecc(&memory->slot[i]);
        if (one == ECC_NO)
            return ECC_NO;
        is_silent |= one == ECC_NOT_SAID;
        all = ECC_YES;
    }
    return is_silent ? ECC_NOT_SAID : all;
}

static enum ecc_answer array_has_ecc(const struct smbios_array *a)
{
    switch (a->ecc) {
    case SMBIOS_ECC_NONE: return ECC_NO;
    case SMBIOS_ECC_SINGLE_BIT:
    case SMBIOS_ECC_MULTI_BIT: return ECC_YES;
    default: return ECC_NOT_SAID;
    }
}

/* The answer that all arrays give. */
static enum ecc_answer arrays_have_ecc(const struct smbios_memory *memory)
{
    enum ecc_answer all = ECC_NOT_SAID;

    for (uint32_t i = 0; i < memory->n_array; i++) {
        enum ecc_answer one = array_has_ecc(&memory->array[i]);

        if (i && one != all)
            return ECC_NOT_SAID;
        all = one;
    }
    return all;
}

static enum ecc_answer is_on_by_smbios(enum ecc_answer modules, enum ecc_answer arrays)
{
    if (modules == ECC_NO || arrays == ECC_NO)
        return ECC_NO;
    return modules == ECC_YES && arrays == ECC_YES ? ECC_YES : ECC_NOT_SAID;
}

static enum memory_ecc_state state_of(enum ecc_answer is_on, bool modules_have_it)
{
    switch (is_on) {
    case ECC_YES: return MEMORY_ECC_ON;
    case ECC_NO: return modules_have_it ? MEMORY_ECC_UNUSED : MEMORY_ECC_OFF;
    default: return MEMORY_ECC_UNKNOWN;
    }
}

struct memory_ecc memory_ecc_judge(const struct smbios_memory *memory,
                                   const struct ecc_control *control)
{
    enum ecc_answer modules = memory ? modules_have_ecc(memory) : ECC_NOT_SAID;
    enum ecc_answer arrays = memory ? arrays_have_ecc(memory) : ECC_NOT_SAID;
    enum ecc_answer by_smbios = is_on_by_smbios(modules, arrays);

    if (control->is_on != ECC_NOT_SAID)
        return (struct memory_ecc){
            state_of(control->is_on, modules == ECC_YES || (modules == ECC_NOT_SAID &&
                                                            control->modules_have_it == ECC_YES)),
            "controller"
        };
    if (by_smbios != ECC_NOT_SAID)
        return (struct memory_ecc){ state_of(by_smbios, modules == ECC_YES), "smbios" };
    return (struct memory_ecc){ MEMORY_ECC_UNKNOWN, NULL };
}

const char *memory_ecc_word(enum memory_ecc_state state)
{
    static const char *const words[] = {
        [MEMORY_ECC_UNKNOWN] = "unknown",
        [MEMORY_ECC_ON] = "on",
        [MEMORY_ECC_OFF] = "off",
        [MEMORY_ECC_UNUSED] = "unused",
    };

    return words[state];
}

const char *memory_ecc_phrase(enum memory_ecc_state state)
{
    static const char *const phrases[] = {
        [MEMORY_ECC_UNKNOWN] = "",
        [MEMORY_ECC_ON] = "ECC on",
        [MEMORY_ECC_OFF] = "ECC off",
        [MEMORY_ECC_UNUSED] = "ECC off, although the modules have it",
    };

    return phrases[state];
}

static bool has_ddr5(const struct smbios_memory *memory)
{
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        if (memory->slot[i].is_populated && memory->slot[i].memory_type == SMBIOS_DDR5)
            return true;
    }
    return false;
}

unsigned memory_repair_find(const struct smbios_memory *memory, const struct ecc_control *control,
                            uint64_t more_reliable_bytes)
{
    unsigned found = control->repair;

    if (more_reliable_bytes)
        found |= MEMORY_REPAIR_RANGE_MIRRORING;
    if (memory && has_ddr5(memory))
        found |= MEMORY_REPAIR_ON_DIE_ECC;
    return found;
}

size_t memory_repair_names(unsigned repair, const char *ret_name[MEMORY_REPAIRS])
{
    static const char *const names[MEMORY_REPAIRS] = { "mirroring", "address range mirroring",
                                                       "in-band ECC", "on-die ECC" };
    size_t n = 0;

    for (unsigned i = 0; i < MEMORY_REPAIRS; i++) {
        if (repair >> i & 1)
            ret_name[n++] = names[i];
    }
    return n;
}

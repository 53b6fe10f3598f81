// SPDX-License-Identifier: MIT
#include "spd/modules.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "spd/spd.h"

#define SERIAL_DIGITS 8u

/* What SMBIOS has where it knows nothing. */
static bool says_nothing(const char *text)
{
    static const char *const words[] = { "Unknown", "Not Specified", "N/A",
                                         "None",    "NO DIMM",       "Undefined" };
    size_t same = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    }
    while (text[same] && text[same] == text[0])
        same++;
    return !text[same] && (!*text || strchr("0Ff ", *text));
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Boards write it after other numbers, or with 0x: the last eight digits. False: there are none. */
static bool last_digits(const char *text, uint32_t *ret_number)
{
    size_t n = strlen(text);
    uint32_t number = 0;

    if (n < SERIAL_DIGITS)
        return false;
    for (size_t i = n - SERIAL_DIGITS; i < n; i++) {
        int digit = digit_of(text[i]);

        if (digit < 0)
            return false;
        number = number << 4 | (uint32_t)digit;
    }
    *ret_number = number;
    return true;
}

/* Some boards write the bytes in the other order. */
static bool has_serial(const struct smbios_slot *slot, uint32_t serial)
{
    uint32_t number;

    return last_digits(slot->serial, &number) &&
           (number == serial || number == __builtin_bswap32(serial));
}

/* State of the search for each module's slot. */
struct matching {
    const struct smbios_memory *slots;
    bool is_taken[SMBIOS_SLOTS_MAX];
    const struct module_spd *spds;
    size_t n_spds;
    struct modules *modules;
};

static bool may_be(const struct matching *m, size_t slot)
{
    return m->slots->slot[slot].is_populated && !m->is_taken[slot];
}

typedef bool fits(const struct module_spd *spd, const struct smbios_slot *slot);

static bool fits_by_serial(const struct module_spd *spd, const struct smbios_slot *slot)
{
    return spd->spd.has_serial && has_serial(slot, spd->spd.serial);
}

static bool same_size(const struct module_spd *spd, const struct smbios_slot *slot)
{
    return !spd->spd.size_bytes || !slot->size_bytes || spd->spd.size_bytes == slot->size_bytes;
}

static bool fits_by_part(const struct module_spd *spd, const struct smbios_slot *slot)
{
    return spd->spd.part[0] && strcmp(spd->spd.part, slot->part) == 0 && same_size(spd, slot);
}

/* Neither another slot fits this SPD, nor another SPD this slot. */
static bool is_only(const struct matching *m, fits *fit, size_t spd, size_t slot)
{
    for (uint32_t i = 0; i < m->slots->n_slot; i++) {
        if (i != slot && may_be(m, i) && fit(&m->spds[spd], &m->slots->slot[i]))
            return false;
    }
    for (size_t i = 0; i < m->n_spds; i++) {
        if (i != spd && !m->modules->module[i].slot && fit(&m->spds[i], &m->slots->slot[slot]))
            return false;
    }
    return true;
}

static void take(struct matching *m, size_t spd, size_t slot, enum module_slot_by by)
{
    m->modules->module[spd].slot = &m->slots->slot[slot];
    m->modules->module[spd].slot_by = by;
    m->is_taken[slot] = true;
}

static void match_by(struct matching *m, fits *fit, enum module_slot_by by)
{
    for (size_t spd = 0; spd < m->n_spds; spd++) {
        for (uint32_t slot = 0; slot < m->slots->n_slot && !m->modules->module[spd].slot; slot++) {
            if (may_be(m, slot) && fit(&m->spds[spd], &m->slots->slot[slot]) &&
                is_only(m, fit, spd, slot))
                take(m, spd, slot, by);
        }
    }
}

/* The next slot from `slot` on that a module may be in. */
static size_t next_slot(const struct matching *m, size_t slot)
{
    while (slot < m->slots->n_slot && !may_be(m, slot))
        slot++;
    return slot;
}

/* Those that are left on both sides: as many, and of the same sizes in their order. */
static bool order_agrees(const struct matching *m)
{
    size_t slot = next_slot(m, 0);

    for (size_t spd = 0; spd < m->n_spds; spd++) {
        if (m->modules->module[spd].slot)
            continue;
        if (slot >= m->slots->n_slot || !same_size(&m->spds[spd], &m->slots->slot[slot]))
            return false;
        slot = next_slot(m, slot + 1);
    }
    return slot >= m->slots->n_slot;
}

static size_t unmatched(const struct matching *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_spds; i++)
        n += !m->modules->module[i].slot;
    return n;
}

static void match_by_order(struct matching *m)
{
    enum module_slot_by by = unmatched(m) == 1 ? MODULE_SLOT_ONLY : MODULE_SLOT_BY_ORDER;

    if (!order_agrees(m))
        return;
    for (size_t spd = 0; spd < m->n_spds; spd++) {
        if (!m->modules->module[spd].slot)
            take(m, spd, next_slot(m, 0), by);
    }
}

static void copy_said(char to[SMBIOS_NAME_SIZE], const char *text)
{
    if (!to[0] && !says_nothing(text))
        string_copy(to, text, SMBIOS_NAME_SIZE);
}

static void fill_from_spd(struct module *m, const struct spd *spd)
{
    string_copy(m->maker, spd_maker_name(spd->maker), sizeof(m->maker));
    string_copy(m->part, spd->part, sizeof(m->part));
    if (spd->has_serial)
        fmt_print(m->serial, sizeof(m->serial), "%08X", spd->serial);
    m->size_bytes = spd->size_bytes;
    m->jedec_mt_s = spd->mt_s;
    m->profile_mt_s = spd_fastest_profile(spd);
}

/* What the SPD does not say. A serial number of firmware's may be a part of another one. */
static void fill_from_slot(struct module *m)
{
    const struct smbios_slot *slot = m->slot;

    copy_said(m->maker, slot->maker);
    copy_said(m->part, slot->part);
    if (!m->spd)
        copy_said(m->serial, slot->serial);
    if (!m->size_bytes)
        m->size_bytes = slot->size_bytes;
    m->configured_mt_s = slot->configured_mt_s;
}

static void add_slots_alone(struct matching *m)
{
    struct modules *modules = m->modules;

    for (uint32_t i = 0; i < m->slots->n_slot && modules->n < MODULES_MAX; i++) {
        if (may_be(m, i))
            modules->module[modules->n++] =
                (struct module){ .slot = &m->slots->slot[i], .slot_by = MODULE_SLOT_ITSELF };
    }
}

void modules_make(const struct smbios_memory *slots, const struct module_spd *spds, size_t n_spds,
                  struct modules *ret_modules)
{
    struct matching m = { .slots = slots, .spds = spds, .n_spds = n_spds, .modules = ret_modules };

    memset(ret_modules, 0, sizeof(*ret_modules));
    ret_modules->n = n_spds;
    for (size_t i = 0; i < n_spds; i++)
        ret_modules->module[i].spd = &spds[i];
    if (slots) {
        match_by(&m, fits_by_serial, MODULE_SLOT_BY_SERIAL);
        match_by(&m, fits_by_part, MODULE_SLOT_BY_PART);
        match_by_order(&m);
        if (unmatched(&m) == 0)
            add_slots_alone(&m);
        else if (slots->populated > n_spds)
            ret_modules->n_others = slots->populated - n_spds;
    }
    for (size_t i = 0; i < ret_modules->n; i++) {
        struct module *module = &ret_modules->module[i];

        if (module->spd)
            fill_from_spd(module, &module->spd->spd);
        if (module->slot)
            fill_from_slot(module);
    }
}

const char *module_place(const struct module *m, char text[SMBIOS_NAME_SIZE])
{
    if (m->slot && m->slot->locator[0])
        string_copy(text, m->slot->locator, SMBIOS_NAME_SIZE);
    else if (m->spd)
        fmt_print(text, SMBIOS_NAME_SIZE, "at SMBus address 0x%x", m->spd->address);
    else
        string_copy(text, "in a slot without a name", SMBIOS_NAME_SIZE);
    return text;
}

unsigned modules_chip_bits(const struct modules *modules)
{
    unsigned bits = 0;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module_spd *spd = modules->module[i].spd;

        if (!spd || spd->spd.ranks_differ || (bits && bits != spd->spd.device_bits))
            return 0;
        bits = spd->spd.device_bits;
    }
    return modules->n_others ? 0 : bits;
}

const char *module_slot_by_word(enum module_slot_by by)
{
    static const char *const words[] = {
        [MODULE_SLOT_UNKNOWN] = NULL,     [MODULE_SLOT_BY_SERIAL] = "serial",
        [MODULE_SLOT_BY_PART] = "part",   [MODULE_SLOT_ONLY] = "only",
        [MODULE_SLOT_BY_ORDER] = "order", [MODULE_SLOT_ITSELF] = "slot",
    };

    return words[by];
}

/* All of them in one sentence. Why bytes are missing, whoever has read them says. */
static void warn_of(const struct module *m, const struct warnings *warnings)
{
    const uint32_t silent = UINT32_C(1) << SPD_SERIAL | UINT32_C(1) << SPD_SHORT;
    uint32_t problems = m->spd->spd.problems & ~silent;
    char place[SMBIOS_NAME_SIZE], text[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    for (unsigned i = 0; i < SPD_PROBLEMS; i++) {
        if (problems >> i & 1)
            fmt_append(&b, "%s%s", b.length ? "; " : "", spd_problem_text(i));
    }
    if (problems)
        warn_print(warnings, "SPD of the module %s: %s", module_place(m, place), text);
}

static bool are_same(const struct module *a, const struct module *b)
{
    return a->serial[0] && strcmp(a->serial, b->serial) == 0 && strcmp(a->maker, b->maker) == 0 &&
           strcmp(a->part, b->part) == 0;
}

static void warn_of_serial(const struct modules *modules, size_t i, const struct warnings *warnings)
{
    const struct module *m = modules->module;
    char first[SMBIOS_NAME_SIZE], second[SMBIOS_NAME_SIZE];

    for (size_t k = i + 1; k < modules->n; k++) {
        if (!are_same(&m[i], &m[k]))
            continue;
        warn_print(warnings,
                   "the modules %s and %s have the same serial number, %s: only their "
                   "slots distinguish them",
                   module_place(&m[i], first), module_place(&m[k], second), m[i].serial);
        return;
    }
}

void modules_check(const struct modules *modules, const struct warnings *warnings)
{
    for (size_t i = 0; i < modules->n; i++) {
        if (modules->module[i].spd)
            warn_of(&modules->module[i], warnings);
        warn_of_serial(modules, i, warnings);
    }
}

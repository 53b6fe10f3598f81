// SPDX-License-Identifier: MIT
#include "diagnosis/observe.h"

#include "lib/crc32c.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define SERIAL_DIGITS_MIN 4

static bool is_unique(const struct smbios_memory *memory, const char *locator)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < memory->n_slot; i++)
        n += strcmp(memory->slot[i].locator, locator) == 0;
    return n < 2;
}

/* Of the module that is in the slot; 0: unknown. */
static uint32_t jedec_of(const struct modules *modules, const struct smbios_slot *slot)
{
    for (size_t i = 0; modules && i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        if (m->slot == slot && m->jedec_mt_s)
            return m->jedec_mt_s;
    }
    return 0;
}

static bool has_name(const struct diagnosis_machine *m, const char *name)
{
    for (unsigned i = 0; i < m->n_slots; i++) {
        if (strcmp(m->slot[i].name, name) == 0)
            return true;
    }
    return false;
}

static void list_slot(const struct smbios_memory *memory, const struct smbios_slot *from,
                      uint32_t jedec_mt_s, struct diagnosis_machine *m)
{
    struct diagnosis_slot to = { .is_present = from->is_populated,
                                 .size_bytes = from->size_bytes,
                                 .configured_mt_s = from->configured_mt_s,
                                 .jedec_mt_s = jedec_mt_s };
    bool needs_bank = from->bank[0] && !is_unique(memory, from->locator);

    fmt_print(to.name, sizeof(to.name), "%s%s%s", needs_bank ? from->bank : "",
              needs_bank ? " " : "", from->locator);
    if (!to.name[0] || has_name(m, to.name))
        fmt_print(to.name, sizeof(to.name), "slot #%u", m->n_slots + 1);
    string_copy(to.serial, from->serial, sizeof(to.serial));
    string_copy(to.part, from->part, sizeof(to.part));
    m->slot[m->n_slots++] = to;
}

void diagnosis_list(const struct smbios_memory *memory, const struct modules *modules,
                    struct diagnosis_machine *ret_machine)
{
    *ret_machine = (struct diagnosis_machine){ 0 };
    for (uint32_t i = 0; memory && i < memory->n_slot; i++) {
        const struct smbios_slot *s = &memory->slot[i];

        if (!s->is_ordinary || s->is_soldered)
            continue;
        if (ret_machine->n_slots == DIAGNOSIS_SLOTS_MAX) {
            ret_machine->n_slots++; /* too many */
            return;
        }
        list_slot(memory, s, jedec_of(modules, s), ret_machine);
    }
}

/* The machine's slots before they are those of the diagnosis. */
struct fitted {
    const struct diagnosis_machine *machine;
    uint8_t slot[DIAGNOSIS_SLOTS_MAX]; /* its number in the diagnosis */
    uint16_t id[DIAGNOSIS_SLOTS_MAX];
    int module[DIAGNOSIS_SLOTS_MAX]; /* its number there; -1: not known, or none is in */
};

static bool is_serial(const char *text)
{
    bool varies = false;
    size_t n = 0;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    for (; text[n]; n++) {
        if (!strchr("0123456789abcdef", (int)ascii_lower((unsigned char)text[n])))
            return false;
        varies |= text[n] != text[0];
    }
    return n >= SERIAL_DIGITS_MIN && varies;
}

/* 0: it has no serial number that counts. */
static uint16_t id_of(const struct diagnosis_slot *s)
{
    uint32_t crc;

    if (!s->is_present || !is_serial(s->serial))
        return 0;
    crc = crc32c_by_nibbles(~0u, s->serial, strlen(s->serial) + 1);
    crc = crc32c_by_nibbles(crc, s->part, strlen(s->part));
    crc ^= crc >> 16;
    return (uint16_t)crc ? (uint16_t)crc : 1;
}

/* The slots of these names; those of a typed word have none yet. False: there are too many. */
static bool find_slots(struct diagnosis *d, struct fitted *f)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        const char *name = f->machine->slot[i].name;
        unsigned k = 0;

        while (k < d->n_slots && d->names.slot[k][0] && strcmp(d->names.slot[k], name) != 0)
            k++;
        if (k == DIAGNOSIS_SLOTS_MAX)
            return false;
        if (k == d->n_slots)
            d->n_slots++;
        string_copy(d->names.slot[k], name, DIAGNOSIS_SLOT_NAME);
        f->slot[i] = (uint8_t)k;
    }
    return true;
}

/* Of modules with the same one, none counts. */
static void find_ids(struct fitted *f)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        uint16_t id = id_of(&f->machine->slot[i]);
        bool is_same = false;

        for (unsigned k = 0; k < f->machine->n_slots; k++)
            is_same |= k != i && id_of(&f->machine->slot[k]) == id;
        f->id[i] = is_same ? 0 : id;
        f->module[i] = -1;
    }
}

static uint32_t size_mib(const struct diagnosis_slot *s)
{
    return (uint32_t)(s->size_bytes >> 20);
}

static bool is_matched(const struct fitted *f, unsigned module)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        if (f->module[i] == (int)module)
            return true;
    }
    return false;
}

/* Whether the slot's module may be that one, by its serial number or, without one, its size. */
static bool may_be(const struct diagnosis *d, const struct fitted *f, unsigned slot,
                   unsigned module, bool by_serial)
{
    const struct diagnosis_module *m = &d->module[module];
    uint32_t mib = size_mib(&f->machine->slot[slot]);

    if (m->id && f->id[slot])
        return by_serial && m->id == f->id[slot];
    return !by_serial && !is_matched(f, module) && (m->size_mib == mib || !m->size_mib || !mib);
}

/* By serial number; or by the slots of an arrangement; NULL: in any slot. */
static void match(const struct diagnosis *d, struct fitted *f, bool by_serial,
                  const struct arrangement *at)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        for (unsigned k = 0; k < d->n_modules; k++) {
            if (f->machine->slot[i].is_present && f->module[i] < 0 &&
                (!at || at->slot_of[k] == f->slot[i]) && may_be(d, f, i, k, by_serial))
                f->module[i] = (int)k;
        }
    }
}

/* Adds what is not matched; false: there are too many. */
static bool add_modules(struct diagnosis *d, struct fitted *f)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        if (!f->machine->slot[i].is_present || f->module[i] >= 0)
            continue;
        if (d->n_modules == DIAGNOSIS_MODULES_MAX)
            return false;
        d->module[d->n_modules] =
            (struct diagnosis_module){ .id = f->id[i], .size_mib = size_mib(&f->machine->slot[i]) };
        f->module[i] = (int)d->n_modules++;
    }
    return true;
}

/* The fastest, and by the standard the slowest; 0: it is not known of all. */
static uint32_t speed_of(const struct diagnosis_machine *m, bool by_standard)
{
    uint32_t most = 0, least = UINT32_MAX;

    for (unsigned i = 0; i < m->n_slots; i++) {
        if (!m->slot[i].is_present)
            continue;
        most = (uint32_t)max_u64(most, m->slot[i].configured_mt_s);
        least = (uint32_t)min_u64(least, m->slot[i].jedec_mt_s);
    }
    return by_standard ? least : most;
}

/* A word has hundreds of MT/s; 2666 and 2667 are the same. */
static uint32_t hundreds(uint32_t mt_s)
{
    return (mt_s + 50) / 100;
}

/*
 * Above the standard's speed; of a machine whose SPDs are not known it is that of the first run.
 * Where none is known: until they are slower than in the first run.
 */
static bool is_raised(const struct diagnosis *d, const struct diagnosis_machine *m)
{
    uint32_t now = hundreds(speed_of(m, false));
    uint32_t jedec = hundreds(speed_of(m, true) ? speed_of(m, true) : d->jedec_mt_s);

    return now && (jedec ? now > jedec : d->first_mt_s && now >= hundreds(d->first_mt_s));
}

/* A state from a typed word has no names: they come from where the module is seen again. */
static void take_arrangement(struct diagnosis *d, const struct fitted *f, struct arrangement *at)
{
    memset(at->slot_of, DIAGNOSIS_ABSENT, sizeof(at->slot_of));
    at->is_raised = is_raised(d, f->machine);
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        const struct diagnosis_slot *s = &f->machine->slot[i];
        int k = f->module[i];

        if (k < 0)
            continue;
        at->slot_of[k] = f->slot[i];
        if (is_serial(s->serial))
            string_copy(d->names.serial[k], s->serial, DIAGNOSIS_SERIAL);
        string_copy(d->names.part[k], s->part, DIAGNOSIS_PART);
    }
}

/* Of the modules that are in: how many are known, by the runs of the diagnosis. */
static unsigned match_all(const struct diagnosis *d, struct fitted *f,
                          const struct arrangement *asked)
{
    unsigned n = 0;

    match(d, f, true, NULL);
    match(d, f, false, asked);
    match(d, f, false, diagnosis_last(d));
    match(d, f, false, &d->run[0].at);
    match(d, f, false, NULL);
    for (unsigned i = 0; i < f->machine->n_slots; i++)
        n += f->module[i] >= 0;
    return n;
}

/* asked: NULL: it begins. */
static enum status fit(struct diagnosis *d, const struct diagnosis_machine *machine,
                       const struct arrangement *asked, struct arrangement *at)
{
    struct fitted f = { .machine = machine };
    unsigned n = 0;

    if (machine->n_slots > DIAGNOSIS_SLOTS_MAX)
        return STATUS_NO_SPACE;
    for (unsigned i = 0; i < machine->n_slots; i++)
        n += machine->slot[i].is_present;
    if (!asked && n < DIAGNOSIS_MODULES_MIN)
        return STATUS_NOT_FOUND;
    find_ids(&f);
    if (!find_slots(d, &f))
        return STATUS_NO_SPACE;
    if (asked && !match_all(d, &f, asked))
        return STATUS_NOT_FOUND;
    if (!add_modules(d, &f))
        return STATUS_NO_SPACE;
    if (!asked) {
        d->first_mt_s = speed_of(machine, false);
        d->jedec_mt_s = speed_of(machine, true);
    }
    take_arrangement(d, &f, at);
    return STATUS_OK;
}

enum status diagnosis_begin(const struct diagnosis_machine *machine, enum diagnosis_kind kind,
                            struct diagnosis_count count, struct diagnosis *ret_diagnosis)
{
    struct diagnosis d = { .kind = kind };
    struct arrangement at;
    enum status status = fit(&d, machine, NULL, &at);

    if (status != STATUS_OK)
        return status;
    diagnosis_ran(&d, &at, count);
    *ret_diagnosis = d;
    return STATUS_OK;
}

enum status diagnosis_observe(struct diagnosis *d, const struct diagnosis_machine *machine,
                              const struct arrangement *asked, struct arrangement *ret_now)
{
    struct diagnosis next = *d;
    enum status status = fit(&next, machine, asked, ret_now);

    if (status == STATUS_OK)
        *d = next;
    return status;
}

const char *diagnosis_refusal(enum status status)
{
    return status == STATUS_NO_SPACE
               ? "There are more modules or slots than a search can have (8 modules, 16 slots): "
                 "take out some modules, and test again."
               : "Firmware lists none of the modules that the search began with, so it starts again "
                 "with the next run that finds faults.";
}

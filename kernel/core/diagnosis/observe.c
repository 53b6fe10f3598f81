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

static void list_slot(const struct smbios_memory *memory, const struct smbios_slot *from,
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

/* False: there are too many. */
static bool list_slots(const struct smbios_memory *memory, const struct modules *modules,
                       bool only_modules, struct diagnosis_machine *m)
{
    m->n_slots = 0;
    for (uint32_t i = 0; i < memory->n_slot; i++) {
        const struct smbios_slot *s = &memory->slot[i];

        if (!s->is_ordinary || s->is_soldered || (only_modules && !s->is_populated))
            continue;
        if (m->n_slots++ == DIAGNOSIS_SLOTS_MAX)
            return false;
        list_slot(memory, s, &m->slot[m->n_slots - 1]);
        m->slot[m->n_slots - 1].jedec_mt_s = jedec_of(modules, s);
    }
    return true;
}

void diagnosis_list(const struct smbios_memory *memory, const struct modules *modules,
                    struct diagnosis_machine *ret_machine)
{
    *ret_machine = (struct diagnosis_machine){ 0 };
    if (memory && !list_slots(memory, modules, false, ret_machine))
        (void)list_slots(memory, modules, true, ret_machine);
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

/* The slot of that name; of those with the same name the one that is not taken yet. */
static bool find_slot(struct diagnosis *d, const char *name, uint32_t *taken, uint8_t *ret_slot)
{
    unsigned i = 0;

    for (; i < d->n_slots; i++) {
        bool is_typed = !d->slot_name[i][0]; /* of a typed word: known by its number */

        if (!(*taken >> i & 1) && (is_typed || strcmp(d->slot_name[i], name) == 0))
            break;
    }
    if (i == DIAGNOSIS_SLOTS_MAX)
        return false;
    if (i == d->n_slots)
        d->n_slots++;
    string_copy(d->slot_name[i], name, DIAGNOSIS_SLOT_NAME);
    *taken |= UINT32_C(1) << i;
    *ret_slot = (uint8_t)i;
    return true;
}

static bool find_slots(struct diagnosis *d, struct fitted *f)
{
    uint32_t taken = 0;

    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        const char *listed = f->machine->slot[i].name;
        char name[DIAGNOSIS_SLOT_NAME];

        if (listed[0])
            string_copy(name, listed, sizeof(name));
        else
            fmt_print(name, sizeof(name), "slot %u", i + 1);
        if (!find_slot(d, name, &taken, &f->slot[i]))
            return false;
    }
    return true;
}

/* Of modules with the same one, none counts. */
static unsigned find_ids(struct fitted *f)
{
    const struct diagnosis_slot *slot = f->machine->slot;
    unsigned n = f->machine->n_slots, notes = 0;

    for (unsigned i = 0; i < n; i++) {
        bool is_same = false;

        f->id[i] = id_of(&slot[i]);
        f->module[i] = -1;
        if (slot[i].is_present && !f->id[i])
            notes |= DIAGNOSIS_NO_SERIALS;
        for (unsigned k = 0; k < n && f->id[i]; k++)
            is_same |= k != i && id_of(&slot[k]) == f->id[i];
        if (is_same) {
            f->id[i] = 0;
            notes |= DIAGNOSIS_SAME_SERIALS;
        }
    }
    return notes;
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
static bool add_modules(struct diagnosis *d, struct fitted *f, unsigned *notes)
{
    for (unsigned i = 0; i < f->machine->n_slots; i++) {
        if (!f->machine->slot[i].is_present || f->module[i] >= 0)
            continue;
        if (d->n_modules == DIAGNOSIS_MODULES_MAX)
            return false;
        for (unsigned k = 0; k < DIAGNOSIS_RUNS_MAX; k++)
            d->run[k].at.slot_of[d->n_modules] = DIAGNOSIS_ABSENT;
        d->module[d->n_modules] =
            (struct diagnosis_module){ .id = f->id[i], .size_mib = size_mib(&f->machine->slot[i]) };
        f->module[i] = (int)d->n_modules++;
        *notes |= DIAGNOSIS_ADDED;
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
        struct diagnosis_module *module;

        if (f->module[i] < 0)
            continue;
        at->slot_of[f->module[i]] = f->slot[i];
        module = &d->module[f->module[i]];
        if (!module->serial[0] && is_serial(s->serial))
            string_copy(module->serial, s->serial, sizeof(module->serial));
        if (!module->part[0])
            string_copy(module->part, s->part, sizeof(module->part));
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

/* asked: NULL: it begins. Returns 0, or the note on why the machine cannot be used. */
static unsigned fit(struct diagnosis *d, const struct diagnosis_machine *machine,
                    const struct arrangement *asked, struct arrangement *at, unsigned *notes)
{
    struct fitted f = { .machine = machine };
    unsigned n = 0;

    if (machine->n_slots > DIAGNOSIS_SLOTS_MAX)
        return DIAGNOSIS_TOO_MANY;
    for (unsigned i = 0; i < machine->n_slots; i++)
        n += machine->slot[i].is_present;
    if (n < (asked ? 1 : DIAGNOSIS_MODULES_MIN))
        return DIAGNOSIS_NO_SLOTS;
    *notes = find_ids(&f);
    if (!find_slots(d, &f))
        return DIAGNOSIS_TOO_MANY;
    if (asked && !match_all(d, &f, asked))
        return DIAGNOSIS_OTHER_MACHINE;
    if (!add_modules(d, &f, notes))
        return DIAGNOSIS_TOO_MANY;
    if (!asked) {
        *notes &= ~(unsigned)DIAGNOSIS_ADDED;
        d->first_mt_s = speed_of(machine, false);
        d->jedec_mt_s = speed_of(machine, true);
    }
    take_arrangement(d, &f, at);
    return 0;
}

static enum status status_of(unsigned refused, unsigned *notes)
{
    *notes = refused ? refused : *notes;
    return !refused                        ? STATUS_OK
           : refused == DIAGNOSIS_TOO_MANY ? STATUS_NO_SPACE
                                           : STATUS_NOT_FOUND;
}

enum status diagnosis_begin(const struct diagnosis_machine *machine, enum diagnosis_kind kind,
                            const char *tests, struct diagnosis_count count,
                            struct diagnosis *ret_diagnosis, unsigned *ret_notes)
{
    struct diagnosis d = { .kind = kind, .is_running = true };
    unsigned refused = fit(&d, machine, NULL, &d.running, ret_notes);

    if (strlen(tests) < sizeof(d.tests))
        string_copy(d.tests, tests, sizeof(d.tests));
    diagnosis_ran(&d, count);
    if (!refused)
        *ret_diagnosis = d;
    return status_of(refused, ret_notes);
}

enum status diagnosis_observe(struct diagnosis *d, const struct diagnosis_machine *machine,
                              const struct arrangement *asked, struct arrangement *ret_now,
                              unsigned *ret_notes)
{
    struct diagnosis next = *d;
    unsigned refused = fit(&next, machine, asked, ret_now, ret_notes);

    if (!refused)
        *d = next;
    return status_of(refused, ret_notes);
}

void diagnosis_append_notes(unsigned notes, struct fmt_buffer *out)
{
    static const struct {
        unsigned note;
        const char *text;
    } texts[] = {
        { DIAGNOSIS_NO_SLOTS, "Firmware lists no memory module, so okram cannot see which one is "
                              "fitted: test them one by one." },
        { DIAGNOSIS_TOO_MANY, "There are more modules or slots than can be kept track of (8 "
                              "modules, 16 slots): take out some modules, and test again." },
        { DIAGNOSIS_OTHER_MACHINE, "None of the modules is one that the search began with, so it "
                                   "starts again with the next run that finds faults." },
        { DIAGNOSIS_SAME_SERIALS, "Two modules have the same serial number: only their slots and "
                                  "sizes distinguish them. Mark them." },
        { DIAGNOSIS_NO_SERIALS, "Some modules have no serial number: only their slots and sizes "
                                "distinguish them. Mark them." },
        { DIAGNOSIS_ADDED, "A module was added that was not there in the first run. It is now a "
                           "part of the search." },
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (notes & texts[i].note)
            fmt_append(out, "%s\n", texts[i].text);
    }
}

// SPDX-License-Identifier: MIT
#include "diagnosis/observe.h"

#include "lib/crc32c.h"
#include "lib/string.h"

#define SERIAL_DIGITS_MIN 4

/* What is known of a slot's module before it is one of the diagnosis. */
struct fitted {
    unsigned n_slots;
    uint8_t slot[DIAGNOSIS_SLOTS_MAX]; /* of the machine's: its number in the diagnosis */
    uint16_t id[DIAGNOSIS_SLOTS_MAX];
    int module[DIAGNOSIS_SLOTS_MAX]; /* or -1 */
};

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_serial(const char *text)
{
    bool varies = false;
    size_t n = 0;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    for (; text[n]; n++) {
        if (!is_hex(text[n]))
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

static void name_of(const struct diagnosis_machine *m, unsigned slot, char out[DIAGNOSIS_SLOT_NAME])
{
    if (m->slot[slot].name[0])
        string_copy(out, m->slot[slot].name, DIAGNOSIS_SLOT_NAME);
    else
        fmt_print(out, DIAGNOSIS_SLOT_NAME, "slot %u", slot + 1);
}

/* The slot of that name; of those with the same name the one that is not taken yet. */
static bool find_slot(struct diagnosis *d, const char *name, uint32_t *taken, uint8_t *ret_slot)
{
    for (unsigned i = 0; i < d->n_slots; i++) {
        bool is_typed = !d->slot_name[i][0]; /* of a typed word: known by its number */

        if (*taken >> i & 1)
            continue;
        if (is_typed)
            string_copy(d->slot_name[i], name, DIAGNOSIS_SLOT_NAME);
        if (strcmp(d->slot_name[i], name) == 0) {
            *taken |= UINT32_C(1) << i;
            *ret_slot = (uint8_t)i;
            return true;
        }
    }
    if (d->n_slots == DIAGNOSIS_SLOTS_MAX)
        return false;
    string_copy(d->slot_name[d->n_slots], name, DIAGNOSIS_SLOT_NAME);
    *taken |= UINT32_C(1) << d->n_slots;
    *ret_slot = (uint8_t)d->n_slots++;
    return true;
}

static bool find_slots(struct diagnosis *d, const struct diagnosis_machine *m, struct fitted *f)
{
    uint32_t taken = 0;

    for (unsigned i = 0; i < m->n_slots; i++) {
        char name[DIAGNOSIS_SLOT_NAME];

        name_of(m, i, name);
        if (!find_slot(d, name, &taken, &f->slot[i]))
            return false;
    }
    return true;
}

/* Of modules with the same one, none counts. */
static unsigned find_ids(const struct diagnosis_machine *m, struct fitted *f)
{
    uint16_t id[DIAGNOSIS_SLOTS_MAX];
    unsigned notes = 0;

    for (unsigned i = 0; i < m->n_slots; i++)
        f->id[i] = id[i] = id_of(&m->slot[i]);
    for (unsigned i = 0; i < m->n_slots; i++) {
        for (unsigned k = 0; k < m->n_slots && id[i]; k++) {
            if (i == k || id[i] != id[k])
                continue;
            f->id[i] = 0;
            notes |= DIAGNOSIS_SAME_SERIALS;
        }
        if (m->slot[i].is_present && !id[i])
            notes |= DIAGNOSIS_NO_SERIALS;
    }
    return notes;
}

static uint32_t size_mib(const struct diagnosis_slot *s)
{
    return (uint32_t)(s->size_bytes >> 20);
}

static bool is_matched(const struct fitted *f, int module)
{
    for (unsigned i = 0; i < f->n_slots; i++) {
        if (f->module[i] == module)
            return true;
    }
    return false;
}

static void match_serials(const struct diagnosis *d, struct fitted *f)
{
    for (unsigned i = 0; i < f->n_slots; i++) {
        for (unsigned k = 0; k < d->n_modules && f->id[i]; k++) {
            if (d->module[k].id == f->id[i])
                f->module[i] = (int)k;
        }
    }
}

/* A module that cannot be told by its serial number, and may be this one by its size. */
static bool may_be(const struct diagnosis *d, const struct fitted *f, unsigned module,
                   unsigned slot, uint32_t mib)
{
    const struct diagnosis_module *m = &d->module[module];

    return !(m->id && f->id[slot]) && !is_matched(f, (int)module) &&
           (m->size_mib == mib || !m->size_mib || !mib);
}

/* By the slots of an arrangement; NULL: in any slot. */
static void match_slots(const struct diagnosis *d, const struct diagnosis_machine *m,
                        struct fitted *f, const struct diagnosis_arrangement *at)
{
    for (unsigned i = 0; i < f->n_slots; i++) {
        for (unsigned k = 0; k < d->n_modules && m->slot[i].is_present && f->module[i] < 0; k++) {
            if ((!at || at->slot_of[k] == f->slot[i]) && may_be(d, f, k, i, size_mib(&m->slot[i])))
                f->module[i] = (int)k;
        }
    }
}

/* A state from a typed word has no names: they come from where the module is seen again. */
static void fill_names(struct diagnosis_module *module, const struct diagnosis_slot *s)
{
    if (!module->serial[0] && is_serial(s->serial))
        string_copy(module->serial, s->serial, sizeof(module->serial));
    if (!module->part[0])
        string_copy(module->part, s->part, sizeof(module->part));
}

static int add_module(struct diagnosis *d, const struct diagnosis_slot *s, uint16_t id)
{
    struct diagnosis_module *module = &d->module[d->n_modules];

    fill_names(module, s);
    module->id = id;
    module->size_mib = size_mib(s);
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX; i++)
        d->run[i].at.slot_of[d->n_modules] = DIAGNOSIS_ABSENT;
    return (int)d->n_modules++;
}

static uint32_t configured_mt_s(const struct diagnosis_machine *m)
{
    uint32_t most = 0;

    for (unsigned i = 0; i < m->n_slots; i++) {
        if (m->slot[i].is_present && m->slot[i].configured_mt_s > most)
            most = m->slot[i].configured_mt_s;
    }
    return most;
}

/* Of the slowest module; 0: it is not known of all. */
static uint32_t jedec_mt_s(const struct diagnosis_machine *m)
{
    uint32_t least = UINT32_MAX;

    for (unsigned i = 0; i < m->n_slots; i++) {
        if (m->slot[i].is_present && m->slot[i].jedec_mt_s < least)
            least = m->slot[i].jedec_mt_s;
    }
    return least == UINT32_MAX ? 0 : least;
}

/* A typed word has hundreds of MT/s. */
static uint32_t hundreds(uint32_t mt_s)
{
    return (mt_s + 50) / 100;
}

/* Where the standard's speed is unknown: until they are slower than in the first run. */
static bool is_raised(const struct diagnosis *d, const struct diagnosis_machine *m)
{
    uint32_t now = configured_mt_s(m), jedec = jedec_mt_s(m);

    if (jedec && now)
        return now > jedec;
    return now && d->first_mt_s && hundreds(now) >= hundreds(d->first_mt_s);
}

/* The note on why a search cannot use this machine; 0: it can. least: modules. */
static unsigned refuses(const struct diagnosis_machine *m, unsigned least)
{
    unsigned n = 0;

    if (m->n_slots > DIAGNOSIS_SLOTS_MAX)
        return DIAGNOSIS_TOO_MANY;
    for (unsigned i = 0; i < m->n_slots; i++)
        n += m->slot[i].is_present;
    return n >= least ? 0 : DIAGNOSIS_NO_SLOTS;
}

static enum status refuse(unsigned notes, unsigned *ret_notes)
{
    *ret_notes = notes;
    return notes == DIAGNOSIS_TOO_MANY ? STATUS_NO_SPACE : STATUS_NOT_FOUND;
}

/* Adds what is not matched; false: there are too many. */
static bool add_modules(struct diagnosis *d, const struct diagnosis_machine *m, struct fitted *f,
                        unsigned *notes)
{
    for (unsigned i = 0; i < f->n_slots; i++) {
        if (!m->slot[i].is_present || f->module[i] >= 0)
            continue;
        if (d->n_modules == DIAGNOSIS_MODULES_MAX)
            return false;
        f->module[i] = add_module(d, &m->slot[i], f->id[i]);
        *notes |= DIAGNOSIS_ADDED;
    }
    return true;
}

static void take_arrangement(struct diagnosis *d, const struct diagnosis_machine *m,
                             const struct fitted *f, struct diagnosis_arrangement *at)
{
    memset(at->slot_of, DIAGNOSIS_ABSENT, sizeof(at->slot_of));
    at->is_raised = is_raised(d, m);
    for (unsigned i = 0; i < f->n_slots; i++) {
        if (f->module[i] < 0)
            continue;
        at->slot_of[f->module[i]] = f->slot[i];
        fill_names(&d->module[f->module[i]], &m->slot[i]);
    }
}

static void begin_fitted(const struct diagnosis_machine *m, struct fitted *f)
{
    f->n_slots = m->n_slots;
    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        f->module[i] = -1;
}

enum status diagnosis_begin(const struct diagnosis_machine *machine, enum diagnosis_kind kind,
                            const char *tests, struct diagnosis_count count,
                            struct diagnosis *ret_diagnosis, unsigned *ret_notes)
{
    struct diagnosis d = { .kind = kind, .is_running = true };
    struct fitted f;

    if (refuses(machine, DIAGNOSIS_MODULES_MIN))
        return refuse(refuses(machine, DIAGNOSIS_MODULES_MIN), ret_notes);
    d.first_mt_s = configured_mt_s(machine);
    d.jedec_mt_s = jedec_mt_s(machine);
    begin_fitted(machine, &f);
    *ret_notes = find_ids(machine, &f);
    if (!find_slots(&d, machine, &f) || !add_modules(&d, machine, &f, ret_notes))
        return refuse(DIAGNOSIS_TOO_MANY, ret_notes);
    *ret_notes &= ~(unsigned)DIAGNOSIS_ADDED;
    if (strlen(tests) < sizeof(d.tests))
        string_copy(d.tests, tests, sizeof(d.tests));
    take_arrangement(&d, machine, &f, &d.running);
    diagnosis_ran(&d, count);
    *ret_diagnosis = d;
    return STATUS_OK;
}

enum status diagnosis_observe(struct diagnosis *d, const struct diagnosis_machine *machine,
                              const struct diagnosis_arrangement *asked,
                              struct diagnosis_arrangement *ret_now, unsigned *ret_notes)
{
    struct diagnosis next = *d;
    unsigned n_known = d->n_modules;
    struct fitted f;
    bool any = false;

    if (refuses(machine, 1))
        return refuse(refuses(machine, 1), ret_notes);
    begin_fitted(machine, &f);
    *ret_notes = find_ids(machine, &f);
    if (!find_slots(&next, machine, &f))
        return refuse(DIAGNOSIS_TOO_MANY, ret_notes);
    match_serials(&next, &f);
    match_slots(&next, machine, &f, asked);
    match_slots(&next, machine, &f, diagnosis_last(d));
    match_slots(&next, machine, &f, &d->run[0].at);
    match_slots(&next, machine, &f, NULL);
    for (unsigned i = 0; i < f.n_slots; i++)
        any |= f.module[i] >= 0 && (unsigned)f.module[i] < n_known;
    if (!any)
        return refuse(DIAGNOSIS_OTHER_MACHINE, ret_notes);
    if (!add_modules(&next, machine, &f, ret_notes))
        return refuse(DIAGNOSIS_TOO_MANY, ret_notes);
    take_arrangement(&next, machine, &f, ret_now);
    *d = next;
    return STATUS_OK;
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

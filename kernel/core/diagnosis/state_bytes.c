// SPDX-License-Identifier: MIT
#include "diagnosis/state_bytes.h"

#include "lib/crc32c.h"
#include "lib/string.h"
#include "sweep/march.h"

#define VERSION    2
#define AT_VERSION 4
#define AT_BYTES   5
#define AT_CRC     7

#define IS_RAISED   1u
#define NOT_STARTED 2u
#define ALWAYS      4u

#define IS_RUNNING 1u
#define IS_OFFERED 2u

#define LONG_TEXT 256 /* with the NUL: a longer one has a length of 2 bytes */

_Static_assert(DIAGNOSIS_BYTES_HEAD + 1 + DIAGNOSIS_SLOTS_MAX * DIAGNOSIS_SLOT_NAME + 1 +
                       DIAGNOSIS_MODULES_MAX * (DIAGNOSIS_SERIAL + DIAGNOSIS_PART + 6) + 10 +
                       DIAGNOSIS_TESTS + 1 + DIAGNOSIS_MARCH + 2 +
                       (DIAGNOSIS_RUNS_MAX + 1) * (DIAGNOSIS_MODULES_MAX + 5) <=
                   DIAGNOSIS_BYTES_MAX,
               "any state fits");

static const char magic[4] = { 'O', 'K', 'D', 'I' };

/*
 * One walk over the fields for both directions, so that they cannot differ: `out` of a writer, `in`
 * of a reader, whose `is_short` says that the bytes ended.
 */
struct walk {
    uint8_t *out;
    const uint8_t *in;
    size_t at, size;
    bool is_short;
};

static void byte(struct walk *w, uint8_t *value)
{
    if (w->out)
        w->out[w->at++] = *value;
    else if (w->at < w->size)
        *value = w->in[w->at++];
    else
        w->is_short = true;
}

static void number(struct walk *w, uint32_t *value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++) {
        uint8_t b = (uint8_t)(*value >> 8 * i);

        byte(w, &b);
        if (!w->out)
            *value = (i ? *value : 0) | (uint32_t)b << 8 * i;
    }
}

static void small(struct walk *w, unsigned *value)
{
    uint8_t b = (uint8_t)*value;

    byte(w, &b);
    *value = b;
}

/* A text is printable ASCII; a longer one than there is room for counts as bytes that ended. */
static void text(struct walk *w, char *value, size_t size)
{
    uint32_t n = (uint32_t)strlen(value);

    number(w, &n, size > LONG_TEXT ? 2 : 1);
    if (n >= size) {
        w->is_short = true;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t b = (uint8_t)value[i];

        byte(w, &b);
        value[i] = b >= ' ' && b <= '~' ? (char)b : '?';
    }
    value[n] = 0;
}

static void arrangement(struct walk *w, struct diagnosis_arrangement *at, unsigned n_modules,
                        unsigned *flags)
{
    if (!w->out)
        memset(at->slot_of, DIAGNOSIS_ABSENT, sizeof(at->slot_of));
    for (unsigned i = 0; i < n_modules; i++)
        byte(w, &at->slot_of[i]);
    *flags = (*flags & ~IS_RAISED) | (at->is_raised ? IS_RAISED : 0);
    small(w, flags);
    at->is_raised = *flags & IS_RAISED;
}

static void run(struct walk *w, struct diagnosis_run *r, unsigned n_modules)
{
    unsigned flags = r->outcome == DIAGNOSIS_NOT_STARTED ? NOT_STARTED : r->always ? ALWAYS : 0;
    uint32_t passes = r->passes, failed = r->failed;

    arrangement(w, &r->at, n_modules, &flags);
    r->outcome = flags & NOT_STARTED ? DIAGNOSIS_NOT_STARTED : DIAGNOSIS_RAN;
    r->always = flags & ALWAYS;
    number(w, &passes, 2);
    number(w, &failed, 2);
    r->passes = (uint16_t)passes;
    r->failed = (uint16_t)failed;
}

static void module(struct walk *w, struct diagnosis_module *m)
{
    uint32_t id = m->id;

    text(w, m->serial, sizeof(m->serial));
    text(w, m->part, sizeof(m->part));
    number(w, &id, 2);
    number(w, &m->size_mib, 4);
    m->id = (uint16_t)id;
}

/* Reading stops at a count that is too large: the rest would be nonsense. */
static bool count(struct walk *w, unsigned *n, unsigned max)
{
    small(w, n);
    if (*n > max)
        w->is_short = true;
    return !w->is_short;
}

static void fields(struct walk *w, struct diagnosis *d)
{
    unsigned kind = d->kind, flags = 0;
    unsigned now = (d->is_running ? IS_RUNNING : 0) | (d->is_offered ? IS_OFFERED : 0);
    uint8_t stayed = d->settings_stayed;

    if (!count(w, &d->n_slots, DIAGNOSIS_SLOTS_MAX))
        return;
    for (unsigned i = 0; i < d->n_slots && !w->is_short; i++)
        text(w, d->slot_name[i], sizeof(d->slot_name[i]));
    if (w->is_short || !count(w, &d->n_modules, DIAGNOSIS_MODULES_MAX))
        return;
    for (unsigned i = 0; i < d->n_modules && !w->is_short; i++)
        module(w, &d->module[i]);
    small(w, &kind);
    number(w, &d->first_mt_s, 4);
    number(w, &d->jedec_mt_s, 4);
    byte(w, &stayed);
    text(w, d->tests, sizeof(d->tests));
    text(w, d->march, sizeof(d->march));
    if (w->is_short || !count(w, &d->n_runs, DIAGNOSIS_RUNS_MAX))
        return;
    for (unsigned i = 0; i < d->n_runs; i++)
        run(w, &d->run[i], d->n_modules);
    small(w, &now);
    arrangement(w, &d->running, d->n_modules, &flags);
    d->kind = (enum diagnosis_kind)kind;
    d->settings_stayed = stayed;
    d->is_running = now & IS_RUNNING;
    d->is_offered = now & IS_OFFERED;
}

size_t diagnosis_write(const struct diagnosis *d, uint8_t out[DIAGNOSIS_BYTES_MAX])
{
    struct diagnosis copy = *d; /* the walk is for both directions */
    struct walk w = { .out = out, .at = DIAGNOSIS_BYTES_HEAD };
    struct walk head = { .out = out, .at = AT_BYTES };
    uint32_t n, crc;

    fields(&w, &copy);
    memcpy(out, magic, sizeof(magic));
    out[AT_VERSION] = VERSION;
    n = (uint32_t)w.at;
    crc = crc32c(out + DIAGNOSIS_BYTES_HEAD, w.at - DIAGNOSIS_BYTES_HEAD);
    number(&head, &n, 2);
    number(&head, &crc, 4);
    return w.at;
}

static bool is_sane_arrangement(const struct diagnosis *d, const struct diagnosis_arrangement *at)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        uint8_t slot = at->slot_of[i];

        if (slot == DIAGNOSIS_ABSENT)
            continue;
        if (i >= d->n_modules || slot >= d->n_slots || slots >> slot & 1)
            return false;
        slots |= UINT32_C(1) << slot;
    }
    return slots;
}

static bool is_sane_run(const struct diagnosis *d, const struct diagnosis_run *r)
{
    return is_sane_arrangement(d, &r->at) && r->failed <= r->passes &&
           (r->outcome == DIAGNOSIS_NOT_STARTED ? !r->passes : r->passes > 0);
}

static bool is_sane_march(const char *march)
{
    struct march_error error;
    struct march m;

    return !march[0] || march_parse(march, &m, &error) == MARCH_OK;
}

bool diagnosis_is_sane(const struct diagnosis *d)
{
    if (d->n_slots > DIAGNOSIS_SLOTS_MAX || d->n_modules > DIAGNOSIS_MODULES_MAX ||
        d->n_modules < DIAGNOSIS_MODULES_MIN || d->kind >= DIAGNOSIS_KINDS || !d->n_runs ||
        d->n_runs > DIAGNOSIS_RUNS_MAX)
        return false;
    if (d->run[0].outcome != DIAGNOSIS_RAN || !d->run[0].failed || !is_sane_march(d->march))
        return false;
    for (unsigned i = 0; i < d->n_runs; i++) {
        if (!is_sane_run(d, &d->run[i]))
            return false;
    }
    return !d->is_running || is_sane_arrangement(d, &d->running);
}

enum status diagnosis_read(const void *bytes, size_t size, struct diagnosis *ret_diagnosis,
                           const char **ret_why)
{
    struct walk head = { .in = bytes, .at = AT_BYTES, .size = size };
    struct walk w = { .in = bytes, .at = DIAGNOSIS_BYTES_HEAD, .size = size };
    struct diagnosis d = { 0 };
    uint32_t n = 0, crc = 0;

    number(&head, &n, 2);
    number(&head, &crc, 4);
    *ret_why = NULL;
    if (size < DIAGNOSIS_BYTES_HEAD || memcmp(bytes, magic, sizeof(magic)) != 0)
        *ret_why = "it is not a state of okram";
    else if (w.in[AT_VERSION] != VERSION)
        *ret_why = "it is of another version of okram";
    else if (n != size)
        *ret_why = "it is cut or too long";
    else if (crc32c(w.in + DIAGNOSIS_BYTES_HEAD, size - DIAGNOSIS_BYTES_HEAD) != crc)
        *ret_why = "its checksum is wrong";
    if (*ret_why)
        return STATUS_INVALID;
    fields(&w, &d);
    if (w.is_short || w.at != size || !diagnosis_is_sane(&d)) {
        *ret_why = "it holds what cannot be";
        return STATUS_INVALID;
    }
    *ret_diagnosis = d;
    return STATUS_OK;
}

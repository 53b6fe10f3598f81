// SPDX-License-Identifier: MIT
#include "guide.h"

#include "diagnosis/code.h"
#include "diagnosis/observe.h"
#include "diagnosis/state_bytes.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define SPEED_UNIT 100u /* MT/s: a typed word counts in these */

static bool is_same(const struct diagnosis_arrangement *a, const struct diagnosis_arrangement *b,
                    unsigned n_modules)
{
    return a->is_raised == b->is_raised && diagnosis_same_modules(a, b, n_modules);
}

static bool is_same_run(const struct diagnosis_run *a, const struct diagnosis_run *b,
                        unsigned n_modules)
{
    return a->outcome == b->outcome && !a->failed == !b->failed &&
           is_same(&a->at, &b->at, n_modules);
}

/* Whether it is the same diagnosis, after one run more or many. */
static bool continues(const struct diagnosis *later, const struct diagnosis *d)
{
    bool is = later->n_modules >= d->n_modules && later->n_runs > d->n_runs;

    for (unsigned i = 0; i < d->n_modules && is; i++)
        is = later->module[i].id == d->module[i].id;
    for (unsigned i = 0; i < d->n_runs && is; i++)
        is = is_same_run(&later->run[i], &d->run[i], d->n_modules);
    return is;
}

/* The variable's, unless the file is of a later run. */
static const struct diagnosis *choose_kept(const struct guide_sources *s)
{
    if (!s->variable || (s->file && continues(s->file, s->variable)))
        return s->file;
    return s->variable;
}

/* A record has no names. */
static void take_names(struct diagnosis *d, const struct diagnosis *from)
{
    for (unsigned i = 0; i < from->n_slots && i < d->n_slots; i++)
        string_copy(d->slot_name[i], from->slot_name[i], sizeof(d->slot_name[i]));
    for (unsigned i = 0; i < from->n_modules && i < d->n_modules; i++) {
        string_copy(d->module[i].serial, from->module[i].serial, sizeof(d->module[i].serial));
        string_copy(d->module[i].part, from->module[i].part, sizeof(d->module[i].part));
    }
}

static void take(struct guide *g, const struct diagnosis *state)
{
    g->state = *state;
    g->state.is_offered = false;
    g->is_new = g->is_kept = true;
}

/* The state; false: there is none. */
static bool choose_state(struct guide *g, const struct guide_sources *s)
{
    const struct diagnosis *kept = choose_kept(s);
    bool goes_on = s->record && s->record->begun;

    g->is_kept = kept;
    if (kept && kept->is_offered && !goes_on) {
        g->offer = g->offer ? g->offer : kept;
        return false;
    }
    g->is_asked = kept || goes_on;
    if (kept)
        g->state = *kept;
    if (goes_on && (!kept || kept->is_offered || continues(&s->record->state, kept)))
        take(g, &s->record->state);
    if (kept && g->is_new)
        take_names(&g->state, kept);
    return g->is_asked;
}

/* SMBIOS has no JEDEC speed: it is the one that the diagnosis began with, but for rounding. */
static struct diagnosis_machine with_speeds(const struct diagnosis_machine *machine,
                                            uint32_t jedec_mt_s)
{
    struct diagnosis_machine m = *machine;

    for (unsigned i = 0; i < min_u64(m.n_slots, DIAGNOSIS_SLOTS_MAX); i++) {
        uint32_t now = m.slot[i].configured_mt_s;
        bool is_jedec = (now + SPEED_UNIT / 2) / SPEED_UNIT == jedec_mt_s / SPEED_UNIT;

        m.slot[i].jedec_mt_s = is_jedec ? now : jedec_mt_s;
    }
    return m;
}

/* The last arrangement that was tested: the first one was. */
static struct diagnosis_arrangement last_tested(const struct diagnosis *d)
{
    unsigned i = d->n_runs - 1;

    while (i && d->run[i].outcome != DIAGNOSIS_RAN)
        i--;
    return d->run[i].at;
}

static enum guide_situation compare(const struct guide *g)
{
    const struct diagnosis *d = &g->state;

    if (g->step.kind == DIAGNOSIS_ENDS)
        return GUIDE_ENDED;
    if (d->is_running && is_same(&d->running, &g->now, d->n_modules))
        return GUIDE_UNFINISHED;
    if (diagnosis_is_as_asked(d, &g->step.at, &g->now))
        return GUIDE_READY;
    return is_same(&g->before, &g->now, d->n_modules) ? GUIDE_UNCHANGED : GUIDE_CHANGED;
}

/* It has ended with a cause: a new module, perhaps in place of the bad one, changes nothing. */
static bool has_cause(const struct guide *g)
{
    return g->step.kind == DIAGNOSIS_ENDS && g->end.kind != DIAGNOSIS_END_ALL &&
           g->end.kind != DIAGNOSIS_END_UNDECIDED;
}

/* What is fitted, and what follows from it. */
static void look(struct guide *g, const struct diagnosis_machine *machine)
{
    struct diagnosis *d = &g->state;
    struct diagnosis_machine m = with_speeds(machine, d->jedec_mt_s);

    diagnosis_next(d, &g->step, &g->end);
    if (diagnosis_observe(d, &m, d->is_running ? &d->running : &g->step.at, &g->now, &g->notes) !=
        STATUS_OK) {
        g->situation = g->step.kind == DIAGNOSIS_ENDS ? GUIDE_ENDED : GUIDE_LOST;
        return;
    }
    g->before = last_tested(d);
    if (!has_cause(g)) /* a module may have been added, which may decide it */
        diagnosis_next(d, &g->step, &g->end);
    g->situation = compare(g);
}

static bool is_same_state(const struct diagnosis *a, const struct diagnosis *b)
{
    uint8_t x[DIAGNOSIS_BYTES_MAX], y[DIAGNOSIS_BYTES_MAX];
    size_t n = diagnosis_write(a, x);

    return diagnosis_write(b, y) == n && memcmp(x, y, n) == 0;
}

/*
 * A run that found faults, in which all modules of that run are fitted: else they may have been
 * replaced. It is kept, because its report is not read a second time.
 */
static void look_at_offer(struct guide *g, const struct guide_sources *s,
                          const struct diagnosis_machine *machine)
{
    const struct diagnosis *kept = choose_kept(s);
    uint32_t all = diagnosis_modules_in(&g->offer->run[0].at);
    struct guide before = *g;

    g->state = *g->offer;
    g->is_asked = g->is_new = false;
    look(g, machine);
    if (g->situation == GUIDE_LOST || all & ~diagnosis_modules_in(&g->now)) {
        *g = before;
        g->offer = NULL;
        return;
    }
    g->situation = GUIDE_OFFERED;
    g->state.is_offered = true;
    g->is_new = !kept || !is_same_state(&g->state, kept);
}

/* The bad module is not fitted any more, or no module is that the search knows. */
static bool is_past(const struct guide *g)
{
    return g->situation == GUIDE_LOST ||
           (g->situation == GUIDE_ENDED && g->end.kind == DIAGNOSIS_END_MODULES &&
            !(diagnosis_modules_in(&g->now) & g->end.bits));
}

void guide_begin(struct guide *ret_guide, const struct guide_sources *sources,
                 const struct diagnosis_machine *machine)
{
    struct guide *g = ret_guide;

    *g = (struct guide){ .variable_why = sources->variable_why,
                         .file_why = sources->file_why,
                         .record_why = sources->record_why };
    if (sources->record && !sources->record->begun)
        g->offer = &sources->record->state;
    if (choose_state(g, sources))
        look(g, machine);
    if (g->offer && (g->situation == GUIDE_NONE || is_past(g)))
        look_at_offer(g, sources, machine);
    if (g->situation == GUIDE_NONE && (g->variable_why || g->file_why || g->record_why)) {
        g->situation = GUIDE_DAMAGED;
        g->is_kept = g->variable_why || g->file_why;
    }
}

void guide_accept(struct guide *g, const struct diagnosis_machine *machine)
{
    if (!g->offer)
        return;
    take(g, g->offer);
    g->offer = NULL;
    g->is_asked = false;
    g->variable_why = g->file_why = g->record_why = NULL;
    look(g, machine);
}

void guide_did_not_start(struct guide *g, const struct diagnosis_machine *machine)
{
    diagnosis_not_started(&g->state, &g->step.at);
    g->is_new = true;
    g->is_asked = false;
    look(g, machine);
}

void guide_run_begins(struct guide *g, struct fmt_buffer *words)
{
    bool as_asked = g->situation == GUIDE_READY;

    if (g->state.tests[0])
        fmt_append(words, "tests=%s ", g->state.tests);
    /* Also without one: okram.conf may have another. */
    fmt_append(words, "'march=%s' passes=%u save=on diagnosis=", g->state.march,
               as_asked ? g->step.passes : diagnosis_next_passes(&g->state));
    diagnosis_append_code(&g->state, words);
    diagnosis_run_begins(&g->state, &g->step, &g->now);
    g->is_new = true;
}

// SPDX-License-Identifier: MIT
#include "guide.h"

#include "diagnosis/observe.h"
#include "lib/string.h"
#include "saved/json_line.h"

/* Whether it is the same diagnosis, after one run more or many. */
static bool continues(const struct diagnosis *later, const struct diagnosis *d)
{
    bool is = later->n_modules >= d->n_modules && later->n_runs > d->n_runs;

    for (unsigned i = 0; i < d->n_modules && is; i++)
        is = later->module[i].id == d->module[i].id;
    for (unsigned i = 0; i < d->n_runs && is; i++)
        is = diagnosis_is_same(&later->run[i].at, &d->run[i].at);
    return is;
}

/* What can stand after tests= without being more than one option. */
static bool is_one_word(const char *tests)
{
    for (; *tests; tests++) {
        if (*tests <= ' ' || *tests > '~' || *tests == '"' || *tests == '\'')
            return false;
    }
    return true;
}

/* Tests and a march to repeat that cannot be count as all, or none. */
static bool read_record(const char *line, struct diagnosis *ret_record, bool *ret_begun)
{
    char code[DIAGNOSIS_CODE_MAX], begun[sizeof("false")];
    struct diagnosis *d = ret_record;

    if (!json_line_value(line, "code", code, sizeof(code)) || diagnosis_read_code(code, d) ||
        !json_line_value(line, "begun", begun, sizeof(begun)))
        return false;
    if (!json_line_value(line, "tests", d->tests, sizeof(d->tests)) || !is_one_word(d->tests))
        d->tests[0] = 0;
    if (!json_line_value(line, "march", d->march, sizeof(d->march)) || !diagnosis_is_sane(d))
        d->march[0] = 0;
    *ret_begun = strcmp(begun, "true") == 0;
    return true;
}

/* The last record of type diagnosis; false: there is none that can be used. */
static bool find_record(struct guide *g, const char *jsonl, struct diagnosis *ret_record,
                        bool *ret_begun)
{
    const char *last = NULL;
    char type[16];

    for (const char *line = jsonl; line; line = json_line_next(line)) {
        if (json_line_value(line, "type", type, sizeof(type)) && strcmp(type, "diagnosis") == 0)
            last = line;
    }
    if (last && read_record(last, ret_record, ret_begun))
        return true;
    if (last)
        g->why_record = "its word is damaged, or of another version";
    return false;
}

/* It has ended with a cause: a new module, perhaps in place of the bad one, changes nothing. */
static bool has_cause(const struct guide *g)
{
    return g->record.step.kind == DIAGNOSIS_ENDS && g->record.cause.is_decided &&
           g->record.cause.cause.kind != DIAGNOSIS_ALL;
}

/* The last arrangement that was tested: the first one was. */
static struct arrangement last_tested(const struct diagnosis *d)
{
    unsigned i = d->n_runs - 1;

    while (i && !d->run[i].passes)
        i--;
    return d->run[i].at;
}

static enum guide_situation compare(const struct guide *g)
{
    if (g->record.step.kind == DIAGNOSIS_ENDS)
        return GUIDE_ENDED;
    if (g->fitted != STATUS_OK)
        return GUIDE_LOST;
    if (diagnosis_is_same(&g->record.step.at, &g->now))
        return GUIDE_READY;
    return diagnosis_is_same(&g->before, &g->now) ? GUIDE_UNCHANGED : GUIDE_CHANGED;
}

/* What is fitted, and what follows from it: a module that was added may decide it. */
static void look(struct guide *g, const struct diagnosis_machine *machine)
{
    struct diagnosis seen = g->state;

    memset(g->now.slot_of, DIAGNOSIS_ABSENT, sizeof(g->now.slot_of));
    g->before = last_tested(&g->state);
    diagnosis_record_make(&g->state, &g->before, &g->record);
    g->fitted = diagnosis_observe(&seen, machine, &g->record.step.at, &g->now);
    if (has_cause(g))
        g->state.names = seen.names;
    else
        g->state = seen;
    diagnosis_record_make(&g->state, &g->now, &g->record);
    g->situation = compare(g);
}

/*
 * A run that found faults, in which all modules of that run are fitted: else they may have been
 * replaced. It is kept, because its report is not read a second time.
 */
static void look_at_offer(struct guide *g, const struct diagnosis_machine *machine)
{
    uint32_t all = diagnosis_modules_in(&g->offer.run[0].at);
    struct guide before = *g;

    g->state = g->offer;
    g->state.is_offered = g->is_new = true;
    g->is_asked = false;
    look(g, machine);
    if (g->fitted == STATUS_OK && !(all & ~diagnosis_modules_in(&g->now))) {
        g->situation = GUIDE_OFFERED;
        return;
    }
    *g = before;
    g->has_offer = false;
}

/* The bad module is not fitted any more, or no module is that the search knows. */
static bool is_past(const struct guide *g)
{
    return g->situation == GUIDE_NONE || g->situation == GUIDE_LOST ||
           (g->situation == GUIDE_ENDED && diagnosis_ends_with_modules(&g->record.cause) &&
            !(diagnosis_modules_in(&g->now) & g->record.cause.cause.bits));
}

/* The state that was kept, or one that the last report has of a later run; it has no names. */
static bool choose_state(struct guide *g, const char *kept, const char *jsonl)
{
    struct diagnosis record;
    bool has_kept = kept && kept[0] && !g->why_not_kept, begun = false;
    bool has_record = find_record(g, jsonl, &record, &begun);

    if (has_record && begun &&
        (!has_kept || g->state.is_offered || continues(&record, &g->state))) {
        record.names = g->state.names;
        g->state = record;
        return g->is_new = true;
    }
    if (has_record && !begun)
        g->offer = record;
    else if (has_kept && g->state.is_offered)
        g->offer = g->state;
    g->has_offer = g->offer.n_runs;
    return has_kept && !g->state.is_offered;
}

void guide_begin(struct guide *ret_guide, const char *kept, const char *why, const char *jsonl,
                 const struct diagnosis_machine *machine)
{
    struct guide *g = ret_guide;

    *g = (struct guide){ .why_not_kept = why };
    if (kept && kept[0] && !why)
        g->why_not_kept = diagnosis_read_code(kept, &g->state);
    g->is_asked = choose_state(g, kept, jsonl);
    if (g->is_asked)
        look(g, machine);
    if (g->has_offer && is_past(g))
        look_at_offer(g, machine);
    if (g->situation == GUIDE_NONE && (g->why_not_kept || g->why_record))
        g->situation = GUIDE_DAMAGED;
}

void guide_accept(struct guide *g, const struct diagnosis_machine *machine)
{
    g->state.is_offered = false;
    g->is_new = true;
    look(g, machine);
}

void guide_did_not_start(struct guide *g, const struct diagnosis_machine *machine)
{
    diagnosis_not_started(&g->state, &g->record.step.at);
    g->is_new = true;
    g->is_asked = false;
    look(g, machine);
}

void guide_forget(struct guide *g, const struct diagnosis_machine *machine)
{
    *g = (struct guide){ .has_offer = g->has_offer, .offer = g->offer };
    if (g->has_offer)
        look_at_offer(g, machine);
}

void guide_append_words(const struct guide *g, struct fmt_buffer *out)
{
    /* Also without a march: okram.conf may have one. */
    fmt_append(out, "'march=' save=on %s", g->record.words);
}

// SPDX-License-Identifier: MIT
#include "guide.h"

#include "diagnosis/code.h"
#include "diagnosis/observe.h"
#include "lib/string.h"
#include "saved/json_line.h"

#define OLD_STATE "OKDI" /* how a state began before it was a word */

static bool is_same(const struct arrangement *a, const struct arrangement *b, unsigned n_modules)
{
    return a->is_raised == b->is_raised && diagnosis_same_modules(a, b, n_modules);
}

/* Whether it is the same diagnosis, after one run more or many. */
static bool continues(const struct diagnosis *later, const struct diagnosis *d)
{
    bool is = later->n_modules >= d->n_modules && later->n_runs > d->n_runs;

    for (unsigned i = 0; i < d->n_modules && is; i++)
        is = later->module[i].id == d->module[i].id;
    for (unsigned i = 0; i < d->n_runs && is; i++) {
        const struct diagnosis_run *a = &later->run[i], *b = &d->run[i];

        is = !a->passes == !b->passes && !a->failed == !b->failed &&
             is_same(&a->at, &b->at, d->n_modules);
    }
    return is;
}

/* False: there is none, or it cannot be used; then g->why says why. */
static bool read_kept(struct guide *g, enum guide_source source, const struct guide_found *found,
                      struct diagnosis *ret_state)
{
    struct fmt_buffer why = fmt_buffer_make(g->why[source], sizeof(g->why[source]));

    if (found->why)
        fmt_append(&why, "%s", found->why);
    if (!found->text || !found->text[0])
        return false;
    if (strncmp(found->text, OLD_STATE, strlen(OLD_STATE)) == 0) {
        fmt_append(&why, "an earlier version of okram wrote it");
        return false;
    }
    return diagnosis_read_code(found->text, false, ret_state, &why) == STATUS_OK;
}

/* The variable's state, unless the file is of a later run. */
static void find_kept(struct guide *g, const struct guide_found found[GUIDE_SOURCES])
{
    struct diagnosis file;
    bool has_file = read_kept(g, GUIDE_FILE, &found[GUIDE_FILE], &file);

    g->has_kept = read_kept(g, GUIDE_VARIABLE, &found[GUIDE_VARIABLE], &g->kept);
    if (has_file && (!g->has_kept || continues(&file, &g->kept))) {
        g->kept = file;
        g->has_kept = true;
    }
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
static bool read_record(const char *line, struct guide *g)
{
    char code[DIAGNOSIS_CODE_MAX], begun[sizeof("false")], why[100];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));
    struct diagnosis *d = &g->record;

    if (!json_line_value(line, "code", code, sizeof(code)) ||
        diagnosis_read_code(code, true, d, &b) != STATUS_OK ||
        !json_line_value(line, "begun", begun, sizeof(begun)))
        return false;
    if (!json_line_value(line, "tests", d->tests, sizeof(d->tests)) || !is_one_word(d->tests))
        d->tests[0] = 0;
    if (!json_line_value(line, "march", d->march, sizeof(d->march)) || !diagnosis_is_sane(d))
        d->march[0] = 0;
    g->has_begun = strcmp(begun, "true") == 0;
    return true;
}

/* The last record of type diagnosis. */
static void find_record(struct guide *g, const struct guide_found *found)
{
    const char *last = NULL;
    char type[16];

    for (const char *line = found->text; line; line = json_line_next(line)) {
        if (json_line_value(line, "type", type, sizeof(type)) && strcmp(type, "diagnosis") == 0)
            last = line;
    }
    g->has_record = last && read_record(last, g);
    if (last && !g->has_record)
        string_copy(g->why[GUIDE_RECORD], "its word is damaged, or of another version",
                    sizeof(g->why[GUIDE_RECORD]));
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

static void offer(struct guide *g, const struct diagnosis *state)
{
    if (!g->has_offer)
        g->offer = *state;
    g->has_offer = true;
}

/* The state; false: there is none, or an offer alone. */
static bool choose_state(struct guide *g)
{
    bool goes_on = g->has_record && g->has_begun;

    g->is_kept = g->has_kept;
    if (g->has_record && !g->has_begun)
        offer(g, &g->record);
    if (g->has_kept && g->kept.is_offered && !goes_on) {
        offer(g, &g->kept);
        return false;
    }
    g->is_asked = g->has_kept || goes_on;
    g->state = g->kept;
    if (goes_on && (!g->has_kept || g->kept.is_offered || continues(&g->record, &g->kept)))
        take(g, &g->record);
    if (g->has_kept && g->is_new)
        take_names(&g->state, &g->kept);
    return g->is_asked;
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
    return g->step.kind == DIAGNOSIS_ENDS && g->end.is_decided &&
           g->end.cause.kind != DIAGNOSIS_ALL;
}

/* What is fitted, and what follows from it. */
static void look(struct guide *g, const struct diagnosis_machine *machine)
{
    struct diagnosis *d = &g->state;

    diagnosis_next(d, &g->step, &g->end);
    if (diagnosis_observe(d, machine, d->is_running ? &d->running : &g->step.at, &g->now,
                          &g->notes) != STATUS_OK) {
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
    char x[DIAGNOSIS_KEPT_MAX], y[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer to_x = fmt_buffer_make(x, sizeof(x)), to_y = fmt_buffer_make(y, sizeof(y));

    diagnosis_append_code(a, true, &to_x);
    diagnosis_append_code(b, true, &to_y);
    return strcmp(x, y) == 0;
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
    g->is_asked = g->is_new = false;
    look(g, machine);
    if (g->situation == GUIDE_LOST || all & ~diagnosis_modules_in(&g->now)) {
        *g = before;
        g->has_offer = false;
        return;
    }
    g->situation = GUIDE_OFFERED;
    g->state.is_offered = true;
    g->is_new = !g->has_kept || !is_same_state(&g->state, &g->kept);
}

/* The bad module is not fitted any more, or no module is that the search knows. */
static bool is_past(const struct guide *g)
{
    return g->situation == GUIDE_LOST ||
           (g->situation == GUIDE_ENDED && diagnosis_ends_with_modules(&g->end) &&
            !(diagnosis_modules_in(&g->now) & g->end.cause.bits));
}

/* By what was kept and reported. */
static void decide(struct guide *g, const struct diagnosis_machine *machine)
{
    bool was_damaged = g->why[GUIDE_VARIABLE][0] || g->why[GUIDE_FILE][0];

    g->situation = GUIDE_NONE;
    g->is_new = g->has_offer = false;
    if (choose_state(g))
        look(g, machine);
    if (g->has_offer && (g->situation == GUIDE_NONE || is_past(g)))
        look_at_offer(g, machine);
    if (g->situation == GUIDE_NONE && (was_damaged || g->why[GUIDE_RECORD][0])) {
        g->situation = GUIDE_DAMAGED;
        g->is_kept = was_damaged;
    }
}

void guide_begin(struct guide *ret_guide, const struct guide_found found[GUIDE_SOURCES],
                 const struct diagnosis_machine *machine)
{
    *ret_guide = (struct guide){ 0 };
    find_kept(ret_guide, found);
    find_record(ret_guide, &found[GUIDE_RECORD]);
    decide(ret_guide, machine);
}

static void forget_damage(struct guide *g)
{
    for (unsigned i = 0; i < GUIDE_SOURCES; i++)
        g->why[i][0] = 0;
}

void guide_accept(struct guide *g, const struct diagnosis_machine *machine)
{
    if (!g->has_offer)
        return;
    take(g, &g->offer);
    g->has_offer = g->is_asked = false;
    forget_damage(g);
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
    diagnosis_append_code(&g->state, false, words);
    diagnosis_run_begins(&g->state, &g->step, &g->now);
    g->is_new = true;
}

/* A record without an offer was of the search that is forgotten. */
void guide_forget(struct guide *g, const struct diagnosis_machine *machine)
{
    g->has_kept = false;
    g->has_record = g->has_record && g->has_offer;
    forget_damage(g);
    decide(g, machine);
}

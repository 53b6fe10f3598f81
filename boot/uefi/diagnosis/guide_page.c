// SPDX-License-Identifier: MIT
#include "guide.h"

#include "boot/uefi/menu/menu_model.h"
#include "diagnosis/observe.h"
#include "diagnosis/sentences.h"

#define RUNS_SHOWN   4 /* the newest */
#define HEADLINE_MAX 72

struct choices {
    enum guide_choice *choice;
    unsigned n;
};

static void add(struct choices *c, enum guide_choice choice, bool is_possible)
{
    if (is_possible)
        c->choice[c->n++] = choice;
}

unsigned guide_choices(const struct guide *g, bool has_setup,
                       enum guide_choice ret_choice[GUIDE_CHOICES])
{
    struct choices c = { ret_choice, 0 };
    enum guide_situation s = g->situation;
    bool waits = s == GUIDE_UNCHANGED || s == GUIDE_CHANGED; /* for what was asked for */
    bool goes_on = waits || s == GUIDE_READY || s == GUIDE_UNFINISHED;
    bool settings = waits && g->step.at.is_raised != g->now.is_raised;

    add(&c, GUIDE_START, goes_on && s != GUIDE_UNCHANGED);
    add(&c, GUIDE_SETUP, settings && has_setup);
    add(&c, GUIDE_POWER_OFF, goes_on);
    add(&c, GUIDE_DID_NOT_START, waits && g->is_asked);
    add(&c, GUIDE_START, s == GUIDE_UNCHANGED);
    add(&c, GUIDE_ANEW, g->has_offer && !goes_on && g->is_kept);
    add(&c, GUIDE_FORGET, g->is_kept);
    return c.n;
}

const char *guide_choice_text(const struct guide *g, enum guide_choice choice)
{
    switch (choice) {
    case GUIDE_START:
        return g->situation == GUIDE_READY        ? "Start the test"
               : g->situation == GUIDE_UNFINISHED ? "Repeat the test"
                                                  : "Test it as it is now";
    case GUIDE_POWER_OFF: return "Switch the machine off";
    case GUIDE_SETUP: return "Restart into BIOS setup";
    case GUIDE_DID_NOT_START:
        return g->step.kind == DIAGNOSIS_ARRANGE ? "The computer does not start with these modules"
                                                 : "The computer does not start like that";
    case GUIDE_ANEW: return "Start again with the faults of the last run";
    default: return "Forget the search for the bad module";
    }
}

void guide_append_headline(const struct guide *g, struct fmt_buffer *out)
{
    static const char *const texts[] = {
        [GUIDE_NONE] = "",
        [GUIDE_OFFERED] = "Find the bad module, step by step",
        [GUIDE_READY] = "Find the bad module: test what is fitted now",
        [GUIDE_UNFINISHED] = "Find the bad module: the last test did not end",
        [GUIDE_LOST] = "Find the bad module: it cannot go on",
        [GUIDE_DAMAGED] = "Find the bad module: what was kept is damaged",
    };
    char text[HEADLINE_MAX + 1];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (texts[g->situation]) {
        fmt_append(out, "%s", texts[g->situation]);
        return;
    }
    fmt_append(&b, "%s: ",
               g->situation != GUIDE_ENDED              ? "Find the bad module"
               : !diagnosis_ends_with_modules(&g->end)  ? "The search has ended"
               : g->end.cause.kind == DIAGNOSIS_MODULES ? "The bad modules"
                                                        : "The bad module");
    diagnosis_append_short(&g->state, &g->step, &g->end, &g->now, &b);
    fmt_append(out, "%s", text);
}

static void append_damage(const struct guide *g, struct fmt_buffer *out)
{
    static const char *const whats[GUIDE_SOURCES] = {
        [GUIDE_VARIABLE] = "The state in the UEFI variable OkramDiagnosis cannot be used",
        [GUIDE_FILE] = "The state in \\okram\\diagnosis.bin cannot be used",
        [GUIDE_RECORD] = "The result in the report of the last run could not be read",
    };

    for (unsigned i = 0; i < GUIDE_SOURCES; i++) {
        if (g->why[i][0])
            fmt_append(out, "%s: %s.\n", whats[i], g->why[i]);
    }
    if (g->situation == GUIDE_DAMAGED)
        fmt_append(out, "So the search starts again: run a test, and once it has found faults it "
                        "is offered here.\n");
}

/* At the first time, and after each restart. */
static void append_situation(const struct guide *g, struct fmt_buffer *out)
{
    if (!g->is_asked && g->state.n_runs == 1)
        fmt_append(out,
                   "Addresses do not tell which module is bad: it is found by testing again "
                   "with other modules and settings. okram remembers what was tested; this can "
                   "be left at any time.\n");
    else if (g->situation == GUIDE_UNFINISHED)
        fmt_append(out, "A test began with what is fitted now, and left no result: it did not end, "
                        "or its result could not be kept. It can be repeated.\n");
    else if (g->situation == GUIDE_READY)
        fmt_append(out, "What is fitted now is what was asked for.\n");
    else if (g->is_asked)
        diagnosis_append_change(&g->state, &g->step, &g->before, &g->now, out);
}

/* What is to be done, and how the test goes. */
static void append_step(const struct guide *g, struct fmt_buffer *out)
{
    bool as_asked = g->situation == GUIDE_READY;

    if (!as_asked && g->situation != GUIDE_UNFINISHED) {
        fmt_append(out, MENU_STRONG);
        diagnosis_append_step(&g->state, &g->step, &g->now, out);
    }
    fmt_append(out, "The test: up to %u passes of %s, fewer once %u of them had faults.\n",
               as_asked ? g->step.passes : diagnosis_next_passes(&g->state),
               g->state.tests[0] ? g->state.tests : "the usual tests", DIAGNOSIS_FAILURES_ENOUGH);
}

/* The newest runs, the last one last. */
static void append_runs(const struct guide *g, struct fmt_buffer *out)
{
    unsigned left_out = g->state.n_runs > RUNS_SHOWN ? g->state.n_runs - RUNS_SHOWN : 0;

    if (left_out)
        fmt_append(out, "Tested so far, after %u more:\n", left_out);
    else
        fmt_append(out, "Tested so far:\n");
    diagnosis_append_runs(&g->state, left_out, out);
}

void guide_append_page(const struct guide *g, struct fmt_buffer *out)
{
    append_damage(g, out);
    switch (g->situation) {
    case GUIDE_NONE:
    case GUIDE_OFFERED:
    case GUIDE_DAMAGED: break;
    case GUIDE_LOST: diagnosis_append_notes(g->notes, out); break;
    case GUIDE_ENDED:
        fmt_append(out, MENU_STRONG);
        diagnosis_append_end(&g->state, &g->end, out);
        append_runs(g, out);
        break;
    default:
        append_situation(g, out);
        append_step(g, out);
        diagnosis_append_notes(g->notes, out);
        append_runs(g, out);
        break;
    }
}

// SPDX-License-Identifier: MIT
#include "guide_page.h"

#include "boot/uefi/menu/menu_model.h"
#include "diagnosis/observe.h"
#include "diagnosis/sentences.h"
#include "lib/string.h"

#define RUNS_SHOWN 4 /* the newest */

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
    add(&c, GUIDE_ANEW, g->offer && !goes_on && g->is_kept);
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

/* Without the word that it begins with, which the row itself says. */
static void append_short(const struct guide *g, struct fmt_buffer *out)
{
    static const char *const said[] = { "next: ", "bad: " };
    char text[128];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    const char *from = text;

    diagnosis_append_short(&g->state, &g->step, &g->end, &g->now, &b);
    for (unsigned i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        if (strncmp(text, said[i], strlen(said[i])) == 0)
            from = text + strlen(said[i]);
    }
    fmt_append(out, "%s: %s",
               g->situation != GUIDE_ENDED            ? "Find the bad module"
               : g->end.kind != DIAGNOSIS_END_MODULES ? "The search has ended"
               : g->end.bits & (g->end.bits - 1)      ? "The bad modules"
                                                      : "The bad module",
               from);
}

void guide_append_headline(const struct guide *g, struct fmt_buffer *out)
{
    char text[128] = "";
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    switch (g->situation) {
    case GUIDE_NONE: break;
    case GUIDE_OFFERED: fmt_append(&b, "Find the bad module, step by step"); break;
    case GUIDE_READY: fmt_append(&b, "Find the bad module: test what is fitted now"); break;
    case GUIDE_UNFINISHED: fmt_append(&b, "Find the bad module: the last test did not end"); break;
    case GUIDE_LOST: fmt_append(&b, "Find the bad module: it cannot go on"); break;
    case GUIDE_DAMAGED: fmt_append(&b, "Find the bad module: what was kept is damaged"); break;
    default: append_short(g, &b); break;
    }
    fmt_append(out, "%.72s", text);
}

static void append_damage(const struct guide *g, struct fmt_buffer *out)
{
    if (g->variable_why)
        fmt_append(out, "The state in the UEFI variable OkramDiagnosis cannot be used: %s.\n",
                   g->variable_why);
    if (g->file_why)
        fmt_append(out, "The state in \\okram\\diagnosis.bin cannot be used: %s.\n", g->file_why);
    if (g->record_why)
        fmt_append(out, "The result in the report of the last run could not be read: %s.\n",
                   g->record_why);
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

/* Where the line begins that is `back` lines before the end of the text. */
static const char *line_before(const char *text, size_t end, unsigned back)
{
    size_t at = end;

    for (unsigned n = 0; at && n < back; n++) {
        do {
            at--;
        } while (at && text[at - 1] != '\n');
    }
    return text + at;
}

/* The newest runs, the last one last. */
static void append_runs(const struct guide *g, struct fmt_buffer *out)
{
    static char text[8192];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    unsigned left_out = g->state.n_runs > RUNS_SHOWN ? g->state.n_runs - RUNS_SHOWN : 0;

    diagnosis_append_runs(&g->state, &b);
    if (left_out)
        fmt_append(out, "Tested so far, after %u more:\n", left_out);
    else
        fmt_append(out, "Tested so far:\n");
    fmt_append(out, "%s", line_before(text, b.length, RUNS_SHOWN));
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

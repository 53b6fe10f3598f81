// SPDX-License-Identifier: MIT
#include "guide.h"

#include "boot/uefi/menu/menu_model.h"
#include "diagnosis/observe.h"
#include "lib/string.h"

#define RUNS_SHOWN   4 /* the newest */
#define HEADLINE_MAX 72

static bool waits(const struct guide *g) /* for what was asked for */
{
    return g->situation == GUIDE_UNCHANGED || g->situation == GUIDE_CHANGED;
}

unsigned guide_choices(const struct guide *g, bool has_setup,
                       enum guide_choice ret_choice[GUIDE_CHOICES])
{
    bool is_ready = g->situation == GUIDE_READY, is_unchanged = g->situation == GUIDE_UNCHANGED;
    const struct {
        enum guide_choice choice;
        bool is_possible;
    } rows[] = {
        { GUIDE_START, is_ready || g->situation == GUIDE_CHANGED },
        { GUIDE_SETUP, waits(g) && has_setup && g->record.step.at.is_raised != g->now.is_raised },
        { GUIDE_POWER_OFF, is_ready || waits(g) },
        { GUIDE_DID_NOT_START, waits(g) && g->is_asked },
        { GUIDE_START, is_unchanged },
        { GUIDE_FORGET, g->situation != GUIDE_NONE && g->situation != GUIDE_OFFERED },
    };
    unsigned n = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is_possible)
            ret_choice[n++] = rows[i].choice;
    }
    return n;
}

const char *guide_choice_text(const struct guide *g, enum guide_choice choice)
{
    static const char *const texts[GUIDE_CHOICES] = {
        [GUIDE_START] = "Test it as it is now",
        [GUIDE_POWER_OFF] = "Switch the machine off",
        [GUIDE_SETUP] = "Restart into BIOS setup",
        [GUIDE_DID_NOT_START] = "The computer does not start with these modules",
        [GUIDE_FORGET] = "Forget the search for the bad module",
    };

    return choice == GUIDE_START && g->situation == GUIDE_READY ? "Start the test" : texts[choice];
}

void guide_append_headline(const struct guide *g, struct fmt_buffer *out)
{
    static const char *const texts[] = {
        [GUIDE_NONE] = "",
        [GUIDE_OFFERED] = "Find the bad module, step by step",
        [GUIDE_READY] = "Find the bad module: test what is fitted now",
        [GUIDE_UNCHANGED] = "Find the bad module. ",
        [GUIDE_CHANGED] = "Find the bad module. ",
        [GUIDE_ENDED] = "",
        [GUIDE_LOST] = "Find the bad module: it cannot go on",
        [GUIDE_DAMAGED] = "Find the bad module: what was kept is damaged",
    };
    bool has_summary = waits(g) || g->situation == GUIDE_ENDED;
    char text[HEADLINE_MAX + 1];

    fmt_print(text, sizeof(text), "%s%s", texts[g->situation],
              has_summary ? g->record.summary : "");
    fmt_append(out, "%s", text);
}

static void append_damage(const struct guide *g, struct fmt_buffer *out)
{
    if (g->why_not_kept)
        fmt_append(out, "The state in the UEFI variable OkramDiagnosis cannot be used: %s.\n",
                   g->why_not_kept);
    if (g->why_record)
        fmt_append(out, "The result in the report of the last run could not be read: %s.\n",
                   g->why_record);
    if (g->situation == GUIDE_DAMAGED)
        fmt_append(out, "So the search starts again: run a test, and once it has found faults it "
                        "is offered here.\n");
}

/* Each paragraph that there is. */
static void append_line(const char *begin, const char *text, struct fmt_buffer *out)
{
    if (text[0])
        fmt_append(out, "%s%s\n", begin, text);
}

static void append_step(const struct guide *g, struct fmt_buffer *out)
{
    char change[400] = "";
    struct fmt_buffer b = fmt_buffer_make(change, sizeof(change));

    if (!g->is_asked && g->state.n_runs == 1)
        append_line("",
                    "Addresses do not tell which module is bad: it is found by testing again "
                    "with other modules and settings. okram remembers what was tested; this can "
                    "be left at any time.",
                    out);
    else if (g->is_asked)
        diagnosis_append_change(&g->state, &g->record.step.at, &g->before, &g->now, &b);
    append_line("", change, out);
    if (g->situation == GUIDE_READY)
        append_line("", "What is fitted now is what was asked for.", out);
    else
        append_line(MENU_STRONG, g->record.next, out);
    fmt_append(out, "The test: up to %u passes of %s, fewer once %u of them had faults.\n",
               g->record.next_passes, g->state.tests[0] ? g->state.tests : "the usual tests",
               DIAGNOSIS_FAILURES_ENOUGH);
}

/* The newest runs, the last one last. */
static void append_runs(const struct guide *g, struct fmt_buffer *out)
{
    unsigned n = g->state.n_runs, left_out = n > RUNS_SHOWN ? n - RUNS_SHOWN : 0;
    const char *runs = g->record.history;

    for (unsigned i = 0; i < left_out; i++)
        runs = strchr(runs, '\n') + 1;
    if (left_out)
        fmt_append(out, "Tested so far, after %u more:\n%s", left_out, runs);
    else
        fmt_append(out, "Tested so far:\n%s", runs);
}

void guide_append_page(const struct guide *g, struct fmt_buffer *out)
{
    append_damage(g, out);
    if (g->situation == GUIDE_LOST)
        append_line("", diagnosis_refusal(g->fitted), out);
    if (g->situation == GUIDE_ENDED) {
        append_line(MENU_STRONG, g->record.found, out);
        append_line("", g->record.reasons, out);
    }
    if (g->situation == GUIDE_READY || waits(g))
        append_step(g, out);
    if (g->situation == GUIDE_READY || waits(g) || g->situation == GUIDE_ENDED)
        append_runs(g, out);
}

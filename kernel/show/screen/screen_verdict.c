// SPDX-License-Identifier: MIT
#include "screen/screen_verdict.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/grid.h"

#define ONE_BY_ONE "To find a bad module, test the modules one by one, each in the same slot."

static void say(struct screen_verdict *v, const char *what, const char *first, const char *second)
{
    string_copy(v->what, what, sizeof(v->what));
    string_copy(v->advice[0], first, sizeof(v->advice[0]));
    string_copy(v->advice[1], second, sizeof(v->advice[1]));
}

/* By what the bad pages are left alone. */
static const char *advice_of(enum badram_use use)
{
    switch (use) {
    case BADRAM_WORKS: break;
    case BADRAM_IGNORED:
        return "Secure Boot is on, and GRUB then ignores the badram line: install the guard, in "
               "okram's menu at its next start, or give Linux the memmap line (key l).";
    case BADRAM_IGNORED_NO_GUARD:
        return "Secure Boot is on, and GRUB then ignores the badram line: give Linux the memmap "
               "line (key l) instead.";
    case BADRAM_FALLS_SHORT:
        return "GRUB on BIOS would leave some bad pages in use with the badram line: give Linux "
               "the memmap line (key l) instead.";
    }
    return "Write the text after badram= into GRUB_BADRAM=\"\" in /etc/default/grub, and run "
           "update-grub: Linux then avoids the bad pages.";
}

static void say_fail(const struct screen_state *s, struct screen_verdict *v)
{
    const struct event_result *r = &s->result;
    const char *one_by_one = s->has_diagnosis ? "" : ONE_BY_ONE;
    char what[120], bits[40];
    struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));

    v->big = "FAIL";
    v->colour = COLOUR(WHITE, RED);
    format_text_append_failing_bits(&b, r->failing_bits, r->is_encrypted);
    fmt_print(what, sizeof(what), "FAIL: %lu bad page%s, %lu fault%s, bits %s", r->bad_pages,
              fmt_plural(r->bad_pages), r->faults, fmt_plural(r->faults), bits);
    if (s->badram.line[0])
        say(v, what, advice_of(s->badram.use), one_by_one);
    else
        say(v, what, "No badram line can be made for this: the memory has to be replaced.",
            one_by_one);
}

/* ECC's errors have no page: only the module can be changed. */
static void say_errors(const struct screen_state *s, struct screen_verdict *v, const char *what)
{
    struct fmt_buffer second;

    say(v, what,
        "No badram line can be made: the hardware did not say which page the errors were in.", "");
    second = fmt_buffer_make(v->advice[1], sizeof(v->advice[1]));
    if (s->channels[0])
        fmt_append(&second, "By channel: %s. ", s->channels);
    fmt_append(&second, "Reseat the modules; if errors come back, test them one by one.");
}

static void say_corrected(const struct screen_state *s, struct screen_verdict *v)
{
    char what[120];
    struct fmt_buffer b = fmt_buffer_make(what, sizeof(what));

    format_text_append_corrected(&b, &s->result);
    v->big = "ECC";
    v->colour = COLOUR(BLACK, BROWN);
    say_errors(s, v, what);
}

static void say_uncorrected(const struct screen_state *s, struct screen_verdict *v)
{
    char what[120];
    struct fmt_buffer b = fmt_buffer_make(what, sizeof(what));

    format_text_append_uncorrected(&b, &s->result);
    v->big = "FAIL";
    v->colour = COLOUR(WHITE, RED);
    say_errors(s, v, what);
}

static void say_pass(const struct screen_state *s, struct screen_verdict *v)
{
    v->big = "PASS";
    v->colour = COLOUR(WHITE, GREEN);
    say(v, "PASS: no fault found", "No badram line is needed.",
        s->has_diagnosis ? ""
                         : "If the machine still crashes, run tests=thorough for a night, then "
                           "suspect other parts.");
    if (s->unpaired_bytes)
        fmt_print(v->advice[1], sizeof(v->advice[1]),
                  "%s of it was never tested together with the rest: faults may be missed.",
                  FMT_SIZE(s->unpaired_bytes));
}

static void say_unseen(const struct screen_state *s, struct screen_verdict *v)
{
    char what[120];
    struct fmt_buffer b = fmt_buffer_make(what, sizeof(what));

    fmt_append(&b, "PASS, BUT INCOMPLETE: ");
    format_text_append_unseen(&b, &s->result.unseen);
    say(v, what, "",
        "Reseat the modules, and see which of them BIOS setup lists. Much memory for graphics, or "
        "mirroring, looks the same: see there, too.");
    fmt_print(v->advice[0], sizeof(v->advice[0]),
              "Firmware lists modules of %s, but only %s of memory. No fault was found in what was "
              "tested.",
              FMT_SIZE(s->installed_bytes), FMT_SIZE(s->ram_bytes));
}

static void say_incomplete(const struct screen_state *s, struct screen_verdict *v)
{
    v->big = "PARTIAL";
    v->colour = COLOUR(BLACK, BROWN);
    if (s->result.all_tested) {
        say_unseen(s, v);
        return;
    }
    say(v, "PASS, BUT INCOMPLETE: no fault found in the memory tested",
        "Less than 99 % of the selected memory was tested.",
        "What was not tested, and why, is listed above and in the warnings; fix that and test "
        "again.");
}

static void say_stopped(const struct screen_state *s, struct screen_verdict *v)
{
    char what[120];

    v->big = "STOPPED";
    v->colour = COLOUR(BLACK, BROWN);
    fmt_print(what, sizeof(what), "STOPPED: %s", s->by_tests);
    say(v, what, "Only a complete pass is a full test.",
        "Start okram again, and let it run until the result appears.");
}

static void say_error(const struct screen_state *s, struct screen_verdict *v)
{
    const char *what = format_text_error(s->reason);

    v->big = "ERROR";
    v->colour = COLOUR(WHITE, RED);
    if (strcmp(s->reason, REASON_INTERNAL_ERROR) == 0)
        say(v, what, "The memory may be good or bad: the warnings say what happened.",
            format_text_report_it);
    else
        say(v, what, "This is not a result of the memory test: the memory may be good or bad.",
            "Read the warnings, correct range=, nodes= and cpus= if they are given, and test "
            "again.");
}

static void say_kind(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->kind, sizeof(v->kind));

    if (!s->kind[0])
        return;
    fmt_append(&b, "Kind of fault, %s", s->kind);
    if (s->chip[0])
        fmt_append(&b, "; %s", s->chip);
    if (s->by_channel[0])
        fmt_append(&b, "; %s", s->by_channel);
    fmt_append(&b, " (%s)", s->kind_evidence);
}

static void say_tested(const struct screen_state *s, struct screen_verdict *v)
{
    const struct event_result *r = &s->result;
    struct fmt_buffer tested = fmt_buffer_make(v->tested, sizeof(v->tested));
    struct fmt_buffer untested = fmt_buffer_make(v->untested, sizeof(v->untested));

    fmt_append(&tested, "Tested: %s, %u complete pass%s in ", FMT_SIZE(r->tested_bytes), r->passes,
               r->passes == 1 ? "" : "es");
    format_text_append_duration(&tested, r->seconds);
    if (r->stopped && r->passes)
        fmt_append(&tested, "; then stopped");
    fmt_append(&untested, "Not tested: %s", FMT_SIZE(r->untested_bytes));
    if (*s->untested_why)
        fmt_append(&untested, " (%s)", s->untested_why);
}

static void say_excluded(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->excluded, sizeof(v->excluded));

    if (!s->result.excluded.reads)
        return;
    fmt_append(&b,
               "Excluded: each cell was read %lu times, so a fault that shows in more than 1 "
               "of %lu read%s (95 %%); ",
               s->result.excluded.reads, s->result.excluded.one_in,
               fmt_plural(s->result.excluded.one_in));
    format_text_append_rate(&b, &s->result.excluded);
}

static void say_kept(const struct screen_state *s, struct screen_verdict *v)
{
    switch (s->kept.phase) {
    case KEPT_NOT_ASKED: break;
    case KEPT_BEGUN:
        fmt_print(v->advice[2], sizeof(v->advice[2]), "Keeping the report ... %s",
                  s->kept.keys_wait ? "Keys are answered when that is done."
                                    : "A restart (key x) waits until that is done.");
        break;
    case KEPT_DONE:
        fmt_print(v->advice[2], sizeof(v->advice[2]),
                  "This report is kept: %s, and okram writes it to a file on the stick.",
                  s->kept.boots_okram ? "restart (key x)" : "start okram again");
        break;
    case KEPT_FAILED:
        string_copy(v->advice[2], "This report is not kept: photograph it; the warnings say why.",
                    sizeof(v->advice[2]));
        break;
    }
}

/* The loader's menu goes on with a report that is kept; else a person types the options. */
static bool is_typed(const struct screen_state *s)
{
    return s->kept.phase != KEPT_BEGUN && s->kept.phase != KEPT_DONE;
}

static void say_module(const struct screen_state *s, struct screen_verdict *v)
{
    const struct diagnosis_record *d = &s->diagnosis;

    v->module[0] = v->module_short[0] = v->options[0] = 0;
    if (!s->has_diagnosis)
        return;
    fmt_print(v->module_short, sizeof(v->module_short), "Which module, run %u: %s", d->runs,
              d->summary);
    if (d->end) {
        fmt_print(v->module, sizeof(v->module), "%s %s", d->found, d->reasons);
        return;
    }
    fmt_print(v->module, sizeof(v->module), "Which module it is: %s", d->next);
    if (is_typed(s))
        fmt_print(v->options, sizeof(v->options), "Options of that run: %s", d->words);
    else
        string_copy(v->options, "okram's menu then offers to go on with it.", sizeof(v->options));
}

void screen_verdict_make(const struct screen_state *s, struct screen_verdict *ret_verdict)
{
    struct screen_verdict *v = ret_verdict;

    v->advice[2][0] = 0;
    if (strcmp(s->status, "corrected") == 0)
        say_corrected(s, v);
    else if (strcmp(s->status, "fail") == 0 && !s->result.bad_pages && !s->result.faults)
        say_uncorrected(s, v);
    else if (strcmp(s->status, "fail") == 0)
        say_fail(s, v);
    else if (strcmp(s->status, "pass") == 0 && s->result.complete)
        say_pass(s, v);
    else if (strcmp(s->status, "pass") == 0)
        say_incomplete(s, v);
    else if (strcmp(s->status, "stopped") == 0)
        say_stopped(s, v);
    else
        say_error(s, v);
    say_kind(s, v);
    say_tested(s, v);
    say_excluded(s, v);
    say_kept(s, v);
    say_module(s, v);
}

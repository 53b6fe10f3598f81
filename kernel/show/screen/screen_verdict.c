// SPDX-License-Identifier: MIT
#include "screen/screen_blocks.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "display/grid.h"

static void say_fail(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->what, sizeof(v->what));

    v->big = "FAIL";
    v->colour = COLOUR(WHITE, RED);
    format_text_append_fail(&b, &s->result, "bits ");
}

static void say_corrected(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->what, sizeof(v->what));

    format_text_append_corrected(&b, &s->result);
    v->big = "ERRORS CORRECTED";
    v->colour = COLOUR(BLACK, BROWN);
}

static void say_uncorrected(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->what, sizeof(v->what));

    format_text_append_uncorrected(&b, &s->result);
    v->big = "FAIL";
    v->colour = COLOUR(WHITE, RED);
}

static void say_pass(const struct screen_state *s, struct screen_verdict *v)
{
    v->big = "PASS";
    v->colour = COLOUR(WHITE, GREEN);
    string_copy(v->what, "PASS: no fault found", sizeof(v->what));
}

/* A pass of the part that range=, nodes= and lowmem= leave. */
static void say_part(const struct screen_state *s, struct screen_verdict *v)
{
    v->big = "PARTIAL";
    v->colour = COLOUR(BLACK, BROWN);
    fmt_print(v->what, sizeof(v->what), "PASS of %s of %s: no fault found there",
              FMT_SIZE(s->result.tested_bytes), FMT_SIZE(s->result.part_of_bytes));
}

static void say_incomplete(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->what, sizeof(v->what));

    v->big = "PARTIAL";
    v->colour = COLOUR(BLACK, BROWN);
    fmt_append(&b, "PASS");
    if (s->result.part_of_bytes)
        fmt_append(&b, " of %s of %s", FMT_SIZE(s->result.tested_bytes),
                   FMT_SIZE(s->result.part_of_bytes));
    fmt_append(&b, ", BUT ");
    if (s->result.all_tested && !s->result.unseen.missing_bytes) {
        format_text_append_hidden(&b, s->result.hidden_pages);
        return;
    }
    fmt_append(&b, "INCOMPLETE: ");
    if (!s->result.all_tested)
        fmt_append(&b, "no fault found in the part tested, less than 99 %% of the selected memory");
    else
        format_text_append_unseen(&b, &s->result.unseen);
}

static void say_stopped(const struct screen_state *s, struct screen_verdict *v)
{
    const uint32_t n = s->result.skipped_tests;
    struct fmt_buffer b = fmt_buffer_make(v->what, sizeof(v->what));

    v->big = s->result.stopped ? "STOPPED" : "PARTIAL";
    v->colour = COLOUR(BLACK, BROWN);
    if (n)
        fmt_append(&b, "%s: %u test%s skipped, so no whole pass; %s", v->big, n,
                   n == 1 ? " was" : "s were", s->by_tests);
    else
        fmt_append(&b, "%s: %s", v->big, s->by_tests);
}

static void say_error(const struct screen_state *s, struct screen_verdict *v)
{
    v->big = "ERROR";
    v->colour = COLOUR(WHITE, RED);
    fmt_print(v->what, sizeof(v->what), "ERROR: %s", reason_sentence(s->result.reason));
}

/*
 * A run of a search for the bad module: what counts is how the search goes on, or what it has
 * found. That this arrangement has a fault or none is a step on the way. Nor does a pass count by
 * itself where a CPU or another start failed.
 */
static void say_headline(const struct screen_state *s, struct screen_verdict *v)
{
    const struct diagnosis_record *d = &s->diagnosis;
    const char *headline = s->diagnosis_has_begun ? d->headline : s->headline;
    char what[sizeof(v->what)];

    if (!headline || s->result.verdict == VERDICT_ERROR)
        return;
    string_copy(what, v->what, sizeof(what));
    fmt_print(v->what, sizeof(v->what), "%s. This run: %s", headline, what);
    v->big = headline;
    v->colour = !s->diagnosis_has_begun ? COLOUR(WHITE, RED)
                : d->end                ? COLOUR(WHITE, MAGENTA)
                                        : COLOUR(WHITE, BLUE);
}

static void say_kind(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->kind, sizeof(v->kind));

    if (s->channels[0])
        fmt_append(&b, "By channel: %s. ", s->channels);
    if (!s->kind[0])
        return;
    fmt_append(&b, "Kind of fault%s", s->kind);
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

    if (s->result.verdict == VERDICT_ERROR)
        fmt_append(&tested, "Tested: %s, in ",
                   r->tested_bytes ? FMT_SIZE(r->tested_bytes) : "nothing");
    else
        fmt_append(&tested, "Tested: %s, %u complete pass%s in ", FMT_SIZE(r->tested_bytes),
                   r->passes, r->passes == 1 ? "" : "es");
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

    if (s->starts[0])
        fmt_append(&b, "By start: %s. ", s->starts);
    if (s->result.rate.moved_bytes) {
        fmt_append(&b, "Stability: ");
        error_rate_append_result(&b, &s->result.rate);
        fmt_append(&b, ".");
    }
    if (s->starts[0] || s->result.rate.moved_bytes || !s->result.excluded.reads)
        return;
    if (s->result.excluded.one_in > 2)
        fmt_append(&b, "A fault that shows in fewer than 1 of %lu reads may have been missed.",
                   s->result.excluded.one_in);
    else
        fmt_append(&b, "A fault that shows in fewer than %s reads may have been missed.",
                   s->result.excluded.one_in == 2 ? "half of all" : "all");
    fmt_append(&b, " Longer tests find more.");
}

/* The file of the report on the stick. Returns whether the report is there. */
static bool say_stick(const struct screen_state *s, struct fmt_buffer *b)
{
    switch (s->stick.phase) {
    case KEPT_NOT_ASKED: break;
    case KEPT_BEGUN:
        fmt_append(b, "Writing the report onto the stick: okram\\%s ... Leave it in.",
                   s->stick.file);
        break;
    case KEPT_DONE:
        fmt_append(b, "This report is on the stick: okram\\%s, a page for any browser",
                   s->stick.file);
        break;
    case KEPT_FAILED: break; /* the warning says why */
    }
    return s->stick.phase == KEPT_DONE;
}

/* Of cycles= a warning says what happens. */
static const char *how_to_leave(const struct screen_state *s)
{
    return s->restarts                                  ? ""
           : s->kept.boots_okram && !s->is_without_keys ? ": switch off or restart (key x)"
                                                        : ": you may switch off";
}

static void say_kept(const struct screen_state *s, struct screen_verdict *v)
{
    struct fmt_buffer b = fmt_buffer_make(v->kept, sizeof(v->kept));
    bool on_stick = say_stick(s, &b);

    switch (s->kept.phase) {
    case KEPT_NOT_ASKED: fmt_append(&b, on_stick ? "." : ""); break;
    case KEPT_BEGUN:
        fmt_append(&b, "%s ... Do not switch off yet.%s",
                   on_stick ? "; UEFI keeps it, too" : "Keeping the report",
                   s->is_without_keys  ? ""
                   : s->kept.keys_wait ? " Keys are answered when that is done."
                                       : " A restart (key x) waits until that is done.");
        break;
    case KEPT_DONE:
        if (on_stick)
            fmt_append(&b, ", and kept by UEFI%s.", how_to_leave(s));
        else
            fmt_append(&b,
                       "This report is kept%s. At its next start okram writes it to a file on "
                       "the stick.",
                       how_to_leave(s));
        break;
    case KEPT_FAILED:
        fmt_append(&b, on_stick ? "; UEFI does not keep it: the warnings say why."
                                : "This report is not kept: photograph it; the warnings say why.");
        break;
    }
}

/* The loader's menu goes on with a report that is kept; else a person types the options. */
static bool is_typed(const struct screen_state *s)
{
    return s->kept.phase != KEPT_BEGUN && s->kept.phase != KEPT_DONE;
}

static void say_diagnosis(const struct screen_state *s, struct screen_verdict *v)
{
    const struct diagnosis_record *d = &s->diagnosis;

    v->advice_short[0] = v->options[0] = 0;
    if (!s->has_diagnosis)
        return;
    if (s->diagnosis_has_begun)
        fmt_print(v->advice_short, sizeof(v->advice_short),
                  "%s (after %u run%s). Key s shows it all.", d->summary, d->runs,
                  fmt_plural(d->runs));
    if (d->words[0] && is_typed(s))
        fmt_print(v->options, sizeof(v->options), "Options for that start: %s", d->words);
}

void screen_verdict_make(const struct screen_state *s, struct screen_verdict *ret_verdict)
{
    struct screen_verdict *v = ret_verdict;

    v->advice = s->advice;
    v->kept[0] = 0;
    if (s->result.verdict == VERDICT_CORRECTED)
        say_corrected(s, v);
    else if (s->result.verdict == VERDICT_FAIL && !s->result.bad_pages && !s->result.faults)
        say_uncorrected(s, v);
    else if (s->result.verdict == VERDICT_FAIL)
        say_fail(s, v);
    else if (s->result.verdict == VERDICT_PASS && s->result.complete && s->result.part_of_bytes)
        say_part(s, v);
    else if (s->result.verdict == VERDICT_PASS && s->result.complete)
        say_pass(s, v);
    else if (s->result.verdict == VERDICT_PASS)
        say_incomplete(s, v);
    else if (s->result.verdict == VERDICT_STOPPED)
        say_stopped(s, v);
    else
        say_error(s, v);
    say_headline(s, v);
    say_kind(s, v);
    say_tested(s, v);
    say_excluded(s, v);
    say_kept(s, v);
    say_diagnosis(s, v);
}

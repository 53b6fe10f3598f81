// SPDX-License-Identifier: MIT
/* The rows of the main page that show progress and, in the end, the result. */
#include "screen/screen_layout.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/phrases.h"

#define BAR         16
#define BAR_WIDTH   36
#define PERCENT_END 59

static void paint_bar(struct grid *g, unsigned row, const char *label, double part)
{
    grid_text(g, MARGIN, row, 14, PLAIN, label);
    grid_bar(g, BAR, row, BAR_WIDTH, part, GOOD, DIM);
    grid_print_right(g, PERCENT_END, row, STRONG, "%u %%", phrases_percent(part));
}

static void paint_clock(struct grid *g, unsigned row, const char *label, double seconds)
{
    char text[24];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (seconds < 0)
        fmt_append(&b, "unknown");
    else
        phrases_append_duration(&b, seconds);
    grid_print_right(g, END - 10, row, PLAIN, "%s", label);
    grid_print_right(g, END, row, STRONG, "%s", text);
}

/* Of the whole run: by passes, or by the clock when only time= ends it. */
static double run_part(const struct event_progress *p, double pass_part)
{
    if (p->passes)
        return ((double)p->pass - 1 + pass_part) / p->passes;
    return p->seconds_left >= 0 ? p->seconds / (p->seconds + p->seconds_left) : 0;
}

void screen_paint_progress(const struct screen_state *s, struct grid *g,
                           const struct screen_layout *l)
{
    const struct event_progress *p = &s->progress;
    unsigned row = l->verdict;
    double part = phrases_part_of_pass(p);
    char label[24];

    screen_paint_heading(g, row, "Test", "");
    if (!s->has_progress) {
        grid_text(g, MARGIN, row + 1, WIDTH, PLAIN, "Starting");
        return;
    }
    paint_clock(g, row + 2, "elapsed", p->seconds);
    if (strcmp(s->phase, "test") != 0) {
        grid_print(g, MARGIN, row + 1, PLAIN, "Now: %s",
                   strcmp(s->phase, "bandwidth") == 0 ? "measuring bandwidth" : s->phase);
        return;
    }
    grid_text(g, MARGIN, row + 1, 14, PLAIN, "Test");
    grid_text(g, BAR, row + 1, BAR_WIDTH - 4, STRONG, s->test);
    grid_print_right(g, PERCENT_END, row + 1, PLAIN, "%u of %u", p->test_index + 1, p->n_tests);
    grid_print_right(g, END, row + 1, STRONG, "%.0f MB/s", p->mb_s);
    if (p->passes)
        fmt_print(label, sizeof(label), "Pass %u of %u", p->pass, p->passes);
    else
        fmt_print(label, sizeof(label), "Pass %u", p->pass);
    paint_bar(g, row + 2, label, part);
    if (p->passes || p->seconds_left >= 0)
        paint_bar(g, row + 3, "Whole run", run_part(p, part));
    else
        grid_text(g, BAR, row + 3, BAR_WIDTH, PLAIN, "until stopped");
    paint_clock(g, row + 3, "left", p->seconds_left);
}

static void append_tested(struct fmt_buffer *b, const struct event_result *r)
{
    fmt_append(b, "Tested: ");
    fmt_append_size(b, r->tested_bytes);
    fmt_append(b, ", %u complete pass%s in ", r->passes, r->passes == 1 ? "" : "es");
    phrases_append_duration(b, r->seconds);
    if (r->stopped && r->passes)
        fmt_append(b, "; then stopped");
}

static void append_untested(struct fmt_buffer *b, const struct screen_state *s)
{
    fmt_append(b, "Not tested: ");
    fmt_append_size(b, s->result.untested_bytes);
    if (*s->untested_why)
        fmt_append(b, " (%s)", s->untested_why);
}

static void append_advice(struct fmt_buffer *b, const struct screen_state *s)
{
    if (!s->apart_bytes) {
        fmt_append(b, "No badram line is needed.");
        return;
    }
    fmt_append_size(b, s->apart_bytes);
    fmt_append(b, " of it was never tested together with the rest: faults may be missed.");
}

void screen_paint_verdict(const struct screen_state *s, struct grid *g,
                          const struct screen_layout *l)
{
    const struct event_result *r = &s->result;
    unsigned row = l->verdict;
    char text[240];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    uint8_t colour = COLOUR(WHITE, RED);
    const char *word = "E R R O R", *what = "no memory could be tested",
               *advice = "This says nothing about the memory, which may be good or bad.";
    char found[80], pass_advice[120];
    struct fmt_buffer advised = fmt_buffer_make(pass_advice, sizeof(pass_advice));

    if (strcmp(s->status, "fail") == 0) {
        fmt_print(found, sizeof(found), "%lu bad page%s, %lu fault%s", r->bad_pages,
                  fmt_plural(r->bad_pages), r->faults, fmt_plural(r->faults));
        word = "F A I L";
        what = found;
        advice = "In /etc/default/grub: GRUB_BADRAM=\"text after badram=\", then run update-grub";
    } else if (strcmp(s->status, "pass") == 0 && r->complete) {
        append_advice(&advised, s);
        colour = COLOUR(WHITE, GREEN);
        word = "P A S S";
        what = "no fault found";
        advice = pass_advice;
    } else if (strcmp(s->status, "pass") == 0) {
        colour = COLOUR(BLACK, BROWN);
        word = "P A S S ,   B U T   I N C O M P L E T E";
        what = "no fault found in the memory tested";
        advice = "Less than 99 % of the selected memory was tested.";
    } else if (strcmp(s->status, "stopped") == 0) {
        colour = COLOUR(BLACK, BROWN);
        word = "S T O P P E D";
        what = s->by_tests;
        advice = "Only a complete pass is a full test.";
    }
    grid_fill(g, 0, l->verdict - l->gap, g->columns, VERDICT_ROWS + 2 * l->gap, ' ', colour);
    grid_print(g, MARGIN, row, colour, "%s    %s", word, what);
    append_tested(&b, r);
    grid_text(g, MARGIN, row + 1, WIDTH, colour, text);
    b = fmt_buffer_make(text, sizeof(text));
    append_untested(&b, s);
    grid_text(g, MARGIN, row + 2, WIDTH, colour, text);
    grid_text(g, MARGIN, row + 3, WIDTH, colour, advice);
}

// SPDX-License-Identifier: MIT
/* The rows of the main page that show progress and, in the end, the result. */
#include "screen/screen_layout.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_modules.h"
#include "screen/screen_side_panels.h"
#include "screen/screen_verdict.h"

#define BAR         16
#define BAR_WIDTH   36
#define PERCENT_END 59

static void paint_bar(struct grid *g, unsigned row, const char *label, double part)
{
    grid_text(g, MARGIN, row, 14, PLAIN, label);
    grid_bar(g, BAR, row, BAR_WIDTH, part, GOOD, DIM);
    grid_print_right(g, PERCENT_END, row, STRONG, "%u %%", format_text_percent(part));
}

static void paint_clock(struct grid *g, unsigned row, const char *label, double seconds)
{
    char text[24];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (seconds < 0)
        fmt_append(&b, "unknown");
    else
        format_text_append_duration(&b, seconds);
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
    double part = format_text_part_of_pass(p);
    char label[24], temperatures[SCREEN_TEMPERATURES_SIZE] = "";

    if (g->columns < SCREEN_WIDE_COLUMNS) /* else next to this */
        screen_modules_temperatures(s, temperatures);
    screen_paint_heading(g, row, "Test", temperatures);
    if (!s->has_progress) {
        grid_text(g, MARGIN, row + 1, WIDTH, PLAIN, "Starting");
        return;
    }
    if (strcmp(s->phase, PROGRESS_WRONG_OPTIONS) == 0) {
        grid_text(g, MARGIN, row + 1, WIDTH, BAD, "OPTIONS ARE WRONG: READ THE WARNINGS BELOW");
        grid_text(g, MARGIN, row + 2, WIDTH, STRONG,
                  "The tests begin in 10 s, without these words. q: stop now.");
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

void screen_paint_verdict(const struct screen_state *s, struct grid *g,
                          const struct screen_layout *l)
{
    unsigned columns = g->columns >= SCREEN_WIDE_COLUMNS ? GRID_COLUMNS_MIN : g->columns;
    unsigned row = l->verdict;
    struct screen_verdict v;

    screen_verdict_make(s, &v);
    grid_fill(g, 0, l->verdict - l->gap, columns, VERDICT_ROWS + 2 * l->gap, ' ', v.colour);
    grid_text(g, MARGIN, row, WIDTH, v.colour, v.what);
    grid_text(g, MARGIN, row + 1, WIDTH, v.colour, v.tested);
    grid_text(g, MARGIN, row + 2, WIDTH, v.colour, v.untested);
    grid_text(g, MARGIN, row + 3, WIDTH, v.colour, v.advice);
}

// SPDX-License-Identifier: MIT
#include "screen/screen_main.h"

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_blocks.h"
#include "screen/screen_modules.h"
#include "screen/screen_pages.h"
#include "screen/screen_picture.h"

#define ROWS_USUAL     25 /* of a text screen */
#define GAPS           4  /* empty rows between sections, when there is room for them and */
#define COMFORT_FAULTS 5  /* for these many fault rows */
#define CLEAN_WARNINGS 8  /* rows for warnings while no fault needs them: two of full length */
#define VERDICT_ROWS   4
#define STRIP_LEFT     8  /* rows for warnings, line and faults from which on one is for all RAM */
#define HIGH_ROWS      40 /* from so many rows on, what a wide grid has next to the page is below */

/* All in rows. */
struct layout {
    unsigned nodes, n_nodes;
    unsigned verdict; /* heading and progress, or the verdict */
    unsigned errors, n_faults;
    unsigned line, n_line;
    unsigned warnings, n_warnings;
    unsigned gap;   /* empty rows between sections */
    unsigned strip; /* of all RAM, where there is no gap for it */
};

static unsigned clamp(size_t x, size_t low, size_t high)
{
    return (unsigned)(x < low ? low : x > high ? high : x);
}

/* Rows for warnings at most, of `left` that these, the badram line and the faults have together. */
static unsigned warnings_max(bool clean, unsigned n_nodes, unsigned left, unsigned more_rows)
{
    if (clean)
        return (unsigned)min_u64(left - 1, CLEAN_WARNINGS + more_rows);
    return (n_nodes <= 2 ? 4 : n_nodes <= 5 ? 2 : 1) + more_rows / 2;
}

/* On `rows` rows, of which the last is for the keys. */
static struct layout lay_out(const struct screen_state *s, unsigned rows)
{
    const unsigned more_rows = rows > ROWS_USUAL ? rows - ROWS_USUAL : 0;
    const bool clean = !s->n_faults && !s->bad_pages;
    const unsigned faults_min = clean ? 0 : s->has_result ? 1 : 2;
    const size_t line_rows = screen_line_rows(s);
    struct layout l = { 0 };
    unsigned left;

    l.n_nodes = clamp(s->n_nodes, 1, SCREEN_NODES_MAX - (rows < ROWS_USUAL));
    /* A heading for nodes, one for the badram line. */
    left = rows - 1 - (ROW_MEMORY + 1 + 1 + l.n_nodes + VERDICT_ROWS + ERROR_ROWS + 1);
    l.strip = left >= STRIP_LEFT && !s->has_result && screen_picture_rows(s, WIDTH);
    left -= l.strip;
    l.n_warnings =
        clamp(screen_warning_rows(s), 0, warnings_max(clean, l.n_nodes, left, more_rows));
    left -= l.n_warnings;
    if (left >=
        GAPS + (clean && s->has_result ? 0 : COMFORT_FAULTS) + (line_rows < 2 ? 2 : line_rows)) {
        l.gap = 1;
        left -= GAPS - l.strip; /* which is then in a gap */
        l.strip = 0;
    }
    l.n_line = clamp(line_rows, left < 2 ? left : 2, left - faults_min);
    l.n_faults = left - l.n_line;

    l.nodes = ROW_MEMORY + 1 + l.gap;
    l.verdict = l.nodes + 1 + l.n_nodes + l.gap;
    l.errors = l.verdict + VERDICT_ROWS + l.gap + l.strip;
    l.line = l.errors + ERROR_ROWS + l.n_faults + l.gap;
    l.warnings = l.line + 1 + l.n_line;
    return l;
}

/* The slowest of the other nodes' CPUs; 0: not measured. */
static double remote_rate(const struct screen_measured *m, enum stream_op op, size_t own)
{
    double slowest = 0;

    for (size_t i = 0; i < NODES_MAX; i++) {
        double mb_s = m->rate[op][i][own].mb_s;

        if (i != own && mb_s > 0 && (!(slowest > 0) || mb_s < slowest))
            slowest = mb_s;
    }
    return slowest;
}

static void paint_nodes(const struct screen_state *s, struct grid *g, const struct layout *l)
{
    enum { RAM = 36, READ = 47, READ_OTHER = 57, WRITE = 69, WRITE_OTHER = 79 };
    unsigned row = l->nodes;
    bool several = s->n_nodes > 1;
    const struct screen_measured *m = &s->measured;

    grid_fill(g, AREA(MARGIN, row, WIDTH, 1), CELL(GLYPH_RULE, DIM));
    grid_print(g, AT(MARGIN + 2, row), HEADING, " Node ");
    grid_print(g, AT(10, row), HEADING, " CPUs ");
    grid_print_right(g, AT(RAM + 1, row), HEADING, " RAM ");
    grid_print_right(g, AT(READ + 1, row), HEADING, " read MB/s ");
    grid_print_right(g, AT(WRITE + 1, row), HEADING, " write MB/s ");
    if (several) {
        grid_print_right(g, AT(READ_OTHER + 1, row), HEADING, " remote ");
        grid_print_right(g, AT(WRITE_OTHER, row), HEADING, " remote");
    }
    for (size_t i = 0; i < s->n_nodes && i < l->n_nodes; i++) {
        const struct screen_node *n = &s->node[i];

        row++;
        if (i + 1 == l->n_nodes && s->n_nodes > l->n_nodes) {
            grid_print(g, AT(MARGIN + 3, row), PLAIN, "and %zu more nodes, in the report",
                       s->n_nodes - i);
            return;
        }
        grid_print_right(g, AT(MARGIN + 7, row), STRONG, "%u", n->node);
        grid_print(g, AT(11, row), STRONG, "%s", n->cpus);
        grid_print_right(g, AT(RAM, row), STRONG, "%s", FMT_SIZE(n->ram_bytes));
        screen_paint_figure(g, AT(READ, row), STRONG, 0, m->rate[STREAM_READ][i][i].mb_s);
        screen_paint_figure(g, AT(WRITE, row), STRONG, 0, m->rate[STREAM_WRITE][i][i].mb_s);
        if (several) {
            screen_paint_figure(g, AT(READ_OTHER, row), STRONG, 0, remote_rate(m, STREAM_READ, i));
            screen_paint_figure(g, AT(WRITE_OTHER, row), STRONG, 0,
                                remote_rate(m, STREAM_WRITE, i));
        }
    }
}

#define BAR         16
#define BAR_WIDTH   36
#define PERCENT_END 59

static void paint_bar(struct grid *g, unsigned row, const char *label, double part)
{
    grid_text(g, AT(MARGIN, row), 14, PLAIN, label);
    grid_bar(g, AREA(BAR, row, BAR_WIDTH, 1), part, GOOD, DIM);
    grid_print_right(g, AT(PERCENT_END, row), STRONG, "%u %%", format_text_percent(part));
}

static void paint_clock(struct grid *g, unsigned row, const char *label, double seconds)
{
    char text[24];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (seconds < 0)
        fmt_append(&b, "unknown");
    else
        format_text_append_duration(&b, seconds);
    grid_print_right(g, AT(END - 10, row), PLAIN, "%s", label);
    grid_print_right(g, AT(END, row), STRONG, "%s", text);
}

/* Of the whole run: by passes, or by the clock when only time= ends it. */
static double run_part(const struct event_progress *p, double pass_part)
{
    if (p->passes)
        return ((double)p->pass - 1 + pass_part) / p->passes;
    return p->seconds_left >= 0 ? p->seconds / (p->seconds + p->seconds_left) : 0;
}

static void paint_progress(const struct screen_state *s, struct grid *g, const struct layout *l)
{
    const struct event_progress *p = &s->progress;
    unsigned row = l->verdict;
    double part = format_text_part_of_pass(p);
    char label[24], temperatures[SCREEN_TEMPERATURES_SIZE] = "";

    if (g->columns < SCREEN_WIDE_COLUMNS) /* else next to this */
        screen_modules_temperatures(s, temperatures);
    screen_paint_heading(g, row, "Test", temperatures);
    if (!s->has_progress) {
        grid_text(g, AT(MARGIN, row + 1), WIDTH, PLAIN, "Starting");
        return;
    }
    if (strcmp(s->phase, PROGRESS_WRONG_OPTIONS) == 0) {
        grid_text(g, AT(MARGIN, row + 1), WIDTH, BAD, "OPTIONS ARE WRONG: READ THE WARNINGS BELOW");
        grid_text(g, AT(MARGIN, row + 2), WIDTH, STRONG,
                  "The tests begin in 10 s, without these options. q: stop now.");
        return;
    }
    paint_clock(g, row + 2, "elapsed", p->seconds);
    if (strcmp(s->phase, "test") != 0) {
        grid_print(g, AT(MARGIN, row + 1), PLAIN, "Now: %s",
                   strcmp(s->phase, "bandwidth") == 0 ? "measuring bandwidth" : s->phase);
        return;
    }
    grid_text(g, AT(MARGIN, row + 1), 14, PLAIN, "Test");
    if (p->heat && p->heat[0]) {
        grid_print(g, AT(BAR, row + 1), WARN, "%s, %s", s->test, p->heat);
    } else {
        grid_text(g, AT(BAR, row + 1), BAR_WIDTH - 4, STRONG, s->test);
        grid_print_right(g, AT(PERCENT_END, row + 1), PLAIN, "%u of %u", p->test_index + 1,
                         p->n_tests);
        grid_print_right(g, AT(END, row + 1), STRONG, "%.0f MB/s", p->mb_s);
    }
    if (p->passes)
        fmt_print(label, sizeof(label), "Pass %u of %u", p->pass, p->passes);
    else
        fmt_print(label, sizeof(label), "Pass %u", p->pass);
    paint_bar(g, row + 2, label, part);
    if (p->passes || p->seconds_left >= 0)
        paint_bar(g, row + 3, "Whole run", run_part(p, part));
    else
        grid_text(g, AT(BAR, row + 3), BAR_WIDTH, PLAIN, "until stopped");
    paint_clock(g, row + 3, "left", p->seconds_left);
}

static void paint_verdict(const struct screen_state *s, struct grid *g, const struct layout *l)
{
    unsigned columns = g->columns >= SCREEN_WIDE_COLUMNS ? GRID_COLUMNS_MIN : g->columns;
    unsigned row = l->verdict, last = row + VERDICT_ROWS - 1;
    struct screen_verdict v;

    screen_verdict_make(s, &v);
    grid_fill(g, AREA(0, l->verdict - l->gap, columns, VERDICT_ROWS + 2 * l->gap),
              CELL(' ', v.colour));
    row = screen_paint_wrapped(g, AREA(MARGIN, row, WIDTH, 2), v.colour, v.what);
    row = screen_paint_wrapped(g, AREA(MARGIN, row, WIDTH, 1), v.colour, v.tested);
    screen_paint_wrapped(g, AREA(MARGIN, row, WIDTH, last - row), v.colour, v.untested);
    grid_text(g, AT(MARGIN, last), WIDTH, v.colour, "What to do: see page 1 (space).");
}

/* Next to the page, or below it: all RAM while it is tested, and modules. */
static unsigned more_rows_wanted(const struct screen_state *s, unsigned columns)
{
    size_t picture = screen_picture_rows(s, columns), modules = screen_modules_rows(s);

    return (unsigned)((picture ? picture + 2 : 0) + (modules ? modules + 2 : 0));
}

/* No rows: there is nothing to show, or no room. */
static struct area more_area(const struct screen_state *s, unsigned columns, unsigned rows)
{
    struct area area = { MARGIN, rows - 1, WIDTH, 0 };

    if (columns >= SCREEN_WIDE_COLUMNS)
        return area_beside(columns, rows);
    if (rows >= HIGH_ROWS)
        area.rows = (unsigned)min_u64(more_rows_wanted(s, WIDTH), rows - ROWS_USUAL);
    area.row -= area.rows;
    return area;
}

/* Below the page after an empty row; another is between the two. */
static void paint_more(const struct screen_state *s, struct grid *g, struct area area)
{
    const size_t picture = screen_picture_rows(s, area.columns), modules = screen_modules_rows(s);
    unsigned row = area.row + (area.column == MARGIN), end = area.row + area.rows, rows;

    if (area.rows < 4)
        return;
    rows = end - row;
    if (picture) {
        if (modules)
            rows -= (unsigned)min_u64(modules + 2, rows / 2);
        rows = (unsigned)min_u64(picture + 1, rows);
        screen_picture_paint(s, g, AREA(area.column, row, area.columns, rows));
        row += rows + 1;
    }
    if (modules && row + 3 <= end)
        screen_modules_paint_list(
            s, g, AREA(area.column, row, area.columns, (unsigned)min_u64(modules + 1, end - row)));
}

static unsigned rows_of_page(struct area more, unsigned rows)
{
    return more.column == MARGIN ? rows - more.rows : rows;
}

void screen_main_paint(const struct screen_state *s, struct grid *g)
{
    struct area more = more_area(s, g->columns, g->rows);
    struct layout l = lay_out(s, rows_of_page(more, g->rows));

    grid_clear(g, PLAIN);
    screen_paint_machine(s, g);
    paint_nodes(s, g, &l);
    if (s->has_result)
        paint_verdict(s, g, &l);
    else
        paint_progress(s, g, &l);
    if (!s->has_result && l.gap + l.strip && !more.rows)
        screen_picture_paint_strip(s, g, l.errors - 1);
    screen_paint_errors(s, g, l.errors, l.n_faults);
    screen_paint_line(s, g, l.line, l.n_line);
    screen_paint_warnings(s, g, l.warnings, l.n_warnings);
    paint_more(s, g, more);
    screen_paint_keys(s, g);
}

size_t screen_main_parts(const struct screen_state *s, const struct console_backend *b)
{
    struct area more = more_area(s, b->columns, b->rows);

    return screen_line_parts(s, lay_out(s, rows_of_page(more, b->rows)).n_line);
}

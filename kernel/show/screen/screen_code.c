// SPDX-License-Identifier: MIT
#include "screen/screen_code.h"

#include <stdarg.h>

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "log/ecc_count.h"
#include "report/format_text.h"
#include "screen/screen_modules.h"
#include "screen/screen_section.h"

/* The columns that are left for the text next to the code and its quiet zone, at least. */
#define TEXT_COLUMNS 32
#define TEXT_TOP     (PAGE_HEADING + 4)

#define HALF_BLOCK 2 /* squares each way of a module made of half a cell */
#define WITH_LINE                                                                                  \
    49 /* modules, of a code for which there is room anywhere; only the line may need more */

/* The room for a code on a page from the title on, in squares each way. */
static unsigned squares_of(unsigned columns, unsigned rows)
{
    return (unsigned)min_u64((rows - 1 - ROW_TITLE) * SQUARES_DOWN,
                             (columns - 2 * MARGIN - TEXT_COLUMNS) * SQUARES_ACROSS);
}

/* In modules, on the smallest grid. A code that needs it covers a part of the title. */
static unsigned size_max(const struct screen_code *c)
{
    unsigned module = c->half_blocks ? HALF_BLOCK : 1;

    return squares_of(GRID_COLUMNS_MIN, GRID_ROWS_MIN) / module - 2 * QR_QUIET;
}

static unsigned code_columns(const struct grid *g)
{
    return squares_of(g->columns, g->rows) / SQUARES_ACROSS;
}

static bool is_of_search(const struct screen_state *s)
{
    return s->has_result && s->diagnosis_has_begun && s->result.verdict != VERDICT_ERROR;
}

/* A line more, if that are n characters at most. */
static void add_line(char *text, size_t n, const char *line)
{
    const size_t used = strlen(text), newline = used > 0;

    if (*line && used + newline + strlen(line) <= n)
        fmt_print(text + used, n + 1 - used, "%s%s", newline ? "\n" : "", line);
}

/* A line of the report, if a code has room for it. */
static void add(struct screen_state *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct screen_state *s, const char *format, ...)
{
    struct screen_code *c = &s->code;
    char line[600];
    va_list args;

    va_start(args, format);
    fmt_vprint(line, sizeof(line), format, args);
    va_end(args);
    add_line(c->report, qr_capacity((unsigned)min_u64(size_max(c), WITH_LINE)), line);
}

/* Each for which there is room. */
static void add_modules(const struct screen_state *s, char *text, size_t n)
{
    char line[200];

    for (size_t i = 0; s->modules && i < s->modules->n; i++) {
        struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));

        screen_modules_append_one(&b, &s->modules->module[i]);
        add_line(text, n, line);
    }
}

static void add_status(struct screen_state *s)
{
    const struct event_progress *p = &s->progress;

    if (is_of_search(s)) {
        add(s, "%s", s->diagnosis.summary);
        if (s->diagnosis.end)
            add(s, "%s", s->diagnosis.found);
        add(s, "this run: %s", verdict_word(s->result.verdict));
    } else if (s->has_result) {
        if (s->headline)
            add(s, "%s", s->headline);
        add(s, "status: %s%s", verdict_word(s->result.verdict),
            s->result.verdict == VERDICT_PASS && !s->result.complete ? ", incomplete" : "");
    } else if (s->has_progress && strcmp(s->phase, "test") == 0) {
        add(s, "status: running, %s, pass %u at %u %%", s->test, p->pass,
            format_text_percent(format_text_part_of_pass(p)));
    } else {
        add(s, "status: running");
    }
}

/* Of pages that are bad by ECC's errors alone, these. */
static void add_faults(struct screen_state *s)
{
    const struct event_ecc *ecc = &s->result.ecc;
    char text[120];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    add(s, "bad pages: %lu", s->bad_pages);
    if (s->has_result && !s->n_faults && (ecc->corrected || ecc->uncorrected))
        ecc_append_errors(ecc->corrected, ecc->uncorrected, ecc->with_page, s->bad_pages, &b);
    else
        fmt_append(&b, "faults: %lu", s->n_faults);
    add(s, "%s", text);
    if (s->in_modules[0])
        add(s, "faults %s", s->in_modules);
}

/* The most important first: a small code has room for these. */
void screen_code_renew_report(struct screen_state *s)
{
    const struct event_result *r = &s->result;

    s->code.report[0] = 0;
    add_status(s);
    add_faults(s);
    if (s->has_result && r->part_of_bytes)
        add(s, "tested: %s of %s", FMT_SIZE(r->tested_bytes), FMT_SIZE(r->part_of_bytes));
    else if (s->has_result)
        add(s, "tested: %s", FMT_SIZE(r->tested_bytes));
    add(s, "seconds: %.0f", s->has_result ? r->seconds : s->progress.seconds);
    add(s, "okram %s, %s", s->version, s->boot);
    add(s, "%s", s->date);
    add(s, "%s", s->system);
    add(s, "%s", s->board);
    add(s, "%s", s->cpu);
    add(s, "%u CPU%s, %s of RAM", s->cpus, fmt_plural(s->cpus), FMT_SIZE(s->ram_bytes));
    add_modules(s, s->code.report, qr_capacity((unsigned)min_u64(size_max(&s->code), WITH_LINE)));
}

bool screen_code_lacks_line(const struct screen_state *s)
{
    return strlen(s->badram.line) > qr_capacity(size_max(&s->code)) && !is_of_search(s);
}

static bool is_of_line(const struct screen_state *s)
{
    return s->badram.line[0] && !is_of_search(s) && !screen_code_lacks_line(s);
}

const char *screen_code_name(const struct screen_state *s)
{
    if (is_of_line(s))
        return s->has_result ? "The badram line" : "The badram line so far";
    return screen_code_lacks_line(s) ? "Report (the line is too long)" : "Short report";
}

bool screen_code_prepare(struct screen_state *s)
{
    struct screen_code *c = &s->code;
    char text[sizeof(c->text)];

    string_copy(text, is_of_line(s) ? s->badram.line : c->report, sizeof(text));
    if (!*text)
        return false;
    if (is_of_line(s)) {
        const size_t room = qr_capacity((unsigned)min_u64(size_max(c), WITH_LINE));
        char faulty[sizeof(s->in_modules) + 8] = "";

        if (s->in_modules[0])
            fmt_print(faulty, sizeof(faulty), "faults %s", s->in_modules);

        add_line(text, room, faulty);
        add_line(text, room, s->date);
        add_line(text, room, s->system);
        add_line(text, room, s->board);
        add_modules(s, text, room);
    }
    if (c->qr.size && strcmp(c->text, text) == 0)
        return true;
    string_copy(c->text, text, sizeof(c->text));
    if (qr_encode(&c->qr, c->text, strlen(c->text), size_max(c)) != STATUS_OK)
        c->qr.size = 0;
    return c->qr.size;
}

struct area screen_code_size(const struct screen_code *c)
{
    unsigned squares = (c->qr.size + 2 * QR_QUIET) * (c->half_blocks ? HALF_BLOCK : 1);

    return AREA(.columns = (unsigned)div_up(squares, SQUARES_ACROSS),
                .rows = (unsigned)div_up(squares, SQUARES_DOWN));
}

/* As large as fits; where a device has half blocks only, in these. 0: there is no room. */
static unsigned module_squares(const struct screen_code *c, struct area area)
{
    unsigned squares = (unsigned)min_u64(area.rows * SQUARES_DOWN, area.columns * SQUARES_ACROSS);
    unsigned module = squares / (c->qr.size + 2 * QR_QUIET);

    return c->half_blocks ? module - module % HALF_BLOCK : module;
}

bool screen_code_fits(const struct screen_code *c, struct area area)
{
    return c->qr.size && module_squares(c, area);
}

void screen_code_paint(const struct screen_code *c, struct grid *g, struct area area)
{
    unsigned all = c->qr.size + 2 * QR_QUIET;
    unsigned module = module_squares(c, area), squares = all * module;
    unsigned columns = (unsigned)div_up(squares, SQUARES_ACROSS);
    unsigned rows = (unsigned)div_up(squares, SQUARES_DOWN);
    unsigned left = area.column + (area.columns - columns) / 2;
    unsigned top = area.row + (area.rows - rows) / 2;

    grid_fill(g, AREA(left, top, columns, rows), CELL(0, SQUARES));
    for (unsigned y = 0; y < c->qr.size * module; y++)
        for (unsigned x = 0; x < c->qr.size * module; x++)
            if (qr_is_dark(&c->qr, x / module, y / module))
                grid_blacken(g, left * SQUARES_ACROSS + QR_QUIET * module + x,
                             top * SQUARES_DOWN + QR_QUIET * module + y);
}

/* All of the code's text, in rows; of what has no room the last row says so. */
static void paint_text(const struct screen_code *c, struct grid *g, struct area area)
{
    const unsigned end_row = area.row + area.rows;
    const char *text = c->text;

    for (unsigned row = area.row; *text; row++) {
        size_t n = grid_wrap(text, area.columns);
        const char *end = strchr(text, '\n');

        if (row == end_row) {
            grid_print(g, AT(area.column, row), WARN, "The rest is in the code only.");
            return;
        }
        if (end && end < text + n)
            n = (size_t)(end - text) + 1;
        grid_put(g, AT(area.column, row), STRONG, text, text[n - 1] == '\n' ? n - 1 : n);
        text += n;
    }
}

static void paint_found(const struct screen_state *s, struct grid *g, struct at at)
{
    if (!s->n_faults && !s->bad_pages) {
        grid_print(g, at, PLAIN, "No fault%s.", s->has_result ? "" : " so far");
        return;
    }
    if (s->n_faults)
        grid_print(g, AT(at.column, at.row - 1), BAD, "%lu fault%s", s->n_faults,
                   fmt_plural(s->n_faults));
    grid_print(g, at, BAD, "%s%lu bad page%s%s", s->n_faults ? "in " : "", s->bad_pages,
               fmt_plural(s->bad_pages), s->has_result ? "" : " so far");
}

void screen_code_paint_page(struct screen_state *s, struct grid *g)
{
    const unsigned column = MARGIN + code_columns(g) + 1, width = g->columns - MARGIN - column;
    struct area area = { MARGIN, PAGE_HEADING, code_columns(g), row_keys(g) - PAGE_HEADING };

    if (screen_code_prepare(s) &&
        !screen_code_fits(&s->code, area)) { /* over a part of the title */
        area.row--;
        area.rows++;
    }
    grid_print(g, AT(column, PAGE_HEADING + 1), HEADING, "%s", screen_code_name(s));
    if (screen_code_fits(&s->code, area))
        screen_code_paint(&s->code, g, area);
    paint_text(&s->code, g, AREA(column, TEXT_TOP, width, row_keys(g) - 3 - TEXT_TOP));
    paint_found(s, g, AT(column, row_keys(g) - 1));
}

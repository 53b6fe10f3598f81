// SPDX-License-Identifier: MIT
#include "screen/screen_codes.h"

#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "log/ecc_count.h"
#include "report/format_text.h"
#include "screen/screen_section.h"

/* The columns that are left for the text next to the code and its quiet zone, at least. */
#define TEXT_COLUMNS 32
#define TEXT_TOP     (PAGE_HEADING + 4)

#define HALF_BLOCK 2 /* squares each way of a module made of half a cell */

/* The room for a code on the grid from row `top` on, in squares each way. */
static unsigned squares_of(unsigned columns, unsigned rows, unsigned top)
{
    return (unsigned)min_u64((rows - 1 - top) * SQUARES_DOWN,
                             (columns - 2 * MARGIN - TEXT_COLUMNS) * SQUARES_ACROSS);
}

/* On the smallest grid. A code that needs it covers a part of the title. */
static unsigned size_max(unsigned module)
{
    return squares_of(GRID_COLUMNS_MIN, GRID_ROWS_MIN, ROW_TITLE) / module - 2 * QR_QUIET;
}

static unsigned code_columns(const struct grid *g)
{
    return squares_of(g->columns, g->rows, ROW_TITLE) / SQUARES_ACROSS;
}

static unsigned text_column(const struct grid *g)
{
    return MARGIN + code_columns(g) + 1;
}

void screen_codes_begin(struct screen_state *s)
{
    s->codes.size_max = size_max(1);
}

void screen_codes_use_half_blocks(struct screen_state *s)
{
    s->codes.size_max = size_max(HALF_BLOCK);
}

bool screen_codes_is_of_search(const struct screen_state *s)
{
    return s->has_result && s->diagnosis_has_begun && strcmp(s->status, "error") != 0;
}

static void append_status(struct fmt_buffer *b, const struct screen_state *s)
{
    const struct event_progress *p = &s->progress;

    if (screen_codes_is_of_search(s))
        fmt_append(b, "%s\n%s\nthis run: %s\n", s->diagnosis.headline,
                   s->diagnosis.end ? s->diagnosis.found : s->diagnosis.summary, s->status);
    else if (s->has_result)
        fmt_append(b, "status: %s%s\n", s->status,
                   strcmp(s->status, "pass") == 0 && !s->result.complete ? ", incomplete" : "");
    else if (s->has_progress && strcmp(s->phase, "test") == 0)
        fmt_append(b, "status: running, %s, pass %u at %u %%\n", s->test, p->pass,
                   format_text_percent(format_text_part_of_pass(p)));
    else
        fmt_append(b, "status: running\n");
}

/* Of pages that are bad by ECC's errors alone, these. */
static void append_faults(struct fmt_buffer *b, const struct screen_state *s)
{
    const struct event_ecc *ecc = &s->result.ecc;

    if (s->has_result && !s->n_faults && (ecc->corrected || ecc->uncorrected))
        ecc_append_errors(ecc->corrected, ecc->uncorrected, ecc->with_page, s->bad_pages, b);
    else
        fmt_append(b, "faults: %lu", s->n_faults);
}

void screen_codes_renew_report(struct screen_state *s)
{
    struct fmt_buffer b = fmt_buffer_make(s->codes.report, sizeof(s->codes.report));

    fmt_append(&b, "okram %s, %s\n%s\n%u CPU%s, %s of RAM\n", s->version, s->boot, s->cpu, s->cpus,
               fmt_plural(s->cpus), FMT_SIZE(s->ram_bytes));
    append_status(&b, s);
    if (s->has_result && s->result.part_of_bytes)
        fmt_append(&b, "tested: %s of %s\n", FMT_SIZE(s->result.tested_bytes),
                   FMT_SIZE(s->result.part_of_bytes));
    else if (s->has_result)
        fmt_append(&b, "tested: %s\n", FMT_SIZE(s->result.tested_bytes));
    fmt_append(&b, "bad pages: %lu\n", s->bad_pages);
    append_faults(&b, s);
    fmt_append(&b, "\nseconds: %.0f", s->has_result ? s->result.seconds : s->progress.seconds);
}

static size_t count(const struct screen_state *s, const char *text)
{
    size_t n = 0;

    for (; *text; n++)
        text += qr_part(text, qr_capacity(s->codes.size_max));
    return n;
}

static size_t line_parts(const struct screen_state *s, unsigned rows)
{
    return count(s, s->badram.line);
}

static size_t report_parts(const struct screen_state *s, unsigned rows)
{
    if (!s->has_machine)
        return 0;
    return *s->codes.report ? count(s, s->codes.report) : 1;
}

/* The code of a part of text; the one of before where that has not changed. */
static void prepare(struct screen_state *s, const char *text, size_t part)
{
    struct screen_codes *c = &s->codes;
    size_t capacity = qr_capacity(c->size_max), n;

    while (part--)
        text += qr_part(text, capacity);
    n = qr_part(text, capacity);
    if (c->qr.size && strncmp(c->text, text, n) == 0 && !c->text[n])
        return;
    memcpy(c->text, text, n);
    c->text[n] = 0;
    if (qr_encode(&c->qr, c->text, n, c->size_max) != STATUS_OK)
        c->qr.size = 0;
}

bool screen_codes_prepare_result(struct screen_state *s)
{
    bool is_line = s->badram.line[0] && !screen_codes_is_of_search(s);
    const char *text = is_line ? s->badram.line : s->codes.report;

    if (!*text || count(s, text) > 1)
        return false;
    prepare(s, text, 0);
    return s->codes.qr.size;
}

static void prepare_line(struct screen_state *s, size_t part)
{
    prepare(s, s->badram.line, part);
}

static void prepare_report(struct screen_state *s, size_t part)
{
    prepare(s, s->codes.report, part);
}

/* As large as fits; where a device has half blocks only, in these. 0: there is no room. */
static unsigned module_squares(const struct screen_codes *c, struct screen_area area)
{
    unsigned squares = (unsigned)min_u64(area.rows * SQUARES_DOWN, area.columns * SQUARES_ACROSS);
    unsigned module = squares / (c->qr.size + 2 * QR_QUIET);

    return c->size_max == size_max(HALF_BLOCK) ? module - module % HALF_BLOCK : module;
}

bool screen_codes_fit(const struct screen_codes *c, struct screen_area area)
{
    return c->qr.size && module_squares(c, area);
}

void screen_codes_paint(const struct screen_codes *c, struct grid *g, struct screen_area area)
{
    unsigned all = c->qr.size + 2 * QR_QUIET;
    unsigned module = module_squares(c, area), squares = all * module;
    unsigned columns = (unsigned)div_up(squares, SQUARES_ACROSS);
    unsigned rows = (unsigned)div_up(squares, SQUARES_DOWN);
    unsigned left = area.column + (area.columns - columns) / 2;
    unsigned top = area.row + (area.rows - rows) / 2;

    grid_fill(g, left, top, columns, rows, 0, SQUARES);
    for (unsigned y = 0; y < c->qr.size * module; y++)
        for (unsigned x = 0; x < c->qr.size * module; x++)
            if (qr_is_dark(&c->qr, x / module, y / module))
                grid_blacken(g, left * SQUARES_ACROSS + QR_QUIET * module + x,
                             top * SQUARES_DOWN + QR_QUIET * module + y);
}

/* All of the code's text, in rows; of what has no room the last row says so. */
static void paint_text(const struct screen_codes *c, struct grid *g)
{
    const unsigned column = text_column(g), width = g->columns - MARGIN - column;
    const unsigned end_row = row_keys(g) - 3;
    const char *text = c->text;

    for (unsigned row = TEXT_TOP; *text; row++) {
        size_t n = grid_wrap(text, width);
        const char *end = strchr(text, '\n');

        if (row == end_row) {
            grid_print(g, column, row, WARN, "The rest is in the code only.");
            return;
        }
        if (end && end < text + n)
            n = (size_t)(end - text) + 1;
        grid_put(g, column, row, STRONG, text, text[n - 1] == '\n' ? n - 1 : n);
        text += n;
    }
}

static void paint_found(const struct screen_state *s, struct grid *g)
{
    const unsigned column = text_column(g), row = row_keys(g) - 1;

    if (!s->n_faults && !s->bad_pages) {
        grid_print(g, column, row, PLAIN, "No fault%s.", s->has_result ? "" : " so far");
        return;
    }
    if (s->n_faults)
        grid_print(g, column, row - 1, BAD, "%lu fault%s", s->n_faults, fmt_plural(s->n_faults));
    grid_print(g, column, row, BAD, "%s%lu bad page%s%s", s->n_faults ? "in " : "", s->bad_pages,
               fmt_plural(s->bad_pages), s->has_result ? "" : " so far");
}

static void paint(const struct screen_state *s, struct grid *g, const char *title, size_t part,
                  size_t n_parts)
{
    struct screen_area area = { MARGIN, PAGE_HEADING, code_columns(g), row_keys(g) - PAGE_HEADING };

    grid_print(g, text_column(g), PAGE_HEADING + 1, HEADING, "%s", title);
    if (n_parts > 1)
        grid_print(g, text_column(g), PAGE_HEADING + 2, WARN, "%zu of %zu (space: next)", part + 1,
                   n_parts);
    if (!screen_codes_fit(&s->codes, area)) { /* over a part of the title */
        area.row--;
        area.rows++;
    }
    if (screen_codes_fit(&s->codes, area))
        screen_codes_paint(&s->codes, g, area);
    else
        grid_print(g, MARGIN, PAGE_HEADING + 1, WARN, "This text does not fit in a QR code.");
    paint_text(&s->codes, g);
    paint_found(s, g);
}

static void paint_line(const struct screen_state *s, struct grid *g, size_t part)
{
    paint(s, g, s->has_result ? "The badram line" : "The badram line so far", part,
          line_parts(s, g->rows));
}

static void paint_report(const struct screen_state *s, struct grid *g, size_t part)
{
    paint(s, g, "Short report", part, report_parts(s, g->rows));
}

const struct screen_section section_line_codes = { line_parts, paint_line, prepare_line };
const struct screen_section section_report_codes = { report_parts, paint_report, prepare_report };

// SPDX-License-Identifier: MIT
#include "screen/screen_codes.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/phrases.h"
#include "screen/screen_section.h"

/* The code and its quiet zone, in cells, and in squares each way; beside it the text. */
#define CODE_TOP     PAGE_HEADING
#define CODE_ROWS    (ROW_KEYS - CODE_TOP)
#define CODE_SQUARES (CODE_ROWS * SQUARES_DOWN)
#define CODE_COLUMNS (CODE_SQUARES / SQUARES_ACROSS)
#define TEXT         (MARGIN + CODE_COLUMNS + 1)
#define TEXT_WIDTH   (END - TEXT)
#define TEXT_TOP     (CODE_TOP + 4)
#define TEXT_END     (ROW_KEYS - 3)

#define HALF_BLOCK 2 /* squares each way of a module made of half a cell */

static unsigned size_max(unsigned module)
{
    return CODE_SQUARES / module - 2 * QR_QUIET;
}

void screen_codes_begin(struct screen_state *s)
{
    s->codes.size_max = size_max(1);
}

void screen_codes_use_half_blocks(struct screen_state *s)
{
    s->codes.size_max = size_max(HALF_BLOCK);
}

static void append_status(struct fmt_buffer *b, const struct screen_state *s)
{
    const struct event_progress *p = &s->progress;

    if (s->has_result)
        fmt_append(b, "status: %s%s\n", s->status,
                   strcmp(s->status, "pass") == 0 && !s->result.complete ? ", incomplete" : "");
    else if (s->has_progress && strcmp(s->phase, "test") == 0)
        fmt_append(b, "status: running, %s, pass %u at %u %%\n", s->test, p->pass,
                   phrases_percent(phrases_part_of_pass(p)));
    else
        fmt_append(b, "status: running\n");
}

void screen_codes_renew_report(struct screen_state *s)
{
    struct fmt_buffer b = fmt_buffer_make(s->codes.report, sizeof(s->codes.report));

    fmt_append(&b, "okram %s, %s\n%s\n%u CPU%s, ", s->version, s->boot, s->cpu, s->cpus,
               fmt_plural(s->cpus));
    fmt_append_size(&b, s->ram_bytes);
    fmt_append(&b, " of RAM\n");
    append_status(&b, s);
    if (s->has_result) {
        fmt_append(&b, "tested: ");
        fmt_append_size(&b, s->result.tested_bytes);
        fmt_append(&b, "\n");
    }
    fmt_append(&b, "bad pages: %lu\nfaults: %lu\nseconds: %.0f", s->bad_pages, s->n_faults,
               s->has_result ? s->result.seconds : s->progress.seconds);
}

static size_t count(const struct screen_state *s, const char *text)
{
    size_t n = 0;

    for (; *text; n++)
        text += qr_part(text, qr_capacity(s->codes.size_max));
    return n;
}

static size_t line_parts(const struct screen_state *s)
{
    return count(s, s->badram.line);
}

static size_t report_parts(const struct screen_state *s)
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

static void prepare_line(struct screen_state *s, size_t part)
{
    prepare(s, s->badram.line, part);
}

static void prepare_report(struct screen_state *s, size_t part)
{
    prepare(s, s->codes.report, part);
}

/* As large as fits; where a device has half blocks only, in these. */
static unsigned module_squares(const struct screen_codes *c)
{
    if (c->size_max == size_max(HALF_BLOCK))
        return HALF_BLOCK;
    return CODE_SQUARES / (c->qr.size + 2 * QR_QUIET);
}

static void paint_code(const struct screen_codes *c, struct grid *g)
{
    unsigned module = module_squares(c), squares = (c->qr.size + 2 * QR_QUIET) * module;
    unsigned columns = (squares + SQUARES_ACROSS - 1) / SQUARES_ACROSS;
    unsigned rows = (squares + SQUARES_DOWN - 1) / SQUARES_DOWN;
    unsigned left = MARGIN + (CODE_COLUMNS - columns) / 2, top = CODE_TOP + (CODE_ROWS - rows) / 2;

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
    const char *text = c->text;

    for (unsigned row = TEXT_TOP; *text; row++) {
        size_t n = grid_wrap(text, TEXT_WIDTH);
        const char *end = strchr(text, '\n');

        if (row == TEXT_END) {
            grid_print(g, TEXT, row, WARN, "The rest is in the code only.");
            return;
        }
        if (end && end < text + n)
            n = (size_t)(end - text) + 1;
        grid_put(g, TEXT, row, STRONG, text, text[n - 1] == '\n' ? n - 1 : n);
        text += n;
    }
}

static void paint_found(const struct screen_state *s, struct grid *g)
{
    if (!s->n_faults && !s->bad_pages) {
        grid_print(g, TEXT, ROW_KEYS - 1, PLAIN, "No fault%s.", s->has_result ? "" : " so far");
        return;
    }
    grid_print(g, TEXT, ROW_KEYS - 2, BAD, "%lu fault%s", s->n_faults, fmt_plural(s->n_faults));
    grid_print(g, TEXT, ROW_KEYS - 1, BAD, "in %lu bad page%s%s", s->bad_pages,
               fmt_plural(s->bad_pages), s->has_result ? "" : " so far");
}

static void paint(const struct screen_state *s, struct grid *g, const char *title, size_t part,
                  size_t n_parts)
{
    grid_print(g, TEXT, CODE_TOP + 1, HEADING, "%s", title);
    if (n_parts > 1)
        grid_print(g, TEXT, CODE_TOP + 2, WARN, "%zu of %zu (space: next)", part + 1, n_parts);
    if (s->codes.qr.size)
        paint_code(&s->codes, g);
    else
        grid_print(g, MARGIN, CODE_TOP + 1, WARN, "This text does not fit in a QR code.");
    paint_text(&s->codes, g);
    paint_found(s, g);
}

static void paint_line(const struct screen_state *s, struct grid *g, size_t part)
{
    paint(s, g, s->has_result ? "The badram line" : "The badram line so far", part, line_parts(s));
}

static void paint_report(const struct screen_state *s, struct grid *g, size_t part)
{
    paint(s, g, "Short report", part, report_parts(s));
}

const struct screen_section section_line_codes = { line_parts, paint_line, prepare_line };
const struct screen_section section_report_codes = { report_parts, paint_report, prepare_report };

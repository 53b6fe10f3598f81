// SPDX-License-Identifier: MIT
#include "screen/screen_blocks.h"

#include "firmware/memory_ecc.h"
#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_modules.h"
#include "screen/screen_section.h"

#define MEMORY_COLUMNS 60
#define TITLE_COLUMNS  52 /* of its right part, with the NUL */
#define LABEL          9  /* the column after the labels CPU, Memory and Machine */
#define FAULT_BITS     7  /* columns: "17 bits" */

static void append_ecc(struct fmt_buffer *b, const struct screen_state *s)
{
    if (s->ecc != MEMORY_ECC_UNKNOWN)
        fmt_append(b, ", %s", memory_ecc_phrase(s->ecc));
}

static void append_repair(struct fmt_buffer *b, const struct screen_state *s)
{
    const char *name[MEMORY_REPAIRS];
    size_t n = memory_repair_names(s->repair, name);

    for (size_t i = 0; i < n; i++)
        fmt_append(b, ", %s", name[i]);
}

static void append_side_cache(struct fmt_buffer *b, const struct screen_state *s)
{
    if (s->side_cache_bytes)
        fmt_append(b, ", %s side cache", FMT_SIZE(s->side_cache_bytes));
}

/* hiding: what hides faults from the tests. */
struct memory_parts {
    bool testable, installed, hiding;
};

/* False: it does not fit. */
static bool print_parts(const struct screen_state *s, struct memory_parts parts,
                        char memory[MEMORY_COLUMNS + 1])
{
    struct fmt_buffer b = fmt_buffer_make(memory, MEMORY_COLUMNS + 1);

    fmt_append(&b, "%s of RAM", FMT_SIZE(s->ram_bytes));
    if (parts.testable)
        fmt_append(&b, ", %s to test", FMT_SIZE(s->testable_bytes));
    if (parts.installed && s->installed_bytes)
        fmt_append(&b, ", %s installed", FMT_SIZE(s->installed_bytes));
    append_ecc(&b, s);
    if (parts.hiding) {
        append_repair(&b, s);
        append_side_cache(&b, s);
    }
    return !b.cut;
}

/* What there is no room for is in the report. */
static void print_memory(const struct screen_state *s, char memory[MEMORY_COLUMNS + 1])
{
    bool hiding = s->repair || s->side_cache_bytes;

    if (print_parts(s, (struct memory_parts){ true, true, true }, memory) ||
        (hiding && print_parts(s, (struct memory_parts){ false, true, true }, memory)) ||
        print_parts(s, (struct memory_parts){ true, true, false }, memory))
        return;
    print_parts(s, (struct memory_parts){ false, false, false }, memory);
}

void screen_paint_machine(const struct screen_state *s, struct grid *g)
{
    char memory[MEMORY_COLUMNS + 1], page[TITLE_COLUMNS] = "", start[TITLE_COLUMNS];
    struct fmt_buffer b = fmt_buffer_make(start, sizeof(start));

    if (s->has_result)
        fmt_print(page, sizeof(page), "page %zu of %zu%s", s->page, s->n_pages,
                  s->is_without_keys ? "" : " (space: the next)");
    fmt_append(&b, "%s%s%s%s%s", s->boot, *s->loader ? ", " : "", s->loader, *page ? "   " : "",
               page);
    if (b.cut)
        string_copy(start, *page ? page : s->boot, sizeof(start));
    screen_paint_title(s, g, "memory test", start);
    if (!s->has_machine)
        return;
    print_memory(s, memory);
    grid_text(g, AT(MARGIN, ROW_CPU), 8, PLAIN, "CPU");
    grid_text(g, AT(LABEL, ROW_CPU), 52, STRONG, s->cpu);
    grid_print_right(g, AT(END, ROW_CPU), STRONG, "%u CPU%s, %s", s->cpus, fmt_plural(s->cpus),
                     s->isa);
    grid_text(g, AT(MARGIN, ROW_MEMORY), 8, PLAIN, "Memory");
    grid_text(g, AT(LABEL, ROW_MEMORY), MEMORY_COLUMNS, STRONG, memory);
    grid_print_right(g, AT(END, ROW_MEMORY), STRONG, "%u node%s", s->nodes, fmt_plural(s->nodes));
}

/* From all that is known to little. */
enum about { ABOUT_ALL, ABOUT_COUNT, ABOUT_BOARD, ABOUT_WAYS };

static void append_part(struct fmt_buffer *b, const char *before, const char *text)
{
    if (*text)
        fmt_append(b, "%s%s%s", b->length ? "; " : "", before, text);
}

static void append_about(const struct screen_state *s, enum about way, struct fmt_buffer *b)
{
    char modules[SCREEN_FITTED_SIZE] = "";
    struct fmt_buffer m = fmt_buffer_make(modules, sizeof(modules));

    append_part(b, "", s->date);
    if (way != ABOUT_BOARD || !s->board[0])
        append_part(b, "", s->system);
    append_part(b, way == ABOUT_BOARD ? "" : "board ", s->board);
    if (way == ABOUT_ALL)
        screen_modules_append_all(s, &m);
    else
        screen_modules_append_count(s, &m);
    b->cut |= m.cut;
    append_part(b, "", modules);
}

unsigned screen_paint_about(const struct screen_state *s, struct grid *g, unsigned row,
                            unsigned rows)
{
    const unsigned width = END - LABEL;
    static char text[SCREEN_FITTED_SIZE];

    for (enum about way = 0; way < ABOUT_WAYS; way++) {
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        text[0] = 0;
        append_about(s, way, &b);
        if (!b.cut && grid_wrapped_rows(text, width) <= rows)
            break;
    }
    rows = (unsigned)min_u64(grid_wrapped_rows(text, width), rows);
    if (g && rows) {
        grid_text(g, AT(MARGIN, row), LABEL - MARGIN, PLAIN, "Machine");
        screen_paint_wrapped(g, AREA(LABEL, row, width, rows), STRONG, text);
    }
    return rows;
}

static void paint_fault(struct grid *g, unsigned row, const struct screen_fault *f,
                        bool is_encrypted)
{
    const uint64_t differ = f->expected ^ f->found;
    char bits[40];
    struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));

    if (!is_encrypted)
        format_text_append_bits(&b, differ);
    if (strlen(bits) > FAULT_BITS)
        fmt_print(bits, sizeof(bits), "%u bits", bits_count(differ));
    grid_print(g, AT(MARGIN, row), STRONG, "0x%012lx", f->addr);
    grid_print(g, AT(17, row), STRONG, "%016lx", f->expected);
    grid_print(g, AT(34, row), STRONG, "%016lx", f->found);
    grid_text(g, AT(51, row), FAULT_BITS, BAD, bits);
    grid_text(g, AT(59, row), END - 59, PLAIN, f->test);
    grid_print_right(g, AT(END, row), PLAIN, "%u", f->cpu);
}

/* On a row, or two if there are enough rows for a fault, too. Returns the row after it. */
static unsigned paint_alias(struct grid *g, unsigned row, unsigned end, const struct alias *alias)
{
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    format_text_append_alias(&b, alias);
    return screen_paint_wrapped(g, AREA(MARGIN, row, WIDTH, end - row > 2 ? 2 : 1), BAD, text);
}

static void paint_no_fault(const struct screen_state *s, struct grid *g, unsigned row)
{
    if (s->has_ecc_errors)
        grid_text(g, AT(MARGIN, row), WIDTH, BAD,
                  s->n_mces ? "ECC reports errors of memory (machine checks); no other fault"
                            : "ECC reports errors of memory (by firmware); no other fault");
    else
        grid_text(g, AT(MARGIN, row), WIDTH, s->has_progress ? GOOD : PLAIN,
                  s->has_result ? "no fault" : "no fault so far");
}

void screen_paint_errors(const struct screen_state *s, struct grid *g, unsigned row,
                         unsigned n_faults)
{
    const unsigned end = row + ERROR_ROWS + n_faults;
    const struct error_rate *rate = s->has_result ? &s->result.rate : &s->progress.rate;
    char bits[40], note[72];
    struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));
    struct fmt_buffer n = fmt_buffer_make(note, sizeof(note));

    if (s->n_mces)
        fmt_append(&n, "%lu machine check%s", s->n_mces, fmt_plural(s->n_mces));
    else if (s->n_reported)
        fmt_append(&n, "%lu report%s by firmware", s->n_reported, fmt_plural(s->n_reported));
    else if (s->n_external)
        fmt_append(&n, "%lu line%s changed by a device or firmware: no fault", s->n_external,
                   fmt_plural(s->n_external));
    else if (rate->moved_bytes)
        error_rate_append(&n, rate);
    else if (s->n_records > 1)
        fmt_append(&n, "newest first");
    screen_paint_heading(g, row++, "Errors", note);
    if (!s->n_faults && !s->bad_pages) {
        paint_no_fault(s, g, row);
        return;
    }
    format_text_append_failing_bits(&b, s->failing_bits, s->is_encrypted);
    if (!s->n_faults)
        grid_print(g, AT(MARGIN, row), BAD, "%lu bad page%s%s", s->bad_pages,
                   fmt_plural(s->bad_pages),
                   s->has_ecc_errors ? ", by errors that ECC reported" : "");
    else if (s->is_encrypted)
        grid_print(g, AT(MARGIN, row), BAD, "%lu fault%s in %lu bad page%s, bits: %s", s->n_faults,
                   fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages), bits);
    else
        grid_print(g, AT(MARGIN, row), BAD,
                   "%lu fault%s in %lu bad page%s, failing bits 0x%016lx (%s)", s->n_faults,
                   fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages), s->failing_bits,
                   bits);
    row++;
    if (s->alias.pages)
        row = paint_alias(g, row, end, &s->alias);
    if (end - row > 2) {
        grid_print(g, AT(MARGIN, row), DIM,
                   "address         expected         found            %-8stest             CPU",
                   s->is_encrypted ? "" : "bits");
        row++;
    }
    for (uint64_t i = s->n_records; i > 0 && s->n_records - i < SCREEN_FAULTS_MAX && row < end;
         i--, row++)
        paint_fault(g, row, &s->fault[(i - 1) % SCREEN_FAULTS_MAX], s->is_encrypted);
}

/*
 * Where a row of the badram line ends: after its second pattern, so that rows begin alike and can
 * be checked against each other. A \n ends a row and belongs to it.
 */
static size_t wrap_line(const char *text)
{
    size_t n = 0;

    for (unsigned commas = 0; text[n] && text[n] != '\n' && commas < 4; n++)
        commas += text[n] == ',';
    if (n > WIDTH)
        n = grid_wrap(text, WIDTH);
    return text[n] == '\n' ? n + 1 : n;
}

size_t screen_line_rows(const struct screen_state *s)
{
    size_t rows = 0;

    for (const char *text = s->lines; *text; rows++)
        text += wrap_line(text);
    return rows;
}

/* Of so many rows: when not all of the line is visible, the last says so. */
static unsigned rows_shown(size_t line_rows, unsigned rows)
{
    return line_rows > rows && rows > 1 ? rows - 1 : rows;
}

size_t screen_line_parts(const struct screen_state *s, unsigned rows)
{
    size_t line_rows = screen_line_rows(s);

    return rows ? div_up(line_rows ? line_rows : 1, rows_shown(line_rows, rows)) : 1;
}

static void paint_line_heading(const struct screen_state *s, struct grid *g, unsigned row)
{
    char note[80] = "";

    if (s->badram.line[0])
        fmt_print(note, sizeof(note), "%zu pattern%s, %lu page%s (%s) sacrificed",
                  s->badram.cover->n_patterns, fmt_plural(s->badram.cover->n_patterns),
                  s->badram.cover->sacrificed_pages, fmt_plural(s->badram.cover->sacrificed_pages),
                  FMT_SIZE(s->badram.cover->sacrificed_pages << PAGE_SHIFT));
    if (s->asked_place[0])
        screen_paint_heading(g, row, s->asked_place, "");
    else
        screen_paint_heading(g, row, s->has_result ? "The badram line" : "The badram line so far",
                             note);
}

static void paint_part_of_parts(const struct screen_state *s, struct grid *g, unsigned row,
                                size_t part, size_t n_parts)
{
    const char *place = "", *whole = "";

    if (!s->asked_place[0]) {
        whole = !s->report_place         ? "patterns=8 makes it shorter"
                : strchr(s->lines, '\n') ? "All lines are "
                                         : "The whole line is ";
        place = s->report_place ? s->report_place : "";
    }
    grid_print(g, AT(MARGIN, row), WARN, "part %zu of %zu (space: next). %s%s", part + 1, n_parts,
               whole, place);
}

void screen_paint_line(const struct screen_state *s, struct grid *g, unsigned row, unsigned n_rows)
{
    unsigned shown = rows_shown(screen_line_rows(s), n_rows);
    size_t n_parts = screen_line_parts(s, n_rows),
           part = screen_part_of(s->badram_part, s->badram_parts, n_parts);
    size_t first = part * shown, i = 0;
    const char *text = s->lines;

    paint_line_heading(s, g, row++);
    if (!*text)
        grid_text(g, AT(MARGIN, row), WIDTH, PLAIN,
                  s->has_result ? "none: no bad page found" : "none so far");
    for (; *text && i < first + shown; i++) {
        size_t n = wrap_line(text);

        if (i >= first)
            grid_put(g, AT(MARGIN, row + (unsigned)(i - first)), STRONG, text,
                     text[n - 1] == '\n' ? n - 1 : n);
        text += n;
    }
    if (n_parts > 1 && n_rows > 1)
        paint_part_of_parts(s, g, row + n_rows - 1, part, n_parts);
}

/* Without the one that is whole in the last row, in place of the keys. */
static size_t count_listed(const struct screen_state *s)
{
    size_t n = strlen(s->after_result);

    return s->n_warnings - (n && n <= WIDTH);
}

size_t screen_warning_rows(const struct screen_state *s)
{
    const size_t n = count_listed(s);
    size_t rows = n > SCREEN_WARNINGS_MAX ? 1 : 0;

    for (size_t i = 0; i < n && i < SCREEN_WARNINGS_MAX; i++)
        rows += grid_wrapped_rows(s->warning[i], WIDTH);
    return rows;
}

/* In the last row how many have no room. */
void screen_paint_warnings(const struct screen_state *s, struct grid *g, unsigned row,
                           unsigned n_rows)
{
    const unsigned end = row + n_rows, last = end - (n_rows && screen_warning_rows(s) > n_rows);
    const size_t n = count_listed(s);
    size_t i = 0;

    for (; i < n && i < SCREEN_WARNINGS_MAX; i++) {
        unsigned room = (i + 1 < n ? last : end) - row;

        if (!room)
            break;
        row = screen_paint_wrapped(g, AREA(MARGIN, row, WIDTH, room), WARN, s->warning[i]);
    }
    if (row < end && i < n)
        grid_print(g, AT(MARGIN, row), WARN, "%s%zu %swarning%s: key s", i ? "and " : "", n - i,
                   i ? "more " : "", fmt_plural(n - i));
}

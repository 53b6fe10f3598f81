// SPDX-License-Identifier: MIT
#include "screen/screen_paint.h"

#include "firmware/memory_repair.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_layout.h"
#include "screen/screen_pages.h"
#include "screen/screen_picture.h"
#include "screen/screen_side_panels.h"

#define KEYS_GAP 4

void screen_paint_heading_in(struct grid *g, struct screen_area area, const char *title,
                             const char *note)
{
    unsigned end = area.column + area.columns, row = area.row;

    grid_fill(g, area.column, row, area.columns, 1, GLYPH_RULE, DIM);
    grid_print(g, area.column + 2, row, HEADING, " %s ", title);
    if (*note)
        grid_print_right(g, end - 2, row, PLAIN, " %s ", note);
}

void screen_paint_heading(struct grid *g, unsigned row, const char *title, const char *note)
{
    screen_paint_heading_in(g, (struct screen_area){ MARGIN, row, WIDTH, 1 }, title, note);
}

#define MEMORY_COLUMNS 60

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
    char memory[MEMORY_COLUMNS + 1];

    grid_fill(g, 0, ROW_TITLE, g->columns, 1, ' ', TITLE);
    grid_print(g, MARGIN, ROW_TITLE, TITLE, "okram %s   memory test", s->version);
    grid_print_right(g, g->columns - MARGIN, ROW_TITLE, TITLE, "%s%s%s", s->boot,
                     *s->loader ? ", " : "", s->loader);
    if (!s->has_machine)
        return;
    print_memory(s, memory);
    grid_text(g, MARGIN, ROW_CPU, 8, PLAIN, "CPU");
    grid_text(g, 9, ROW_CPU, 52, STRONG, s->cpu);
    grid_print_right(g, END, ROW_CPU, STRONG, "%u CPU%s, %s", s->cpus, fmt_plural(s->cpus), s->isa);
    grid_text(g, MARGIN, ROW_MEMORY, 8, PLAIN, "Memory");
    grid_text(g, 9, ROW_MEMORY, MEMORY_COLUMNS, STRONG, memory);
    grid_print_right(g, END, ROW_MEMORY, STRONG, "%u node%s", s->nodes, fmt_plural(s->nodes));
}

/* The slowest of the other nodes' CPUs; 0: not measured. */
static double remote_rate(const struct screen_rates *r, size_t own)
{
    double slowest = 0;

    for (size_t i = 0; i < NODES_MAX; i++) {
        double mb_s = r->from[i].mb_s;

        if (i != own && mb_s > 0 && (!(slowest > 0) || mb_s < slowest))
            slowest = mb_s;
    }
    return slowest;
}

static void paint_rate(struct grid *g, unsigned end, unsigned row, double mb_s)
{
    if (mb_s > 0)
        grid_print_right(g, end, row, STRONG, "%.0f", mb_s);
    else
        grid_print_right(g, end, row, DIM, "-");
}

static void paint_nodes(const struct screen_state *s, struct grid *g, const struct screen_layout *l)
{
    enum { RAM = 36, READ = 47, READ_OTHER = 57, WRITE = 69, WRITE_OTHER = 79 };
    unsigned row = l->nodes;
    bool several = s->n_nodes > 1;

    grid_fill(g, MARGIN, row, WIDTH, 1, GLYPH_RULE, DIM);
    grid_print(g, MARGIN + 2, row, HEADING, " Node ");
    grid_print(g, 10, row, HEADING, " CPUs ");
    grid_print_right(g, RAM + 1, row, HEADING, " RAM ");
    grid_print_right(g, READ + 1, row, HEADING, " read MB/s ");
    grid_print_right(g, WRITE + 1, row, HEADING, " write MB/s ");
    if (several) {
        grid_print_right(g, READ_OTHER + 1, row, HEADING, " remote ");
        grid_print_right(g, WRITE_OTHER, row, HEADING, " remote");
    }
    for (size_t i = 0; i < s->n_nodes && i < l->n_nodes; i++) {
        const struct screen_node *n = &s->node[i];

        row++;
        if (i + 1 == l->n_nodes && s->n_nodes > l->n_nodes) {
            grid_print(g, MARGIN + 3, row, PLAIN, "and %zu more nodes, in the report",
                       s->n_nodes - i);
            return;
        }
        grid_print_right(g, MARGIN + 7, row, STRONG, "%u", n->node);
        grid_print(g, 11, row, STRONG, "%s", n->cpus);
        grid_print_right(g, RAM, row, STRONG, "%s", FMT_SIZE(n->ram_bytes));
        paint_rate(g, READ, row, n->read.from[i].mb_s);
        paint_rate(g, WRITE, row, n->write.from[i].mb_s);
        if (several) {
            paint_rate(g, READ_OTHER, row, remote_rate(&n->read, i));
            paint_rate(g, WRITE_OTHER, row, remote_rate(&n->write, i));
        }
    }
}

static void paint_fault(struct grid *g, unsigned row, const struct screen_fault *f,
                        bool is_encrypted)
{
    char bits[40];
    struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));

    if (!is_encrypted)
        format_text_append_bits(&b, f->expected ^ f->found);
    grid_print(g, MARGIN, row, STRONG, "0x%012lx", f->addr);
    grid_print(g, 17, row, STRONG, "%016lx", f->expected);
    grid_print(g, 35, row, STRONG, "%016lx", f->found);
    grid_text(g, 53, row, 9, BAD, bits);
    grid_text(g, 63, row, 11, PLAIN, f->test);
    grid_print_right(g, END, row, PLAIN, "%u", f->cpu);
}

static void paint_alias(struct grid *g, unsigned row, const struct alias *alias)
{
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    format_text_append_alias(&b, alias);
    grid_text(g, MARGIN, row, WIDTH, BAD, text);
}

static void paint_no_fault(const struct screen_state *s, struct grid *g, unsigned row)
{
    if (s->has_ecc_errors)
        grid_text(g, MARGIN, row, WIDTH, BAD,
                  s->n_mces ? "ECC reports errors of memory (machine checks); no other fault"
                            : "ECC reports errors of memory (by firmware); no other fault");
    else
        grid_text(g, MARGIN, row, WIDTH, s->has_progress ? GOOD : PLAIN,
                  s->has_result ? "no fault" : "no fault so far");
}

void screen_paint_errors(const struct screen_state *s, struct grid *g,
                         const struct screen_layout *l)
{
    unsigned row = l->errors + 1, end = l->errors + 2 + l->n_faults;
    char bits[40], note[72];
    struct fmt_buffer b = fmt_buffer_make(bits, sizeof(bits));
    struct fmt_buffer n = fmt_buffer_make(note, sizeof(note));

    if (s->n_mces)
        fmt_append(&n, "%lu machine check%s", s->n_mces, fmt_plural(s->n_mces));
    else if (s->n_reported)
        fmt_append(&n, "%lu report%s of firmware", s->n_reported, fmt_plural(s->n_reported));
    else if (s->n_external)
        fmt_append(&n, "%lu line%s changed by a device or firmware: no fault", s->n_external,
                   fmt_plural(s->n_external));
    else if (s->n_records > 1)
        fmt_append(&n, "newest first");
    screen_paint_heading(g, l->errors, "Errors", note);
    if (!s->n_faults && !s->bad_pages) {
        paint_no_fault(s, g, row);
        return;
    }
    format_text_append_failing_bits(&b, s->failing_bits, s->is_encrypted);
    if (!s->n_faults)
        grid_print(g, MARGIN, row, BAD, "%lu bad page%s%s", s->bad_pages, fmt_plural(s->bad_pages),
                   s->has_ecc_errors ? ", by errors that ECC reported" : "");
    else if (s->is_encrypted)
        grid_print(g, MARGIN, row, BAD, "%lu fault%s in %lu bad page%s, bits: %s", s->n_faults,
                   fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages), bits);
    else
        grid_print(g, MARGIN, row, BAD, "%lu fault%s in %lu bad page%s, failing bits 0x%016lx (%s)",
                   s->n_faults, fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages),
                   s->failing_bits, bits);
    row++;
    if (s->alias.pages)
        paint_alias(g, row++, &s->alias);
    if (end - row > 2) {
        grid_print(g, MARGIN, row, DIM,
                   "address         expected          found             %-10stest         CPU",
                   s->is_encrypted ? "" : "bits");
        row++;
    }
    for (uint64_t i = s->n_records; i > 0 && s->n_records - i < SCREEN_FAULTS_MAX && row < end;
         i--, row++)
        paint_fault(g, row, &s->fault[(i - 1) % SCREEN_FAULTS_MAX], s->is_encrypted);
}

static void paint_badram_heading(const struct screen_state *s, struct grid *g, unsigned row)
{
    char note[80] = "";

    if (s->badram.line[0])
        fmt_print(note, sizeof(note), "%zu pattern%s, %lu page%s (%s) sacrificed",
                  s->badram.n_patterns, fmt_plural(s->badram.n_patterns),
                  s->badram.sacrificed_pages, fmt_plural(s->badram.sacrificed_pages),
                  FMT_SIZE(s->badram.sacrificed_pages << PAGE_SHIFT));
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
        whole = s->report_place ? "The whole line is " : "patterns=8 makes it shorter";
        place = s->report_place ? s->report_place : "";
    }
    grid_print(g, MARGIN, row, WARN, "part %zu of %zu (space: next). %s%s", part + 1, n_parts,
               whole, place);
}

void screen_paint_badram(const struct screen_state *s, struct grid *g,
                         const struct screen_layout *l)
{
    unsigned shown = screen_rows_shown(l);
    size_t n_parts = screen_parts(l),
           part = screen_part_of(s->badram_part, s->badram_parts, n_parts);
    size_t first = part * shown, i = 0;
    const char *text = s->lines;

    paint_badram_heading(s, g, l->badram);
    if (!*text)
        grid_text(g, MARGIN, l->badram + 1, WIDTH, PLAIN,
                  s->has_result ? "none: no bad page found" : "none so far");
    for (; *text && i < first + shown; i++) {
        size_t n = screen_wrap_line(text);

        if (i >= first)
            grid_put(g, MARGIN, l->badram + 1 + (unsigned)(i - first), STRONG, text,
                     text[n - 1] == '\n' ? n - 1 : n);
        text += n;
    }
    if (n_parts > 1)
        paint_part_of_parts(s, g, l->badram + l->n_line, part, n_parts);
}

void screen_paint_warnings(const struct screen_state *s, struct grid *g,
                           const struct screen_layout *l)
{
    unsigned row = l->warnings, end = l->warnings + l->n_warnings;

    for (size_t i = 0; i < s->n_warnings && i < SCREEN_WARNINGS_MAX; i++) {
        const char *text = s->warning[i];
        size_t after = s->n_warnings - i - 1;

        for (; *text && row < end; row++) {
            size_t n = grid_wrap(text, WIDTH);

            if (row + 1 == end && after) {
                char more[24];
                unsigned width = (unsigned)fmt_print(more, sizeof(more), "  and %zu more", after);

                grid_print_right(g, END, row, WARN, "%s", more);
                grid_text(g, MARGIN, row, WIDTH - width, WARN, text);
                return;
            }
            if (row + 1 == end)
                n = grid_text(g, MARGIN, row, WIDTH, WARN, text);
            else
                grid_put(g, MARGIN, row, WARN, text, n);
            text += n;
        }
    }
}

struct key {
    const char *text, *shorter;
};

static size_t keys_width(const struct key *keys, size_t n, bool shorter)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        size_t width = strlen(shorter ? keys[i].shorter : keys[i].text);

        used += width ? width + KEYS_GAP : 0;
    }
    return used;
}

static const char *how_to_stop(const struct event_keys *k)
{
    if (k->power_button)
        return k->serial
                   ? "No keyboard answers. Press the power button briefly to stop (serial port: q)."
                   : "No keyboard answers. Press the power button briefly to stop.";
    return k->serial ? "No keyboard answers. To stop, press q on the serial port, or switch off."
                     : "No keyboard answers. To stop, switch the machine off.";
}

const char *screen_instead_of_keys(const struct screen_state *s)
{
    if (s->has_result && s->is_without_keys)
        return s->turns_itself
                   ? "The run has ended. Pages turn by themselves; no keyboard answers."
                   : "The run has ended. No keyboard answers: hold the power button to switch off.";
    if (s->is_without_keys)
        return how_to_stop(&s->keys);
    if (s->turns_itself)
        return s->has_result ? "The run has ended. Pages turn by themselves; any key stops that."
                             : "Pages turn by themselves; any key stops that.";
    return NULL;
}

void screen_paint_keys(const struct screen_state *s, struct grid *g, const struct screen_layout *l)
{
    enum { N_KEYS = 8 };
    const char *pages = screen_pages_name(s, SCREEN_MEASURED);
    bool bandwidth = pages && strcmp(pages, "bandwidth") == 0;
    const struct key none = { "", "" };
    const struct key keys[N_KEYS] = {
        s->has_result ? (struct key){ "The run has ended.", "Ended:" }
                      : (struct key){ "q  stop and report", "q  stop" },
        s->has_result ? none : (struct key){ "r  report so far", "r  report" },
        s->badram.line[0] ? (struct key){ "l  other lines", "l  lines" } : none,
        s->has_result         ? (struct key){ "space  next page", "space  next" }
        : screen_parts(l) > 1 ? (struct key){ "space  next part", "space  next" }
                              : none,
        !pages      ? none
        : bandwidth ? (struct key){ "b  bandwidth", "b  bandwidth" }
                    : (struct key){ "b  warnings", "b  warnings" },
        screen_pages_count(s, SCREEN_CODES) ? (struct key){ "c  QR code", "c  QR code" } : none,
        s->has_result ? (struct key){ "x  restart", "x  restart" } : none,
        !s->support     ? none
        : s->has_result ? (struct key){ "s  details", "s  more" }
                        : (struct key){ "s  support", "s  support" },
    };
    bool shorter = keys_width(keys, N_KEYS, false) > WIDTH + KEYS_GAP;
    unsigned column = MARGIN;

    grid_fill(g, 0, row_keys(g), g->columns, 1, ' ', KEYS);
    if (*s->after_result) {
        grid_text(g, MARGIN, row_keys(g), WIDTH, KEYS, s->after_result);
        return;
    }
    if (screen_instead_of_keys(s)) {
        grid_text(g, MARGIN, row_keys(g), WIDTH, KEYS, screen_instead_of_keys(s));
        return;
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        const char *text = shorter ? keys[i].shorter : keys[i].text;

        if (*text && column + strlen(text) <= END) /* the last is the least important */
            column += grid_print(g, column, row_keys(g), KEYS, "%s", text) + KEYS_GAP;
    }
}

void screen_paint(const struct screen_state *s, struct grid *g)
{
    struct screen_area panels = screen_side_panels_area(s, g->columns, g->rows);
    struct screen_layout l = screen_lay_out(s, screen_side_panels_leave(panels, g->rows));

    grid_clear(g, PLAIN);
    screen_paint_machine(s, g);
    paint_nodes(s, g, &l);
    if (s->has_result)
        screen_paint_verdict(s, g, &l);
    else
        screen_paint_progress(s, g, &l);
    if (!s->has_result && l.gap && g->columns < SCREEN_WIDE_COLUMNS)
        screen_picture_paint_strip(s, g, l.errors - 1);
    screen_paint_errors(s, g, &l);
    screen_paint_badram(s, g, &l);
    screen_paint_warnings(s, g, &l);
    screen_side_panels_paint(s, g, panels);
    screen_paint_keys(s, g, &l);
}

size_t screen_badram_parts(const struct screen_state *s, unsigned columns, unsigned rows)
{
    struct screen_area panels = screen_side_panels_area(s, columns, rows);
    struct screen_layout l = screen_lay_out(s, screen_side_panels_leave(panels, rows));

    return screen_parts(&l);
}

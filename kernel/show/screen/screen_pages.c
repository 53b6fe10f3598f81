// SPDX-License-Identifier: MIT
#include "screen/screen_pages.h"

#include "lib/panic.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_codes.h"
#include "screen/screen_section.h"
#include "screen/screen_side_panels.h"

#define SECTIONS_MAX 12 /* of a kind */

static const struct screen_section *const sections[SCREEN_KINDS][SECTIONS_MAX] = {
    /* In the order of measurement, so that new pages follow existing ones. */
    [SCREEN_MEASURED] = {
        &section_caches,
        &section_curve,
        &section_matrix,
        &section_triad,
        &section_read,
        &section_contention,
        &section_loaded,
        &section_redundancy,
        &section_warnings,
    },
    [SCREEN_CODES] = { &section_line_codes, &section_report_codes },
    [SCREEN_SUPPORT] = { &section_diagnosis, &section_advice, &section_excluded, &section_modules, &section_support },
};

/* 0 pages beyond the last section. */
static size_t parts_on(const struct screen_state *s, enum screen_pages kind, size_t section,
                       unsigned rows)
{
    const struct screen_section *found = sections[kind][section];

    return found ? found->parts(s, rows) : 0;
}

static size_t parts(const struct screen_state *s, enum screen_pages kind, size_t section)
{
    return parts_on(s, kind, section, s->rows_min);
}

/* The pages of the sections before `end`. */
static size_t count_on(const struct screen_state *s, enum screen_pages kind, size_t end,
                       unsigned rows)
{
    size_t n = 0;

    for (size_t i = 0; i < end; i++)
        n += parts_on(s, kind, i, rows);
    return n;
}

size_t screen_pages_count(const struct screen_state *s, enum screen_pages kind)
{
    return count_on(s, kind, SECTIONS_MAX, s->rows_min);
}

const char *screen_pages_name(const struct screen_state *s, enum screen_pages kind)
{
    size_t n = screen_pages_count(s, kind);

    if (!n)
        return NULL;
    if (kind == SCREEN_CODES)
        return "QR code";
    if (kind == SCREEN_SUPPORT)
        return "support";
    return n == section_warnings.parts(s, s->rows_min) ? "warnings" : "bandwidth";
}

/* To the first page of the next section that has one, or back to this one's. */
static void next_section(struct screen_state *s)
{
    enum screen_pages kind = s->shown;

    s->page[kind].part = 0;
    for (size_t i = 0; i < SECTIONS_MAX; i++) {
        s->page[kind].section = (s->page[kind].section + 1) % SECTIONS_MAX;
        if (parts(s, kind, s->page[kind].section))
            return;
    }
}

/* What had more pages may have fewer now: a badram line can become shorter. */
static void keep_within(struct screen_state *s)
{
    size_t n = parts(s, s->shown, s->page[s->shown].section);

    if (!n)
        next_section(s);
    else if (s->page[s->shown].part >= n)
        s->page[s->shown].part = n - 1;
}

void screen_pages_turn(struct screen_state *s, enum screen_pages kind)
{
    if (s->shown == kind) {
        s->shown = screen_home(s);
        return;
    }
    if (!screen_pages_count(s, kind))
        return;
    s->shown = kind;
    if (kind == SCREEN_CODES)
        screen_codes_renew_report(s);
    keep_within(s);
}

void screen_pages_next(struct screen_state *s)
{
    ASSERT(screen_pages_count(s, s->shown));
    if (s->page[s->shown].part + 1 < parts(s, s->shown, s->page[s->shown].section))
        s->page[s->shown].part++;
    else
        next_section(s);
}

static void paint_title(const struct screen_state *s, struct grid *g, size_t part)
{
    size_t before = count_on(s, s->shown, s->page[s->shown].section, g->rows);

    grid_fill(g, 0, ROW_TITLE, g->columns, 1, ' ', TITLE);
    grid_print(g, MARGIN, ROW_TITLE, TITLE, "okram %s   %s", s->version,
               screen_pages_name(s, s->shown));
    grid_print_right(g, g->columns - MARGIN, ROW_TITLE, TITLE, "page %zu of %zu", before + part + 1,
                     count_on(s, s->shown, SECTIONS_MAX, g->rows));
}

static void paint_status(const struct screen_state *s, struct grid *g)
{
    const struct event_progress *p = &s->progress;
    bool bad = s->n_faults || s->bad_pages;
    char doing[80] = "starting";

    if (bad) {
        grid_print(g, MARGIN, page_end(g->rows), BAD,
                   "Memory test: %lu fault%s in %lu bad page%s, see the main page", s->n_faults,
                   fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages));
        return;
    }
    if (s->has_result)
        string_copy(doing,
                    strcmp(s->reason, REASON_INTERNAL_ERROR) == 0 ? "internal error"
                    : strcmp(s->status, "error") == 0             ? "nothing could be tested"
                    : strcmp(s->status, "corrected") == 0         ? "ECC corrected errors"
                    : strcmp(s->status, "fail") == 0    ? "ECC could not correct all errors"
                    : strcmp(s->status, "stopped") == 0 ? "stopped"
                    : s->result.complete                ? "passed"
                                                        : "passed, but incomplete",
                    sizeof(doing));
    else if (strcmp(s->phase, "test") == 0)
        fmt_print(doing, sizeof(doing), "%s, %u of %u, pass %u at %u %%", s->test,
                  p->test_index + 1, p->n_tests, p->pass,
                  format_text_percent(format_text_part_of_pass(p)));
    else if (strcmp(s->phase, "bandwidth") == 0)
        string_copy(doing, "starts after the measurements", sizeof(doing));
    grid_print(g, MARGIN, page_end(g->rows), PLAIN, "Memory test: %s, no%s fault%s", doing,
               s->has_ecc_errors ? " other" : "", s->has_result ? "" : " so far");
}

static char key_of(enum screen_pages kind)
{
    return kind == SCREEN_CODES ? 'c' : kind == SCREEN_SUPPORT ? 's' : 'b';
}

static void paint_keys(const struct screen_state *s, struct grid *g)
{
    grid_fill(g, 0, row_keys(g), g->columns, 1, ' ', KEYS);
    if (screen_instead_of_keys(s)) {
        grid_text(g, MARGIN, row_keys(g), WIDTH, KEYS, screen_instead_of_keys(s));
        return;
    }
    grid_print(g, MARGIN, row_keys(g), KEYS, "%c  back%s%s", key_of(s->shown),
               screen_pages_count(s, s->shown) > 1 ? "    space  next page" : "",
               s->has_result ? "" : "    q  stop and report    r  report so far");
}

void screen_pages_paint(struct screen_state *s, struct grid *g)
{
    const struct screen_section *section;
    size_t part;

    keep_within(s);
    section = sections[s->shown][s->page[s->shown].section];
    part = screen_part_of(s->page[s->shown].part, section->parts(s, s->rows_min),
                          section->parts(s, g->rows));
    grid_clear(g, PLAIN);
    paint_title(s, g, part);
    if (section->prepare)
        section->prepare(s, part);
    else
        paint_status(s, g);
    section->paint(s, g, part);
    if (s->shown == SCREEN_MEASURED)
        screen_side_panels_paint_beside(s, g);
    paint_keys(s, g);
}

// SPDX-License-Identifier: MIT
#include "screen/screen_pages.h"

#include "lib/panic.h"
#include "lib/string.h"
#include "report/phrases.h"
#include "screen/screen_codes.h"
#include "screen/screen_section.h"

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
};

/* 0 pages beyond the last section. */
static size_t parts(const struct screen_state *s, enum screen_pages kind, size_t section)
{
    const struct screen_section *found = sections[kind][section];

    return found ? found->parts(s) : 0;
}

size_t screen_pages_count(const struct screen_state *s, enum screen_pages kind)
{
    size_t n = 0;

    for (size_t i = 0; i < SECTIONS_MAX; i++)
        n += parts(s, kind, i);
    return n;
}

const char *screen_pages_name(const struct screen_state *s, enum screen_pages kind)
{
    size_t n = screen_pages_count(s, kind);

    if (!n)
        return NULL;
    if (kind == SCREEN_CODES)
        return "QR code";
    return n == section_warnings.parts(s) ? "warnings" : "bandwidth";
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
        s->shown = SCREEN_MAIN;
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

static void paint_title(const struct screen_state *s, struct grid *g)
{
    size_t number = s->page[s->shown].part + 1;

    for (size_t i = 0; i < s->page[s->shown].section; i++)
        number += parts(s, s->shown, i);
    grid_fill(g, 0, ROW_TITLE, GRID_COLUMNS, 1, ' ', TITLE);
    grid_print(g, MARGIN, ROW_TITLE, TITLE, "okram %s   %s", s->version,
               screen_pages_name(s, s->shown));
    grid_print_right(g, END, ROW_TITLE, TITLE, "page %zu of %zu", number,
                     screen_pages_count(s, s->shown));
}

static void paint_status(const struct screen_state *s, struct grid *g)
{
    const struct event_progress *p = &s->progress;
    bool bad = s->n_faults || s->bad_pages;
    char doing[80] = "starting";

    if (bad) {
        grid_print(g, MARGIN, PAGE_STATUS, BAD,
                   "Memory test: %lu fault%s in %lu bad page%s, see the main page", s->n_faults,
                   fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages));
        return;
    }
    if (s->has_result)
        string_copy(doing,
                    strcmp(s->status, "error") == 0     ? "nothing could be tested"
                    : strcmp(s->status, "stopped") == 0 ? "stopped"
                    : s->result.complete                ? "passed"
                                                        : "passed, but incomplete",
                    sizeof(doing));
    else if (strcmp(s->phase, "test") == 0)
        fmt_print(doing, sizeof(doing), "%s, %u of %u, pass %u at %u %%", s->test,
                  p->test_index + 1, p->n_tests, p->pass, phrases_percent(phrases_part_of_pass(p)));
    else if (strcmp(s->phase, "bandwidth") == 0)
        string_copy(doing, "starts after the measurements", sizeof(doing));
    grid_print(g, MARGIN, PAGE_STATUS, PLAIN, "Memory test: %s, no fault%s", doing,
               s->has_result ? "" : " so far");
}

static void paint_keys(const struct screen_state *s, struct grid *g)
{
    grid_fill(g, 0, ROW_KEYS, GRID_COLUMNS, 1, ' ', KEYS);
    grid_print(g, MARGIN, ROW_KEYS, KEYS, "%c  back%s%s", s->shown == SCREEN_CODES ? 'c' : 'b',
               screen_pages_count(s, s->shown) > 1 ? "    space  next page" : "",
               s->has_result ? "" : "    q  stop and report    r  report so far");
}

void screen_pages_paint(struct screen_state *s, struct grid *g)
{
    const struct screen_section *section;
    size_t part;

    keep_within(s);
    section = sections[s->shown][s->page[s->shown].section];
    part = s->page[s->shown].part;
    grid_clear(g, PLAIN);
    paint_title(s, g);
    if (section->prepare)
        section->prepare(s, part);
    else
        paint_status(s, g);
    section->paint(s, g, part);
    paint_keys(s, g);
}

// SPDX-License-Identifier: MIT
#include "screen/screen_pages.h"

#include "lib/panic.h"
#include "lib/string.h"
#include "report/phrases.h"
#include "screen/screen_section.h"

/* In the order of measurement, so that new pages follow existing ones. */
static const struct screen_section *const sections[] = {
    &section_caches,     &section_curve,  &section_matrix,     &section_triad,    &section_read,
    &section_contention, &section_loaded, &section_redundancy, &section_warnings,
};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

size_t screen_pages_count(const struct screen_state *s)
{
    size_t n = 0;

    for (size_t i = 0; i < N_SECTIONS; i++)
        n += sections[i]->parts(s);
    return n;
}

const char *screen_pages_name(const struct screen_state *s)
{
    size_t n = screen_pages_count(s);

    if (!n)
        return NULL;
    return n == section_warnings.parts(s) ? "warnings" : "bandwidth";
}

/* To the first page of the next section that has one, or back to this one's. */
static void next_section(struct screen_state *s)
{
    s->page.part = 0;
    for (size_t i = 0; i < N_SECTIONS; i++) {
        s->page.section = (s->page.section + 1) % N_SECTIONS;
        if (sections[s->page.section]->parts(s))
            return;
    }
}

void screen_pages_turn(struct screen_state *s)
{
    if (!s->page.visible && !screen_pages_count(s))
        return;
    s->page.visible = !s->page.visible;
    if (!sections[s->page.section]->parts(s))
        next_section(s);
}

void screen_pages_next(struct screen_state *s)
{
    ASSERT(screen_pages_count(s));
    if (s->page.part + 1 < sections[s->page.section]->parts(s))
        s->page.part++;
    else
        next_section(s);
}

static void paint_title(const struct screen_state *s, struct grid *g)
{
    size_t number = s->page.part + 1;

    for (size_t i = 0; i < s->page.section; i++)
        number += sections[i]->parts(s);
    grid_fill(g, 0, ROW_TITLE, GRID_COLUMNS, 1, ' ', TITLE);
    grid_print(g, MARGIN, ROW_TITLE, TITLE, "okram %s   %s", s->version, screen_pages_name(s));
    grid_print_right(g, END, ROW_TITLE, TITLE, "page %zu of %zu", number, screen_pages_count(s));
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
    grid_print(g, MARGIN, ROW_KEYS, KEYS, "b  back%s%s",
               screen_pages_count(s) > 1 ? "    space  next page" : "",
               s->has_result ? "" : "    q  stop and report    r  report so far");
}

void screen_pages_paint(const struct screen_state *s, struct grid *g)
{
    grid_clear(g, PLAIN);
    paint_title(s, g);
    sections[s->page.section]->paint(s, g, s->page.part);
    paint_status(s, g);
    paint_keys(s, g);
}

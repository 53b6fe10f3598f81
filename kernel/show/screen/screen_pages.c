// SPDX-License-Identifier: MIT
#include "screen/screen_pages.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_bandwidth.h"
#include "screen/screen_code.h"
#include "screen/screen_details.h"
#include "screen/screen_modules.h"
#include "screen/screen_section.h"

size_t screen_pages_count(const struct screen_state *s, enum screen_pages kind)
{
    switch (kind) {
    case SCREEN_BANDWIDTH: return screen_bandwidth_exists(s);
    case SCREEN_CODE: return s->has_machine;
    case SCREEN_DETAILS: return screen_details_count(s, s->rows_min);
    default: return 1;
    }
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
    if (kind == SCREEN_CODE)
        screen_code_renew_report(s);
}

void screen_pages_next(struct screen_state *s)
{
    size_t n = screen_pages_count(s, s->shown);

    if (s->shown == SCREEN_DETAILS && n)
        s->details_page = (s->details_page + 1) % n;
}

static void paint_status(const struct screen_state *s, struct grid *g)
{
    const struct event_progress *p = &s->progress;
    bool bad = s->n_faults || s->bad_pages;
    char doing[80] = "starting";

    if (bad) {
        if (s->n_faults)
            grid_print(g, AT(MARGIN, page_end(g->rows)), BAD,
                       "Memory test: %lu fault%s in %lu bad page%s, see the main page", s->n_faults,
                       fmt_plural(s->n_faults), s->bad_pages, fmt_plural(s->bad_pages));
        else
            grid_print(g, AT(MARGIN, page_end(g->rows)), BAD,
                       "Memory test: %lu bad page%s, see the main page", s->bad_pages,
                       fmt_plural(s->bad_pages));
        return;
    }
    if (s->has_result)
        string_copy(doing,
                    s->result.reason == REASON_INTERNAL_ERROR ? "internal error"
                    : s->result.reason == REASON_CPU          ? "a CPU has failed"
                    : s->result.verdict == VERDICT_ERROR      ? "nothing could be tested"
                    : s->result.verdict == VERDICT_CORRECTED  ? "ECC corrected errors"
                    : s->result.verdict == VERDICT_FAIL       ? "ECC could not correct all errors"
                    : s->result.verdict == VERDICT_STOPPED    ? "stopped"
                    : s->result.complete                      ? "passed"
                                                              : "passed, but incomplete",
                    sizeof(doing));
    else if (strcmp(s->phase, "test") == 0)
        fmt_print(doing, sizeof(doing), "%s, %u of %u, pass %u at %u %%", s->test,
                  p->test_index + 1, p->n_tests, p->pass,
                  format_text_percent(format_text_part_of_pass(p)));
    else if (strcmp(s->phase, "bandwidth") == 0)
        string_copy(doing, "starts after the measurements", sizeof(doing));
    grid_print(g, AT(MARGIN, page_end(g->rows)), PLAIN, "Memory test: %s, no%s fault%s", doing,
               s->has_ecc_errors ? " other" : "", s->has_result ? "" : " so far");
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

/* Before a restart: by UEFI a report may be kept, by BIOS it is on the stick or nowhere. */
static const char *ask_restart(const struct screen_state *s)
{
    switch (s->kept.phase) {
    case KEPT_DONE: return "Press x again to restart. The report is kept.";
    case KEPT_BEGUN: return "Press x again to restart as soon as the report is kept.";
    default:
        if (s->stick.phase == KEPT_DONE)
            return "Press x again to restart. The report is on the stick.";
        return s->report_place
                   ? "LOST WITH A RESTART, except on the serial port. Press x again to restart."
                   : "LOST WITH A RESTART: photograph this result first. Press x again to restart.";
    }
}

/* About the key that is to be pressed again. */
static const char *ask_again(const struct screen_state *s)
{
    switch (s->asked_key) {
    case 'q': return "Press q again to stop and see the result. Any other key: go on.";
    case 'n': return "Press n again to skip this test: no whole pass then. Any other key: go on.";
    default: return ask_restart(s);
    }
}

/* Pages turn by themselves, or no keyboard answers; NULL: neither. */
static const char *instead_of_keys(const struct screen_state *s)
{
    if (s->asked_key)
        return ask_again(s);
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

/* False: something else is in the row. */
static bool begin_keys(const struct screen_state *s, struct grid *g)
{
    const char *instead = instead_of_keys(s);

    grid_fill(g, AREA(0, row_keys(g), g->columns, 1), CELL(' ', KEYS));
    if (instead)
        grid_text(g, AT(MARGIN, row_keys(g)), g->columns - 2 * MARGIN, KEYS, instead);
    return !instead;
}

#define KEYS_GAP    4
#define SHORTER_GAP 3

struct key {
    const char *text, *shorter;
};

static size_t keys_width(const struct key *keys, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++)
        used += *keys[i].text ? strlen(keys[i].text) + KEYS_GAP : 0;
    return used;
}

void screen_paint_keys(const struct screen_state *s, struct grid *g)
{
    enum { N_KEYS = 9 };
    const struct key none = { "", "" };
    const struct key keys[N_KEYS] = {
        s->has_result ? (struct key){ "The run has ended.", "Ended:" }
                      : (struct key){ "q  stop", "q stop" },
        s->has_result ? none : (struct key){ "r  report", "r report" },
        s->badram.line[0] ? (struct key){ "l  other lines", "l lines" } : none,
        s->has_result         ? (struct key){ "space  next page", "space next" }
        : s->badram_parts > 1 ? (struct key){ "space  next part", "space next" }
                              : none,
        screen_pages_count(s, SCREEN_BANDWIDTH) ? (struct key){ "b  bandwidth", "b speed" } : none,
        screen_pages_count(s, SCREEN_CODE) ? (struct key){ "c  QR code", "c QR" } : none,
        s->has_result ? (struct key){ "x  restart", "x restart" } : none,
        screen_pages_count(s, SCREEN_DETAILS) ? (struct key){ "s  details", "s more" } : none,
        { "h  help", "h help" },
    };
    bool shorter = keys_width(keys, N_KEYS) > g->columns - 2 * MARGIN + KEYS_GAP;
    unsigned column = MARGIN;

    if (!begin_keys(s, g))
        return;
    if (*s->after_result) {
        screen_paint_wrapped(g, AREA(MARGIN, row_keys(g), g->columns - 2 * MARGIN, 1), KEYS,
                             s->after_result);
        return;
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        const char *text = shorter ? keys[i].shorter : keys[i].text;

        if (*text)
            column += grid_print(g, AT(column, row_keys(g)), KEYS, "%s", text) +
                      (shorter ? SHORTER_GAP : KEYS_GAP);
    }
}

static void paint_keys_of_page(const struct screen_state *s, struct grid *g)
{
    char key = s->shown == SCREEN_CODE      ? 'c'
               : s->shown == SCREEN_DETAILS ? 's'
               : s->shown == SCREEN_HELP    ? 'h'
                                            : 'b';

    if (begin_keys(s, g))
        grid_print(g, AT(MARGIN, row_keys(g)), KEYS, "%c  back%s%s", key,
                   screen_pages_count(s, s->shown) > 1 ? "    space  next page" : "",
                   s->has_result ? "" : "    q  stop and report    r  report so far");
}

static void paint_details(struct screen_state *s, struct grid *g)
{
    size_t n = screen_pages_count(s, SCREEN_DETAILS), page;
    char number[32];

    if (n && s->details_page >= n) /* there are fewer now */
        s->details_page = n - 1;
    page = screen_details_paint(s, g);
    fmt_print(number, sizeof(number), "page %zu of %zu", page + 1,
              screen_details_count(s, g->rows));
    screen_paint_title(s, g, "details", number);
}

static void paint_help(const struct screen_state *s, struct grid *g)
{
    static const char keys[] =
        "q      stop, and show the result: press it twice\n"
        "n      skip to the next test (twice): then there is no whole pass, so no PASS\n"
        "s      details: the result explained, all warnings, modules, the machine\n"
        "space  the next page or part, wherever there are several\n"
        "c      QR code of the badram line, or of a short report\n"
        "b      bandwidth and latency\n"
        "l      the line for the next bootloader or system\n"
        "r      the report so far, on the serial port\n"
        "x      at the end: restart (twice)\n"
        "h      this page, and back\n"
        "\n"
        "The power button, pressed briefly, stops the run, too.\n"
        "\n"
        "While a test runs nothing on your disks is changed. \"No fault so far\" means\n"
        "just that; a result is there after a whole pass. If faults are found, let the\n"
        "pass end: then the page of results says what to do.\n";
    struct section_text t = { .g = g };

    screen_paint_title(s, g, "help", "");
    screen_paint_heading(g, PAGE_HEADING, "Keys", "");
    section_put_text(&t, PLAIN, keys);
}

void screen_pages_paint(struct screen_state *s, struct grid *g)
{
    grid_clear(g, PLAIN);
    if (s->shown == SCREEN_CODE) { /* it may need the row of the status, which it says itself */
        screen_paint_title(s, g, "QR code", "");
        screen_code_paint_page(s, g);
    } else if (s->shown == SCREEN_DETAILS) {
        paint_details(s, g);
        paint_status(s, g);
    } else if (s->shown == SCREEN_HELP) {
        paint_help(s, g);
        paint_status(s, g);
    } else {
        screen_paint_title(s, g, "bandwidth",
                           s->measured.has_more ? "curves, scaling and load are in the report"
                                                : "");
        screen_bandwidth_paint(s, g);
        if (g->columns >= SCREEN_WIDE_COLUMNS && screen_modules_rows(s))
            screen_modules_paint_list(s, g, area_beside(g->columns, g->rows));
        paint_status(s, g);
    }
    paint_keys_of_page(s, g);
}

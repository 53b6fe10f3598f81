// SPDX-License-Identifier: MIT
/* When the cover is derived, with derivations that take a given time, and which events are sent. */
#include "cover/cover_emit.h"

#include "arch/tsc.h"
#include "badram/machine.h"
#include "event/events.h"
#include "event/notices.h"
#include "faults/reporter.h"
#include "machine/board.h"
#include "memory/arena.h"
#include "progress/progress.h"

#define SECOND  UINT64_C(1000000)
#define POLL_US UINT64_C(20000)

/* --- the machine ------------------------------------------------------------------------------ */

const struct warnings notices;
struct board board;

static struct run the_run;
static struct {
    uint64_t us, took_us; /* the time; how long each derivation takes */
    unsigned quick, thorough;
    uint64_t shown_pages; /* of the last badram event */
} now;

static struct {
    uint64_t events, runs;
    bool is_over, more;
} pages;

uint64_t tsc_elapsed_us(void)
{
    return now.us;
}

static enum status derive(struct cover *ret_cover, unsigned *count)
{
    *ret_cover = (struct cover){ 0 };
    now.us += now.took_us;
    ++*count;
    return STATUS_OK;
}

enum status cover_derive_quickly(const struct fault_log *log, const struct cover_limits *limits,
                                 struct cover_work *work, struct cover *ret_cover)
{
    return derive(ret_cover, &now.quick);
}

enum status cover_derive(const struct fault_log *log, const struct cover_limits *limits,
                         struct cover_work *work, struct cover *ret_cover)
{
    return derive(ret_cover, &now.thorough);
}

uint64_t cover_spares(const struct fault_log *log, const struct cover_limits *limits,
                      uint64_t max_ranges, const struct cover *cover, struct cover_work *work)
{
    return 0;
}

void cover_append_pairs(struct fmt_buffer *out, const struct cover *cover)
{
}

void badram_line_append(struct fmt_buffer *out, const struct cover *cover)
{
}

void *arena_alloc(uint64_t bytes)
{
    fail();
    return NULL;
}

void progress_send(const struct run *run)
{
}

void reporter_log_line(struct run *run, const struct external_line *line)
{
    fail();
}

/* Of one page and of two pages in turn, three apart. */
static void receive_pages(const struct event_pages *e)
{
    assert_in_range(e->n, 1, PAGES_EVENT_RUNS);
    assert_false(pages.is_over);
    for (size_t i = 0; i < e->n; i++, pages.runs++) {
        assert_int_equal(e->run[i].base, (5 + 3 * pages.runs) << PAGE_SHIFT);
        assert_int_equal(e->run[i].size, (1 + pages.runs % 2) << PAGE_SHIFT);
    }
    pages.events++;
    pages.is_over = !e->goes_on;
    assert_true(pages.is_over || (e->n == PAGES_EVENT_RUNS && !e->more));
    pages.more = e->more;
}

void events_send(struct event *e)
{
    if (e->type == EVENT_BADRAM)
        now.shown_pages = e->badram.bad_pages;
    else if (e->type == EVENT_PAGES)
        receive_pages(&e->pages);
    else
        fail();
}

/* A log of no bad pages, which has been covered thoroughly: nothing is due. */
static struct machine *begin(void)
{
    struct machine *m = machine_make((struct span[]){ { 0, 64 * MIB }, { 0 } });

    the_run.found.log = m->log;
    the_run.plan.limits.max_ranges = 1;
    now.took_us = 0;
    cover_emit_now(&the_run);
    now.us += 3600 * SECOND;
    now.quick = now.thorough = 0;
    return m;
}

static void mark(uint64_t page)
{
    fault_log_mark_page(&the_run.found.log, page << PAGE_SHIFT);
}

/* --- when it is due --------------------------------------------------------------------------- */

static void poll_at(uint64_t us)
{
    assert_true(us >= now.us);
    now.us = us;
    cover_emit_when_due(&the_run);
}

static void assert_derived(unsigned quick, unsigned thorough, uint64_t shown_pages)
{
    assert_int_equal(now.quick, quick);
    assert_int_equal(now.thorough, thorough);
    assert_int_equal(now.shown_pages, shown_pages);
}

TEST(nothing_is_due_without_bad_pages)
{
    OWN_MACHINE m = begin();

    poll_at(now.us);
    poll_at(now.us + 3600 * SECOND);
    assert_derived(0, 0, 0);
}

TEST(the_first_bad_page_is_covered_at_once)
{
    OWN_MACHINE m = begin();

    mark(7);
    poll_at(now.us);
    assert_derived(1, 0, 1);
}

TEST(a_thorough_one_comes_once_after_the_last_page)
{
    OWN_MACHINE m = begin();
    uint64_t began_us = now.us;

    for (uint64_t page = 0; page < 5; page++)
        mark(page);
    now.took_us = 1000;
    poll_at(began_us);
    assert_derived(1, 0, 5);
    poll_at(began_us + SECOND);
    assert_derived(1, 0, 5);
    mark(5);
    poll_at(began_us + SECOND + 999);
    assert_derived(1, 0, 5);
    poll_at(began_us + SECOND + 1000);
    assert_derived(2, 0, 6);
    poll_at(began_us + 3 * SECOND);
    assert_derived(2, 1, 6);
    poll_at(began_us + 3 * SECOND + 2000);
    assert_derived(2, 1, 6);
    mark(6);
    poll_at(now.us); /* no pause follows it */
    assert_derived(3, 1, 7);
    poll_at(began_us + 3600 * SECOND);
    assert_derived(3, 2, 7);
    poll_at(began_us + 7200 * SECOND);
    assert_derived(3, 2, 7);
}

/* Where no more pages come it is due at the same time as a quick one would be. */
TEST(a_thorough_one_comes_after_the_same_pause)
{
    OWN_MACHINE m = begin();
    uint64_t began_us = now.us;

    mark(5);
    now.took_us = 1000;
    poll_at(began_us);
    poll_at(began_us + SECOND + 999);
    assert_derived(1, 0, 1);
    poll_at(began_us + SECOND + 1000);
    assert_derived(1, 1, 1);
}

struct waits {
    uint64_t longest_us, deriving_us, us;
};

/*
 * A page is found at every poll, and each derivation takes took_us: it covers what was known when
 * it began, and is shown when it ends.
 */
static struct waits pages_keep_coming(uint64_t took_us)
{
    struct machine *m = begin();
    uint64_t began_us = now.us, oldest_uncovered_us = began_us, n = 0;
    struct waits waits = { 0 };

    now.took_us = took_us;
    while (now.us - began_us < 120 * SECOND) {
        uint64_t before_us = now.us;
        unsigned quick = now.quick;

        mark(n++);
        cover_emit_when_due(&the_run);
        assert_int_equal(now.thorough, 0);
        if (now.quick != quick) {
            waits.deriving_us += took_us;
            if (now.us - oldest_uncovered_us > waits.longest_us)
                waits.longest_us = now.us - oldest_uncovered_us;
            oldest_uncovered_us = before_us;
        }
        now.us += POLL_US;
    }
    waits.us = now.us - began_us;
    machine_free(m);
    return waits;
}

TEST(no_page_waits_too_long)
{
    for (uint64_t took_us = 0; took_us < 2 * SECOND;
         took_us += SECOND / 51) /* between polls, too */
        assert_true(pages_keep_coming(took_us).longest_us <= COVER_EMIT_MAX_US);
}

TEST(testing_keeps_its_time)
{
    struct waits quick = pages_keep_coming(SECOND / 20), slow = pages_keep_coming(8 * SECOND);

    assert_true(quick.deriving_us * 10 <= quick.us);
    assert_true(slow.deriving_us * 10 <= slow.us * 7);
}

/* --- the pages -------------------------------------------------------------------------------- */

static const struct {
    uint64_t runs, events, sent;
    bool more;
} cases[] = {
    { 0, 0, 0, false },
    { 1, 1, 1, false },
    { PAGES_EVENT_RUNS, 1, PAGES_EVENT_RUNS, false },
    { PAGES_EVENT_RUNS + 1, 2, PAGES_EVENT_RUNS + 1, false },
    { PAGES_RUNS_MAX, PAGES_RUNS_MAX / PAGES_EVENT_RUNS, PAGES_RUNS_MAX, false },
    { PAGES_RUNS_MAX + 1, PAGES_RUNS_MAX / PAGES_EVENT_RUNS, PAGES_RUNS_MAX, true },
};

TEST(all_runs_in_as_few_events_as_possible)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_MACHINE m = begin();

        for (uint64_t n = 0; n < cases[i].runs; n++) {
            mark(5 + 3 * n);
            if (n % 2)
                mark(6 + 3 * n);
        }
        memset(&pages, 0, sizeof(pages));
        cover_emit_final(&the_run);
        assert_int_equal(pages.events, cases[i].events);
        assert_int_equal(pages.runs, cases[i].sent);
        assert_int_equal(pages.is_over, cases[i].runs > 0);
        assert_int_equal(pages.more, cases[i].more);
    }
}

/* Which side is the faulty one is not known when a run ends before more pairs were looked for. */
TEST(a_panics_line_has_both_pages_of_an_alias)
{
    static struct external_line lines[EXTERNAL_LINES];
    static _Atomic uint64_t bitmap[64 * MIB / PAGE_SIZE / 64];
    OWN_MACHINE m = begin();
    struct found *found = &the_run.found;
    char text[300];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    external_init(&found->external, lines, 64 * MIB);
    aliases_init(&found->aliases, &found->log, bitmap);
    aliases_add(&found->aliases, 0x500000, 0x300000);
    cover_emit_append(&the_run, &b);
    assert_non_null(strstr(text, "2 bad pages were found"));
    assert_non_null(strstr(text, "0x500000,0xffffffffff000"));
    assert_non_null(strstr(text, "0x300000,0xffffffffff000"));
    found->external.line = NULL;
}

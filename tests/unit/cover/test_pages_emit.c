// SPDX-License-Identifier: MIT
/* Which bad pages are sent, and in how many events. */
#include "cover/pages_emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/events.h"

static uint64_t n_runs; /* of one page and of two pages in turn, three apart */
static uint64_t sent, events;
static bool is_over, more;

bool fault_log_next_run(const struct fault_log *log, uint64_t *index, struct page_run *ret_run)
{
    if (*index == n_runs)
        return false;
    *ret_run = (struct page_run){ 5 + 3 * *index, 1 + *index % 2 };
    (*index)++;
    return true;
}

void events_send(struct event *e)
{
    assert_int_equal(e->type, EVENT_PAGES);
    assert_in_range(e->pages.n, 1, PAGES_EVENT_RUNS);
    assert_false(is_over);
    for (size_t i = 0; i < e->pages.n; i++, sent++) {
        assert_int_equal(e->pages.run[i].base, (5 + 3 * sent) << PAGE_SHIFT);
        assert_int_equal(e->pages.run[i].size, (1 + sent % 2) << PAGE_SHIFT);
    }
    events++;
    is_over = !e->pages.goes_on;
    assert_true(is_over || (e->pages.n == PAGES_EVENT_RUNS && !e->pages.more));
    more = e->pages.more;
}

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

static void all_runs_in_as_few_events_as_possible(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        n_runs = cases[i].runs;
        sent = events = 0;
        is_over = more = false;
        pages_emit(NULL);
        assert_int_equal(events, cases[i].events);
        assert_int_equal(sent, cases[i].sent);
        assert_int_equal(is_over, n_runs > 0);
        assert_int_equal(more, cases[i].more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_runs_in_as_few_events_as_possible) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

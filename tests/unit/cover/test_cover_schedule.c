// SPDX-License-Identifier: MIT
#include "cover/cover_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those before. */
#include <cmocka.h>

#define SECOND  UINT64_C(1000000)
#define POLL_US UINT64_C(20000)

static void nothing_is_due_without_bad_pages(void **state)
{
    struct cover_schedule f = { 0 };

    assert_int_equal(cover_schedule_due(&f, 0, 0), DERIVE_NOTHING);
    assert_int_equal(cover_schedule_due(&f, 3600 * SECOND, 0), DERIVE_NOTHING);
}

static void the_first_bad_page_is_covered_at_once(void **state)
{
    struct cover_schedule f = { 0 };

    assert_int_equal(cover_schedule_due(&f, 7, 1), DERIVE_FAST);
}

static void well_comes_once_after_the_last_page(void **state)
{
    struct cover_schedule f = { 0 };

    cover_schedule_derived(&f, DERIVE_FAST, 5, 0, 1000);
    assert_int_equal(cover_schedule_due(&f, SECOND, 5), DERIVE_NOTHING);
    assert_int_equal(cover_schedule_due(&f, SECOND, 6), DERIVE_NOTHING);
    assert_int_equal(cover_schedule_due(&f, SECOND + 1000, 6), DERIVE_FAST);
    assert_int_equal(cover_schedule_due(&f, SECOND + 1000, 5), DERIVE_FULL);
    cover_schedule_derived(&f, DERIVE_FULL, 5, 2 * SECOND, 3 * SECOND);
    assert_int_equal(cover_schedule_due(&f, 3600 * SECOND, 5), DERIVE_NOTHING);
    assert_int_equal(cover_schedule_due(&f, 4 * SECOND, 6), DERIVE_FAST);
}

struct run {
    uint64_t longest_wait_us, deriving_us, us;
};

/*
 * A page is found at every poll, and each derivation takes took_us: it covers what was known when
 * it began, and is shown when it ends.
 */
static struct run pages_keep_coming(uint64_t took_us)
{
    struct cover_schedule f = { 0 };
    struct run run = { 0 };
    uint64_t oldest_uncovered_us = 0, n = 0;

    while (run.us < 120 * SECOND) {
        uint64_t began_us = run.us;

        n++;
        if (cover_schedule_due(&f, run.us, n) == DERIVE_FAST) {
            run.us += took_us;
            run.deriving_us += took_us;
            cover_schedule_derived(&f, DERIVE_FAST, n, began_us, run.us);
            if (run.us - oldest_uncovered_us > run.longest_wait_us)
                run.longest_wait_us = run.us - oldest_uncovered_us;
            oldest_uncovered_us = began_us;
        }
        run.us += POLL_US;
    }
    return run;
}

static void no_page_waits_too_long(void **state)
{
    for (uint64_t took_us = 0; took_us < 2 * SECOND; took_us += SECOND / 50)
        assert_true(pages_keep_coming(took_us).longest_wait_us <= COVER_SCHEDULE_MAX_US);
}

static void testing_keeps_its_time(void **state)
{
    struct run quick = pages_keep_coming(SECOND / 20), slow = pages_keep_coming(8 * SECOND);

    assert_true(quick.deriving_us * 10 <= quick.us);
    assert_true(slow.deriving_us * 10 <= slow.us * 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_due_without_bad_pages),
        cmocka_unit_test(the_first_bad_page_is_covered_at_once),
        cmocka_unit_test(well_comes_once_after_the_last_page),
        cmocka_unit_test(no_page_waits_too_long),
        cmocka_unit_test(testing_keeps_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

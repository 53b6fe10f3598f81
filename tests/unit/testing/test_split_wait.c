// SPDX-License-Identifier: MIT
/* A march that waits twice: all pages wait with both values, in three waits. */
#include "testing/fake_machine.h"

#define WAIT_US UINT64_C(2000000)

static void assert_all_waited(void)
{
    assert_int_equal(fake_pages_with(fake_ops_of("retention")), FAKE_PAGES);
    assert_int_equal(fake_pages_held(WAIT_US), FAKE_PAGES);
    assert_int_equal(fake.swept, fake.promised);
}

static void three_waits(void)
{
    fake_begin("retention");
    fake_run(1);
    assert_all_waited();
    assert_int_equal(fake.n_moves, 2);
    assert_true(fake.us < 3 * WAIT_US + WAIT_US / 2);
}

static void all_pages_wait_in_three_waits(void **state)
{
    fake_machine_run(three_waits);
}

/* Where okram cannot go to a third place, the two that it was in wait one after the other. */
static void no_third_place(void)
{
    fake_begin("retention");
    fake.first_bad_try = 1;
    fake.n_bad_tries = 1;
    fake_run(1);
    assert_all_waited();
    assert_true(fake.us > 4 * WAIT_US);
}

static void without_a_third_place_they_wait_in_turns(void **state)
{
    fake_machine_run(no_third_place);
}

static void no_move(void)
{
    fake_begin("retention");
    fake.first_bad_try = 0;
    fake.n_bad_tries = FAKE_NEVER;
    fake_run(1);
    assert_int_equal(fake_pages_held(WAIT_US), FAKE_PAGES - FAKE_OKRAM);
    assert_true(fake.us < 2 * WAIT_US + WAIT_US / 2);
}

static void without_a_move_the_rest_waits(void **state)
{
    fake_machine_run(no_move);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pages_wait_in_three_waits),
        cmocka_unit_test(without_a_third_place_they_wait_in_turns),
        cmocka_unit_test(without_a_move_the_rest_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

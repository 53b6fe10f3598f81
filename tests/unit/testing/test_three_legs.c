// SPDX-License-Identifier: MIT
/* A march in three legs: any two pages are together in two of them, in one round. */
#include "testing/fake_machine.h"

#include "plan/unpaired.h"

static void assert_all_had(void)
{
    assert_int_equal(fake_pages_with(fake_ops_of("march-mss+")), FAKE_PAGES);
}

static void one_round(void)
{
    fake_begin("march-mss+");
    fake_run(1);
    assert_all_had();
    assert_int_equal(fake.n_moves, 3);
    fake_assert_promised();
    assert_int_equal(fake_pairs_below(2), 0);
    assert_false(unpaired_remains(&fake.run.unpaired));
}

TEST(all_pairs_are_together_in_one_pass)
{
    fake_machine_run(one_round);
}

/* With two places okram moves as for any other test, and pairs are left. */
static void no_fourth_place(void)
{
    fake_begin("march-mss+");
    fake.n_choices = 1;
    fake_run(1);
    assert_all_had();
    assert_int_equal(fake.n_moves, 1);
    assert_true(unpaired_remains(&fake.run.unpaired));
}

TEST(without_places_it_is_done_in_parts)
{
    fake_machine_run(no_fourth_place);
}

/* When okram cannot move to a place, all is done again with others, three times. */
static uint32_t bad_try, n_bad;

static void bad_place(void)
{
    fake_begin("march-mss+");
    fake.first_bad_try = bad_try;
    fake.n_bad_tries = n_bad;
    fake_run(1);
    assert_all_had();
    if (n_bad < 4)
        assert_int_equal(fake_pairs_below(2), 0);
    assert_int_equal(unpaired_remains(&fake.run.unpaired), n_bad == 4);
}

TEST(a_failed_move_is_tried_again)
{
    for (n_bad = 1; n_bad < 4; n_bad++) {
        for (bad_try = 0; bad_try < 3; bad_try++)
            fake_machine_run(bad_place);
    }
}

TEST(four_failed_moves_leave_it_to_parts)
{
    bad_try = 0;
    n_bad = 4;
    fake_machine_run(bad_place);
}

/* But for the last place there are many. */
static void bad_last_place(void)
{
    fake_begin("march-mss+");
    fake.first_bad_try = 2;
    fake.n_bad_tries = 1;
    fake_run(1);
    assert_int_equal(fake.n_moves, 3);
    fake_assert_promised();
    assert_false(unpaired_remains(&fake.run.unpaired));
}

TEST(a_bad_last_place_costs_no_sweep)
{
    fake_machine_run(bad_last_place);
}

/* Wherever it is stopped, only what is complete counts. */
static uint32_t stop_at;

static void stop(void)
{
    fake_begin("march-mss+");
    fake.stop_at_element = stop_at;
    fake_run(1);
    assert_true(unpaired_remains(&fake.run.unpaired) || fake_pairs_below(2) == 0);
}

TEST(a_stop_leaves_pairs)
{
    for (stop_at = 0; stop_at < 40; stop_at++)
        fake_machine_run(stop);
}

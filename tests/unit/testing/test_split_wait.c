// SPDX-License-Identifier: MIT
/* A march that waits twice: all pages wait with both values, in three waits. */
#include "testing/fake_machine.h"

#define WAIT_US     UINT64_C(2000000)
#define FADE_US     UINT64_C(60000000)
#define FADE_ROUNDS 4

static void assert_all_waited(const char *test, uint64_t us)
{
    assert_int_equal(fake_pages_with(fake_ops_of(test)), FAKE_PAGES);
    assert_int_equal(fake_pages_held(us), FAKE_PAGES);
    fake_assert_promised();
}

static void three_waits(void)
{
    fake_begin("retention");
    fake_run(1);
    assert_all_waited("retention", WAIT_US);
    assert_int_equal(fake.n_moves, 2);
    assert_true(fake.us < 3 * WAIT_US + WAIT_US / 2);
}

TEST(all_pages_wait_in_three_waits)
{
    fake_machine_run(three_waits);
}

/* Each round has three waits; okram moves twice for all of them. */
static void rounds(void)
{
    fake_begin("fade");
    fake_run(1);
    assert_all_waited("fade", FADE_US);
    assert_int_equal(fake.n_moves, 2);
    assert_true(fake.us > FADE_ROUNDS * 3 * FADE_US);
    assert_true(fake.us < FADE_ROUNDS * 3 * FADE_US + FADE_US / 2);
}

TEST(rounds_wait_three_times_each)
{
    fake_machine_run(rounds);
}

/* Where okram cannot go to a third place, the two that it was in wait one after the other. */
static void no_third_place(void)
{
    fake_begin("retention");
    fake.first_bad_try = 1;
    fake.n_bad_tries = 1;
    fake_run(1);
    assert_all_waited("retention", WAIT_US);
    assert_true(fake.us > 4 * WAIT_US);
}

TEST(without_a_third_place_they_wait_in_turns)
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

TEST(without_a_move_the_rest_waits)
{
    fake_machine_run(no_move);
}

// SPDX-License-Identifier: MIT
/* Short tests: okram moves once for several of them. */
#include "testing/fake_machine.h"

#define TESTS 3

static const char short_tests[] = "address-up,random,address";

static void assert_all_had(void)
{
    assert_int_equal(fake.n_sent, TESTS);
    for (size_t i = 0; i < TESTS; i++)
        assert_int_equal(fake_pages_with(fake_ops_of(fake.sent[i].name)), FAKE_PAGES);
    fake_assert_promised();
}

static void long_move(void)
{
    fake_begin(short_tests);
    fake.move_us = 60 * 1000000;
    fake_run(1);
    assert_int_equal(fake.n_moves, 1);
    assert_all_had();
}

TEST(one_move_is_for_several_tests)
{
    fake_machine_run(long_move);
}

static void short_move(void)
{
    fake_begin(short_tests);
    fake.move_us = 1;
    fake_run(1);
    assert_int_equal(fake.n_moves, 1); /* how long one takes is known after the first */
    assert_all_had();
    fake.n_sent = 0;
    fake_run(1);
    assert_int_equal(fake.n_moves, 1 + TESTS);
}

TEST(a_short_move_is_for_one_test)
{
    fake_machine_run(short_move);
}

/* A test that cannot wait comes after those that have waited: events stay in the list's order. */
static void before_another(void)
{
    fake_begin("address-up,random,march-c-,address");
    fake.move_us = 60 * 1000000;
    fake_run(1);
    assert_int_equal(fake.n_sent, 4);
    assert_string_equal(fake.sent[1].name, "random");
    assert_string_equal(fake.sent[2].name, "march-c-");
    assert_string_equal(fake.sent[3].name, "address");
}

TEST(events_come_in_order)
{
    fake_machine_run(before_another);
}

/* Their events are sent also when the run is stopped before okram has moved for them. */
static void stop(void)
{
    fake_begin("address-up,random");
    fake.move_us = 60 * 1000000;
    fake_run(1);
    fake.n_sent = 0;
    fake.stop_at_element = fake.n_elements + 3; /* in the second, which waits for a move */
    fake_run(1);
    assert_int_equal(fake.n_sent, 2);
    assert_string_equal(fake.sent[0].name, "address-up");
    assert_int_equal(fake.sent[0].swept_bytes, 2 * (FAKE_PAGES - FAKE_OKRAM) * PAGE_SIZE);
}

TEST(a_stop_sends_what_has_waited)
{
    fake_machine_run(stop);
}

static void no_move(void)
{
    fake_begin(short_tests);
    fake.first_bad_try = 0;
    fake.n_bad_tries = FAKE_NEVER;
    fake_run(1);
    assert_int_equal(fake.n_sent, TESTS);
    assert_int_equal(fake_pages_with("0"), FAKE_PAGES - FAKE_OKRAM);
}

TEST(without_a_move_they_are_sent)
{
    fake_machine_run(no_move);
}

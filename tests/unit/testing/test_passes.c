// SPDX-License-Identifier: MIT
/* Passes: every page has every test, wherever okram is and whatever its moves do. */
#include "testing/fake_machine.h"

#include "plan/tested.h"
#include "self/unsteady.h"
#include "tests/host/aborts.h"

#define ADDRESS_UP_ELEMENTS 4
#define QUICK_ELEMENTS      16 /* of a pass of quick, in both places that okram is in */

static void assert_all_had(const char *test)
{
    assert_int_equal(fake_pages_with(fake_ops_of(test)), FAKE_PAGES);
}

static uint64_t tested_pages(bool stopped)
{
    tested_end(&fake.run.tested, stopped);
    return pieces_tested_bytes(&fake.run.plan.ram) / PAGE_SIZE;
}

static void quick(void)
{
    struct run_done done;

    fake_begin("quick");
    done = fake_run(1);
    assert_int_equal(done.passes, 1);
    assert_false(done.stopped);
    assert_all_had("address-up");
    assert_all_had("march-c-");
    assert_int_equal(fake.n_sent, 2);
    assert_string_equal(fake.sent[0].name, "address-up");
    assert_string_equal(fake.sent[1].name, "march-c-");
    fake_assert_promised();
    assert_int_equal(tested_pages(false), FAKE_PAGES);
}

/* Not even those before it: no result is to be trusted. */
static void internal_error(void)
{
    struct run_done done;

    fake_begin("quick");
    fake.first_faulty = 0;
    fake.n_faulty = 1;
    fake.has_internal_error = true;
    done = fake_run(2);
    assert_int_equal(done.passes, 0);
    assert_int_equal(done.failed, 0);
    assert_int_equal(fake.n_sent, 4); /* the run goes on to its end */
}

TEST(an_internal_error_counts_no_pass)
{
    fake_machine_run(internal_error);
}

TEST(quick_tests_all_pages)
{
    fake_machine_run(quick);
}

static void standard(void)
{
    fake_begin("standard");
    fake_run(1);
    for (size_t i = 0; i < 4; i++)
        assert_all_had(fake.sent[i].name);
    assert_int_equal(fake.n_sent, 4);
    fake_assert_promised();
    assert_int_equal(tested_pages(false), FAKE_PAGES);
}

TEST(standard_tests_all_pages)
{
    fake_machine_run(standard);
}

/* What okram was in is only unpaired until a test goes over it together with what was unpaired. */
static void two_passes(void)
{
    fake_begin("quick"); /* whose coupling test has one round */
    assert_true(unpaired_remains(&fake.run.unpaired));
    fake_run(1);
    assert_true(unpaired_remains(&fake.run.unpaired));
    assert_true(unpaired_has_page(&fake.run.unpaired, FAKE_BASE + fake.home[1] * PAGE_SIZE));
    assert_true(fake_pairs_below(2) > 0);
    fake_run(1);
    assert_false(unpaired_remains(&fake.run.unpaired));
    assert_int_equal(fake_pairs_below(2), 0);
}

TEST(pairs_are_complete_after_two_passes)
{
    fake_machine_run(two_passes);
}

/* Row hammer needs no move, and does not count as a test of all memory. */
static void hammer_alone(void)
{
    fake_begin("row-hammer");
    fake_run(1);
    assert_int_equal(fake.n_tries, 0);
    assert_int_equal(fake.n_sent, 1);
    assert_int_equal(tested_pages(false), 0);
}

TEST(row_hammer_tests_no_page)
{
    fake_machine_run(hammer_alone);
}

static void no_move(void)
{
    fake_begin("quick");
    fake.first_bad_try = 0;
    fake.n_bad_tries = FAKE_NEVER;
    fake_run(1);
    assert_int_equal(fake.n_moves, 0);
    assert_int_equal(fake_pages_with(fake_ops_of("march-c-")), FAKE_PAGES - FAKE_OKRAM);
    assert_int_equal(tested_pages(false), FAKE_PAGES - FAKE_OKRAM);
}

TEST(without_a_move_okrams_pages_are_untested)
{
    fake_machine_run(no_move);
}

/* Wherever a run of two passes is stopped. */
static uint32_t stop_at;

static void stop(void)
{
    struct run_done done;

    fake_begin("quick");
    fake.stop_at_element = stop_at;
    done = fake_run(2);
    assert_true(done.stopped);
    assert_true(done.passes < 2);
    assert_true(fake.n_sent <= 4);
    /* What counts as tested was tested: the first test of a run is the least. */
    if (tested_pages(true) == FAKE_PAGES)
        assert_all_had("address-up");
    else
        assert_true(fake_pages_with(fake_ops_of("address-up")) >=
                    pieces_tested_bytes(&fake.run.plan.ram) / PAGE_SIZE);
}

TEST(a_stop_ends_it_anywhere)
{
    for (stop_at = 0; stop_at < 2 * QUICK_ELEMENTS; stop_at++)
        fake_machine_run(stop);
}

/* Wherever a test is skipped, the others are done, and the pass is not whole. */
static void skip_one(void)
{
    struct run_done done;

    fake_begin("standard");
    fake.skip_at_element = stop_at;
    done = fake_run(1);
    assert_false(done.stopped);
    assert_int_equal(done.begun, 1);
    assert_int_equal(done.passes, 0);
    assert_int_equal(done.whole, 0);
    assert_int_equal(done.skipped_tests, 1);
    assert_int_equal(fake.n_sent, 4);
    assert_int_equal(__builtin_popcount(done.tests), 3);
    fake.skip_at_element = FAKE_NEVER;
    done = fake_run(1); /* nothing of it is left */
    assert_int_equal(done.passes, 1);
    assert_int_equal(done.skipped_tests, 0);
    assert_int_equal(tested_pages(false), FAKE_PAGES);
}

static void skip_one_of_the_first_pass(void)
{
    struct run_done done;

    fake_begin("quick");
    fake.skip_at_element = 1;
    done = fake_run(3);
    assert_int_equal(done.begun, 3);
    assert_int_equal(done.passes, 2);
    assert_int_equal(done.whole, 6); /* passes 2 and 3 */
}

TEST(whole_passes_are_known)
{
    fake_machine_run(skip_one_of_the_first_pass);
}

TEST(a_skipped_test_is_left_out)
{
    for (stop_at = 0; stop_at < QUICK_ELEMENTS; stop_at++)
        fake_machine_run(skip_one);
}

static void never(void)
{
    fake_begin("quick");
    fake.stop_at_element = 0;
    fake_run(1);
    assert_int_equal(tested_pages(true), 0);
}

TEST(nothing_counts_before_a_whole_test)
{
    fake_machine_run(never);
}

static void until_stopped(void)
{
    struct run_done done;

    fake_begin("address-up");
    fake.stop_at_element = 50;
    done = fake_run(0);
    assert_true(done.stopped);
    assert_true(done.passes > 5);
    assert_int_equal(done.reads, fake.n_sent - 1);
}

TEST(without_a_number_of_passes_it_goes_on)
{
    fake_machine_run(until_stopped);
}

static void faulty_passes(void)
{
    struct run_done done;

    fake_begin("address-up");
    fake.first_faulty = ADDRESS_UP_ELEMENTS; /* of the second pass */
    fake.n_faulty = ADDRESS_UP_ELEMENTS + 1; /* and one of the third */
    done = fake_run(5);
    assert_int_equal(fake.n_elements, 5 * ADDRESS_UP_ELEMENTS);
    assert_int_equal(done.passes, 5);
    assert_int_equal(done.failed, 2);
    assert_false(done.cut_failed);
}

static void enough_faulty_passes(void)
{
    struct run_done done;

    fake_begin("address-up");
    fake.first_faulty = ADDRESS_UP_ELEMENTS;
    fake.n_faulty = FAKE_NEVER - ADDRESS_UP_ELEMENTS;
    done = fake_run_until(9, 3);
    assert_int_equal(done.passes, 4);
    assert_int_equal(done.failed, 3);
    assert_false(done.stopped);
}

TEST(passes_with_faults_are_counted_and_may_end_the_run)
{
    fake_machine_run(faulty_passes);
    fake_machine_run(enough_faulty_passes);
}

/* A pass that is cut short counts if it had a fault by then. */
static void cut_pass(void)
{
    struct run_done done;

    fake_begin("address-up");
    fake.first_faulty = ADDRESS_UP_ELEMENTS;
    fake.n_faulty = 1;
    fake.stop_at_element = ADDRESS_UP_ELEMENTS + 1;
    done = fake_run(5);
    assert_int_equal(done.passes, 1);
    assert_int_equal(done.failed, 1);
    assert_true(done.cut_failed);
}

TEST(a_pass_that_was_cut_may_have_failed)
{
    fake_machine_run(cut_pass);
}

/* Sizes come from plan_allocate. */
static void share_too_early(void)
{
    fake_start("quick");
    share_prepare(&fake.run.shares, &fake.run.plan, &fake.run.found);
}

static void unsteady_word(void)
{
    const struct unsteady_word word = { FAKE_BASE + 0x2008, 1, 3 };
    struct fault fault;

    fake_begin("march-c-");
    unsteady_note(word);
    unsteady_note(word);
    fake_run(2);
    assert_true(fault_log_drain(&fake.run.found.log, &fault));
    assert_int_equal(fault.addr, word.addr);
    assert_int_equal(fault.pass, 1);
    assert_int_equal(fault.test, 0);
    assert_false(fault_log_drain(&fake.run.found.log, &fault));
}

TEST(a_word_that_changed_while_okram_moved_is_a_fault)
{
    fake_machine_run(unsteady_word);
}

static void tested_too_early(void)
{
    fake_start("quick");
    tested_prepare(&fake.run.tested, &fake.run.plan);
}

static void unpaired_too_early(void)
{
    fake_start("quick");
    unpaired_prepare(&fake.run.unpaired, &fake.run.plan);
}

TEST(nothing_is_prepared_before_the_plan)
{
    assert_true(aborts(share_too_early));
    assert_true(aborts(tested_too_early));
    assert_true(aborts(unpaired_too_early));
}

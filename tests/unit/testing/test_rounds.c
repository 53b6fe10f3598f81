// SPDX-License-Identifier: MIT
/* Rounds: what is lost is done again, and a CPU that is busy has no share. */
#include "testing/fake_machine.h"

/* Wherever a CPU is lost, all that it may have missed is done again by the other. */
static uint32_t lose_at;
static const char *lose_in;

static void run_and_lose(void)
{
    uint64_t bytes = 0;

    fake_begin(lose_in);
    fake.lose_at_element = lose_at;
    fake_run(1);
    assert_true(fake.has_lost || fake.n_elements <= lose_at);
    assert_int_equal(fake.run.plan.n_workers, fake.has_lost ? 1 : 2);
    for (size_t i = 0; i < fake.n_sent; i++)
        bytes += fake.sent[i].swept_bytes;
    assert_int_equal(bytes, progress_total_swept());
    fake_assert_promised();
}

static void lose(void)
{
    run_and_lose();
    for (size_t i = 0; i < fake.n_sent; i++)
        assert_int_equal(fake_pages_with(fake_ops_of(fake.sent[i].name)), FAKE_PAGES);
}

/* A half of the march is done again by itself. */
static void lose_in_a_half(void)
{
    run_and_lose();
    assert_int_equal(fake_pages_with("0r"), FAKE_PAGES);
    assert_int_equal(fake_pages_with("1R"), FAKE_PAGES);
    assert_int_equal(fake_pages_held(2000000), FAKE_PAGES);
}

TEST(a_lost_cpus_rounds_are_repeated)
{
    lose_in = "quick";
    for (lose_at = 0; lose_at < 16; lose_at++)
        fake_machine_run(lose);
}

TEST(a_lost_cpus_legs_are_repeated)
{
    lose_in = "march-mss+";
    for (lose_at = 0; lose_at < 30; lose_at++)
        fake_machine_run(lose);
}

TEST(a_lost_cpus_waits_are_repeated)
{
    lose_in = "retention";
    for (lose_at = 0; lose_at < 12; lose_at++)
        fake_machine_run(lose_in_a_half);
}

/* element_run fails if the busy CPU has a share; saving_wait ends its work, before okram moves. */
static void busy(void)
{
    fake_begin("address-up");
    fake.busy_cpu = 1;
    fake_run(1);
    assert_int_equal(fake.busy_cpu, 0);
    assert_int_equal(fake.run.plan.n_workers, 2);
    assert_int_equal(fake_pages_with(fake_ops_of("address-up")), FAKE_PAGES);
}

TEST(a_busy_cpu_has_no_share)
{
    fake_machine_run(busy);
}

/* After each element, and before each of the three waits. */
static void displace(void)
{
    fake_begin("retention,quick");
    fake_run(1);
    assert_true(fake.n_elements > 0);
    assert_int_equal(fake.n_displaced, fake.n_elements);
    assert_int_equal(fake.n_displaced_pauses, 3);
}

TEST(a_side_cache_is_cared_for)
{
    fake_machine_run(displace);
}

/* Heating is before a round, whatever memory holds then; its three elements are sweeps of the test.
 */
static void heat(void)
{
    fake_begin("mats+");
    fake.n_heats = 4; /* it is asked once more before the first */
    fake_run(1);
    assert_int_equal(fake.n_heats, 0);
    assert_int_equal(fake_pages_with("0r1R0r1R0r1R"), FAKE_PAGES - FAKE_OKRAM);
    assert_in_range(fake_pages_with(fake_ops_of("mats+")), FAKE_PAGES / 2, FAKE_PAGES);
    assert_in_range(progress_total_swept(), (5 * 7 + 3 * 4) * (FAKE_PAGES - FAKE_OKRAM) * PAGE_SIZE,
                    (5 * 7 + 4 * 4) * UINT64_C(4096) * FAKE_PAGES);
    fake_assert_promised();
}

TEST(modules_are_heated_before_a_round)
{
    fake_machine_run(heat);
}

/* An element of the address test takes minutes on a large machine. */
static uint32_t alias_at;

static void find_alias(void)
{
    fake_begin("address-up");
    fake.alias_at_element = alias_at;
    fake_run(1);
    assert_true(fake.n_elements > alias_at + 1);
    assert_int_equal(fake.alias_sent_at, alias_at + 1);
}

TEST(aliases_are_sent_after_the_element_that_finds_them)
{
    for (alias_at = 0; alias_at < 2; alias_at++)
        fake_machine_run(find_alias);
}

#define ANY_PAGE 100

static bool is_bad(size_t page)
{
    return fault_log_is_bad(&fake.run.found.log, FAKE_BASE + page * PAGE_SIZE);
}

/* Page 0 reaches cells that okram uses by a higher address: it is tested once okram has moved. */
static void leave(void)
{
    fake_begin("mats+");
    fake.hold_at_element = 0;
    fake_run(1);
    assert_true(fake.n_moves >= 1);
    assert_int_equal(fake.page[fake.home[0]].n_ops, 0);
    assert_true(fake.page[0].n_ops > 0);
    assert_string_equal(fake.page[0].ops, fake.page[ANY_PAGE].ops);
    assert_true(is_bad(fake.home[0]) && is_bad(0)); /* a single pair: both */
    assert_false(aliases_hold_any(&fake.run.found.aliases));
}

static void cannot_leave(void)
{
    fake_begin("mats+");
    fake.hold_at_element = 0;
    fake.first_bad_try = 0;
    fake.n_bad_tries = FAKE_NEVER;
    fake_run(1);
    assert_int_equal(fake.n_moves, 0);
    assert_int_equal(fake.page[0].n_ops, 0);
    assert_true(is_bad(fake.home[0]) && is_bad(0));
}

static void stopped_before(void)
{
    fake_begin("mats+");
    fake.hold_at_element = fake.stop_at_element = 0;
    fake_run(1);
    assert_int_equal(fake.n_moves, 0);
    assert_int_equal(fake.page[0].n_ops, 0);
    assert_true(is_bad(fake.home[0]) && is_bad(0));
}

static void skipped_before(void)
{
    fake_begin("mats+,march-c-");
    fake.hold_at_element = fake.skip_at_element = 0;
    fake_run(1);
    assert_true(fake.n_moves >= 1);
    assert_true(fake.page[0].n_ops > 0);
    assert_string_equal(fake.page[0].ops, fake.page[ANY_PAGE].ops);
}

TEST(okram_leaves_cells_that_tested_memory_reaches)
{
    fake_machine_run(leave);
    fake_machine_run(cannot_leave);
    fake_machine_run(stopped_before);
    fake_machine_run(skipped_before);
}

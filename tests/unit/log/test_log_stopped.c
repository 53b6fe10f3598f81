// SPDX-License-Identifier: MIT
/* A CPU that stops while it logs: nothing else is lost, held back or taken for damage. */
#include "log/fault_log.h"

#include "redundant.h"
#include "stopped.h"

#define ROUNDS      75
#define STOP_MAX_US 100
#define FAULTS_MAX  900 /* faults, so that there is room for records */
#define MORE        5
#define APART       3 /* pages: several bits of a word, and of many words */

static void log_fault(const struct redundant *r, uint64_t n)
{
    struct fault_log *log = (struct fault_log *)&r->m.log;

    add_fault(log, &(struct fault){ .addr = redundant_addr(r, n * APART),
                                    .expected = n,
                                    .found = ~n,
                                    .pass = (uint32_t)n });
}

static void log_next(void *ctx, uint64_t n)
{
    if (n < FAULTS_MAX)
        log_fault(ctx, n);
}

/* Those it has logged, maybe the one that it was at, and those logged since. */
static void check_records(struct redundant *r, uint64_t n, uint64_t since)
{
    struct fault got;

    for (uint64_t i = 0; i < n; i++) {
        assert_true(fault_log_drain(&r->m.log, &got));
        assert_int_equal(got.pass, i);
    }
    for (uint64_t i = since; i < since + MORE; i++) {
        assert_true(fault_log_drain(&r->m.log, &got));
        if (i == since && got.pass == n)
            assert_true(fault_log_drain(&r->m.log, &got));
        assert_int_equal(got.pass, i);
        assert_int_equal(got.found, ~i);
    }
    assert_false(fault_log_drain(&r->m.log, &got));
}

static void stop_one(size_t n_copies, uint32_t us)
{
    OWN_REDUNDANT r = redundant_make(n_copies);
    struct stopped cpu = { .work = log_next, .ctx = r, .us = us };
    uint64_t n, since, n_bad;
    bool is_half_done;

    stopped_begin(&cpu);
    n = cpu.n_done < FAULTS_MAX ? cpu.n_done : FAULTS_MAX;
    since = n + 1;
    fault_log_writers_lost(&r->m.log, 1);
    fault_log_reconcile(&r->m.log);
    is_half_done = fault_log_is_bad(&r->m.log, redundant_addr(r, n * APART));
    for (uint64_t i = 0; i < n + is_half_done; i++)
        redundant_expect(r, redundant_addr(r, i * APART));
    n_bad = n + is_half_done;
    for (uint64_t i = since; i < since + MORE; i++, n_bad++) {
        log_fault(r, i);
        redundant_expect(r, redundant_addr(r, i * APART));
    }
    redundant_check_pages(r, 0, r->m.space.n_pages);
    assert_int_equal(fault_log_bad_pages(&r->m.log), n_bad);
    assert_in_range(fault_log_faults(&r->m.log), n + MORE, n + 1 + MORE);
    check_records(r, n, since);
    if (n_copies > 1)
        redundant_check_sound(r);
    assert_int_equal(n_reported, 0);
    stopped_end(&cpu);
}

TEST(a_cpu_that_stops_holds_nothing_back)
{
    uint64_t seed = 1;

    for (size_t n_copies = 1; n_copies <= LOG_COPIES; n_copies += 2) {
        for (int i = 0; i < ROUNDS; i++)
            stop_one(n_copies, (uint32_t)(machine_random(&seed) % STOP_MAX_US));
    }
}

/* Without a second copy nothing frees the place again, and no record is after it. */
TEST(a_place_never_written_is_passed_by)
{
    OWN_REDUNDANT r = redundant_make(1);
    struct fault got;

    r->m.log.records.copy[0][0] = LOG_RECORD_CLAIMED;
    fault_log_reconcile(&r->m.log);
    redundant_add(r, 0x1000);
    assert_true(fault_log_drain(&r->m.log, &got));
    assert_int_equal(got.addr, 0x1000);
    assert_false(fault_log_drain(&r->m.log, &got));
}

/* The given number of counts that no CPU was about to change. */
static void turn_over(struct redundant *r, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        redundant_flip(r, 1, (uint64_t)(LOG_COUNT_TEST + 40 + i) * 64 + 5);
}

/* What one CPU cannot have left is damage, and so is anything at the next time. */
TEST(damage_is_told_all_the_same)
{
    static const struct {
        uint32_t n_lost, words;
        bool is_told;
    } cases[] = {
        { 0, 1, true }, { 1, 1, false }, { 1, 2, true }, { 2, 2, false }, { 2, 3, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN_REDUNDANT r = redundant_make(LOG_COPIES);

        redundant_add(r, 0x1000);
        turn_over(r, cases[i].words);
        fault_log_writers_lost(&r->m.log, cases[i].n_lost);
        fault_log_reconcile(&r->m.log);
        assert_int_equal(n_reported, cases[i].is_told);
        redundant_check(r);
        turn_over(r, 1);
        fault_log_writers_lost(&r->m.log, cases[i].n_lost);
        fault_log_reconcile(&r->m.log);
        assert_int_equal(n_reported, 1);
        redundant_check_sound(r);
    }
}

// SPDX-License-Identifier: MIT
#include "testing/passes.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "ecc/ecc.h"
#include "faults/cpu_evidence.h"
#include "faults/fault_emit.h"
#include "verdict/kind_emit.h"
#include "ecc/mce_emit.h"
#include "event/events.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "memory/arena.h"
#include "plan/share.h"
#include "sweep/page_check.h"
#include "sweep/page_retest.h"
#include "testing/displacement.h"
#include "testing/hammering.h"

#define RETEST_US   UINT64_C(2000000)
#define HOLD_MAX_US UINT64_C(2000000)
#define STEP_US     10000

#define ALWAYS_TRIES 4 /* retests that must all fail before a page counts as always bad */

static struct page_retest *pages; /* of PAGE_RETEST_MAX */

struct retest {
    struct run *run;
    const struct spans *pages;  /* all that are tested again */
    uint64_t deadline;          /* TSC */
    const struct test *longest; /* of the tests that wait; NULL: none does */
    uint64_t hold_us;
    uint64_t seed; /* of the first pass */
};

/* Not a page of okram's own, nor one that shares cells with another. */
static bool is_free(void *ctx, uint64_t addr)
{
    const struct run *run = ((const struct retest *)ctx)->run;
    const struct spans *tested = &run->shares.tested;

    return spans_first_in(tested, (struct span){ addr, PAGE_SIZE }).size == PAGE_SIZE &&
           !aliases_has_page(&run->found.aliases, addr);
}

static uint64_t count_ecc_errors(void)
{
    return ecc_so_far()->corrected + ecc_so_far()->uncorrected;
}

/* What was written reaches DRAM, and the next read is of DRAM. */
static void displace(void *ctx)
{
    const struct retest *r = ctx;

    displacement_run(r->run, r->pages);
}

struct page_test {
    struct run *run;
    uint64_t addr;
    const struct page_check_between *between;
    bool is_wrong;
};

static void test_page(void *ctx, uint32_t cpu)
{
    struct page_test *t = ctx;

    t->is_wrong = page_check(t->run->selection.ops, machine.cpu.clflushopt,
                             share_slice((struct span){ t->addr, PAGE_SIZE }), PAGE_CHECK_AGAIN,
                             t->between) != 0;
}

/*
 * Where ECC has seen errors, another one counts, too: what it corrects is not read as wrong data.
 * Only the boot CPU displaces what a memory-side cache holds.
 */
static bool is_bad(void *ctx, uint64_t addr, uint32_t cpu)
{
    struct run *run = ((const struct retest *)ctx)->run;
    const struct page_check_between between = { displace, ctx };
    struct page_test test = { .run = run, .addr = addr };
    uint64_t before = count_ecc_errors();

    if (platform.side_cache.bytes)
        test.between = &between;
    if (test.between)
        test_page(&test, 0);
    else
        cpu_pool_run(&cpu, 1, (struct cpu_pool_job){ test_page, &test, NULL });
    if (before)
        mce_emit_collect(&run->found.log);
    return test.is_wrong || count_ecc_errors() != before;
}

/* A stop is the usual end of tests=stability, whose rate means nothing if a page is always bad. */
static bool is_stopped(const struct run *run)
{
    return stop_is_requested() && !run->selection.tests.is_stability;
}

static bool has_time(void *ctx)
{
    const struct retest *r = ctx;

    cpu_poll(&r->run->poll);
    return tsc_now() < r->deadline && !is_stopped(r->run);
}

static bool wait(void *ctx)
{
    const struct retest *r = ctx;
    uint64_t end;

    displace(ctx);
    end = tsc_now() + tsc_from_us(r->hold_us);
    while (tsc_now() < end) {
        if (stop_is_requested())
            return false;
        cpu_poll(&r->run->poll);
        tsc_wait_us(STEP_US);
    }
    return true;
}

/*
 * What a cell loses may depend on those around it: the data in which the page was bad, or else some
 * of the test that waits.
 */
static struct data data_of(const struct retest *r, uint64_t addr)
{
    const struct test_list *tests = &r->run->selection.tests;
    struct fault fault;
    struct data data;

    if (fault_sample_of_page(&r->run->found.sample, addr >> PAGE_SHIFT, &fault) &&
        fault.test < tests->n_tests &&
        test_data_of(&tests->test[fault.test],
                     (struct pass){ fault.pass, r->seed + fault.pass - 1 }, fault.addr,
                     fault.expected, &data))
        return data;
    return test_data(r->longest, 0, (struct pass){ 1, r->seed });
}

static void fill(void *ctx, uint64_t addr, bool complement)
{
    const struct retest *r = ctx;
    const struct data data = data_of(r, addr);

    page_fill(r->run->selection.ops, machine.cpu.clflushopt,
              share_slice((struct span){ addr, PAGE_SIZE }), &data, complement);
}

static bool holds(void *ctx, uint64_t addr, bool complement)
{
    const struct retest *r = ctx;
    const struct data data = data_of(r, addr);

    return page_holds(r->run->selection.ops, machine.cpu.clflushopt,
                      share_slice((struct span){ addr, PAGE_SIZE }), &data, complement);
}

/* The test with the longest single wait. NULL: none waits. */
static const struct test *longest_waiting(const struct test_list *tests)
{
    const struct test *longest = NULL;
    uint32_t ms = 0;

    for (size_t i = 0; i < tests->n_tests; i++) {
        const struct test *test = &tests->test[i];

        if (test_longest_pause_ms(test) <= ms)
            continue;
        longest = test;
        ms = test_longest_pause_ms(test);
    }
    return longest;
}

/* Half of the tries are by the CPU that found the page, or the boot CPU if that is not known. */
static struct page_retest retest_of(const struct run *run, uint64_t page, uint32_t nth)
{
    struct page_retest ret = { .addr = page << PAGE_SHIFT };
    struct fault fault;
    uint32_t other[2];

    if (!platform.side_cache.bytes && fault_sample_of_page(&run->found.sample, page, &fault) &&
        fault.cpu < machine.n_cpus && !cpu_pool_has_lost(fault.cpu) &&
        fault.cpu != cpu_pool_detached())
        ret.by[0].cpu = fault.cpu;
    cpu_evidence_others(ret.by[0].cpu, nth, other);
    for (size_t i = 0; i < 2; i++)
        ret.by[1 + i].cpu = (uint16_t)(platform.side_cache.bytes ? 0 : other[i]);
    return ret;
}

/* ret_spans has room for as many. */
static size_t list_bad(const struct run *of, struct spans *ret_spans)
{
    struct page_run run;
    uint64_t index = 0;
    size_t n = 0;

    while (n < PAGE_RETEST_MAX && fault_log_next_run(&of->found.log, &index, &run)) {
        for (uint64_t i = 0; i < run.count && n < PAGE_RETEST_MAX; i++, n++)
            pages[n] = retest_of(of, run.first + i, (uint32_t)n);
    }
    ret_spans->n = 0;
    for (size_t i = 0; i < n; i++)
        spans_add(ret_spans, (struct span){ pages[i].addr, PAGE_SIZE });
    return n;
}

static void send(const struct page_retest *page)
{
    events_send(&(struct event){
        .type = EVENT_RETEST,
        .retest = { .page = page->addr, .tries = page->tries, .failed = page->failed },
    });
}

/* Returns how many pages there are. */
static size_t retest_all(struct run *run, uint64_t seed)
{
    static struct span span[PAGE_RETEST_MAX];
    struct spans bad = { .span = span, .max = PAGE_RETEST_MAX };
    struct retest retest = {
        .run = run,
        .pages = &bad,
        .longest = longest_waiting(&run->selection.tests),
        .seed = seed,
    };
    const struct page_retest_way way = { .is_free = is_free,
                                         .is_bad = is_bad,
                                         .has_time = has_time,
                                         .wait = retest.longest ? wait : NULL,
                                         .fill = fill,
                                         .holds = holds,
                                         .ctx = &retest };
    size_t n;

    if (retest.longest)
        retest.hold_us =
            min_u64(test_longest_pause_ms(retest.longest) * UINT64_C(1000), HOLD_MAX_US);
    fault_emit(run, UINT32_MAX);
    if (is_stopped(run) || !run->plan.tested_bytes)
        return 0;
    mce_emit_collect(&run->found.log);                    /* what is left of the tests */
    retest.deadline = tsc_now() + tsc_from_us(RETEST_US); /* sending took a while */
    n = list_bad(run, &bad);
    if (n)
        cpu_evidence_check();
    page_retest(pages, n, &way);
    page_retest_held(pages, n, &way);
    for (size_t i = 0; i < n; i++)
        send(&pages[i]);
    return n;
}

void retest_prepare(void)
{
    pages = arena_alloc(PAGE_RETEST_MAX * sizeof(*pages));
}

static bool is_always_bad(const struct page_retest *page)
{
    return page->tries >= ALWAYS_TRIES && page->failed == page->tries;
}

void retest_bad_pages(struct run *run, const struct run_done *done,
                      struct diagnose_found *ret_found)
{
    size_t n = retest_all(run, done->seed);

    *ret_found = (struct diagnose_found){ .tests = &run->selection.tests };
    row_finding_confirm(run, done->seed);
    kind_emit_final(run, done, pages, n, &ret_found->kind);
    ret_found->suspects = kind_emit_suspects(&ret_found->suspicion);
    for (uint32_t i = 0; i < run->selection.tests.n_tests; i++)
        ret_found->test_faults[i] = fault_log_test_faults(&run->found.log, i);
    for (size_t i = 0; i < n; i++)
        ret_found->always |= is_always_bad(&pages[i]);
}

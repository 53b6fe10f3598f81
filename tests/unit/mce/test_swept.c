// SPDX-License-Identifier: MIT
#include "mce/swept.h"

#include <pthread.h>

#include "tests/unit/unit.h"
/* cmocka wants those before. */

#define SLICE UINT64_C(0x100000)

static swept_clock now;
static struct swept_ring rings[2];
static struct swept_report report;
static struct swept_reports reports;

static int nothing_swept(void **state)
{
    atomic_store(&now, 0);
    memset(rings, 0, sizeof(rings));
    memset(&report, 0, sizeof(report));
    memset(&reports, 0, sizeof(reports));
    return 0;
}

/* In units of SLICE, as all that follows. */
static void begin(unsigned cpu, uint64_t base)
{
    swept_begin(&rings[cpu], &now, (struct span){ base * SLICE, SLICE });
}

static void sweep(unsigned cpu, uint64_t base)
{
    begin(cpu, base);
    swept_end(&rings[cpu], &now);
}

static void collect(uint64_t from)
{
    struct swept_window window = { from, swept_now(&now) };

    report.n = 0;
    report.is_partial = false;
    for (uint32_t cpu = 0; cpu < 2; cpu++)
        swept_collect(&rings[cpu], window, &report);
}

static void expect(size_t i, uint64_t base, uint64_t n)
{
    assert_in_range(i, 0, report.n - 1);
    assert_int_equal(report.span[i].base, base * SLICE);
    assert_int_equal(report.span[i].size, n * SLICE);
}

TEST(of_all_cpus_within_the_window, nothing_swept)
{
    uint64_t polled;

    collect(0);
    assert_int_equal(report.n, 0);
    sweep(0, 10);
    sweep(1, 20);
    begin(1, 30); /* not over when the bank is read */
    polled = swept_now(&now);
    sweep(0, 12);
    begin(0, 14);
    collect(polled);
    assert_int_equal(report.n, 3);
    expect(0, 12, 1);
    expect(1, 14, 1);
    expect(2, 30, 1);
    assert_false(report.is_partial);
    collect(0);
    assert_int_equal(report.n, 5);
}

TEST(slices_that_began_later_do_not_count, nothing_swept)
{
    struct swept_window window = { 0, swept_now(&now) };

    sweep(0, 10);
    swept_collect(&rings[0], window, &report);
    assert_int_equal(report.n, 0);
}

TEST(what_adjoins_is_joined, nothing_swept)
{
    sweep(0, 10);
    sweep(0, 11);
    sweep(0, 9);
    sweep(0, 14);
    sweep(1, 20);
    collect(0);
    assert_int_equal(report.n, 3);
    expect(0, 9, 3);
    expect(1, 14, 1);
    expect(2, 20, 1);
}

TEST(slices_that_are_not_known_any_more, nothing_swept)
{
    uint64_t polled = swept_now(&now);

    for (uint64_t i = 0; i < SWEPT_SLICES; i++)
        sweep(0, 2 * i);
    collect(polled);
    assert_int_equal(report.n, SWEPT_SLICES);
    assert_false(report.is_partial);
    sweep(0, 1000); /* the first is forgotten */
    collect(polled);
    assert_int_equal(report.n, SWEPT_SLICES);
    expect(0, 2, 1);
    assert_true(report.is_partial);
    collect(polled + 3); /* after the first had ended */
    assert_int_equal(report.n, SWEPT_SLICES);
    assert_false(report.is_partial);
}

TEST(no_room_in_a_report, nothing_swept)
{
    for (uint64_t i = 0; i <= SWEPT_SPANS_MAX / SWEPT_SLICES; i++) {
        for (uint64_t k = 0; k < SWEPT_SLICES; k++)
            sweep(0, 2 * k);
        swept_collect(&rings[0], (struct swept_window){ 0, swept_now(&now) }, &report);
    }
    assert_int_equal(report.n, SWEPT_SPANS_MAX);
    assert_true(report.is_partial);
}

TEST(reports_pass_from_hand_to_hand, nothing_swept)
{
    struct swept_report *r[SWEPT_REPORTS];

    assert_null(swept_reports_take(&reports));
    for (size_t i = 0; i < SWEPT_REPORTS; i++) {
        r[i] = swept_reports_claim(&reports);
        assert_non_null(r[i]);
        r[i]->n = 7;
    }
    assert_null(swept_reports_claim(&reports));
    assert_null(swept_reports_take(&reports)); /* none is whole yet */
    swept_reports_put(&reports, r[3]);
    assert_ptr_equal(swept_reports_take(&reports), r[3]);
    swept_reports_free(&reports, r[3]);
    assert_null(swept_reports_take(&reports));
    assert_ptr_equal(swept_reports_claim(&reports), r[3]);
    assert_int_equal(r[3]->n, 0);
}

/* A CPU sweeps while another one looks: what it sees was swept. */
static atomic_bool stop;

static void *sweep_on(void *unused)
{
    for (uint64_t i = 0; !atomic_load(&stop); i++) {
        swept_begin(&rings[0], &now, (struct span){ i * 4096, i * 4096 + 64 });
        swept_end(&rings[0], &now);
    }
    return NULL;
}

TEST(at_the_same_time, nothing_swept)
{
    pthread_t thread;
    size_t seen = 0;

    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, sweep_on, NULL), 0);
    while (seen < 100000) {
        report.n = 0;
        swept_collect(&rings[0], (struct swept_window){ 0, swept_now(&now) }, &report);
        for (size_t k = 0; k < report.n; k++)
            assert_int_equal(report.span[k].size, report.span[k].base + 64);
        seen += report.n;
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

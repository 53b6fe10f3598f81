// SPDX-License-Identifier: MIT
#include "lib/spans.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>

#include <cmocka.h>

#include "lib/splitmix.h"

static void what_is_cut_is_left_out(void **state)
{
    static const struct span free[] = { { 0x1000, 0x4000 }, { 0x8000, 0x8000 } };
    static const struct span cut[] = { { 0x2000, 0x1000 }, { 0x4000, 0x5000 }, { 0xf000, 0x9000 } };
    static const struct span expected[] = { { 0x1000, 0x1000 },
                                            { 0x3000, 0x1000 },
                                            { 0x9000, 0x6000 } };
    struct span outside[2 + 3];

    assert_int_equal(spans_outside(free, 2, cut, 3, outside), 3);
    assert_memory_equal(outside, expected, sizeof(expected));
    assert_int_equal(spans_outside(free, 2, NULL, 0, outside), 2);
    assert_memory_equal(outside, free, sizeof(free));
    assert_int_equal(spans_outside(free, 1, free, 2, outside), 0);
}

static void nothing_is_not_added(void **state)
{
    struct span spans[1] = { { 0 } };

    assert_int_equal(spans_add(spans, 0, 0x2000, 0x2000), 0);
    assert_int_equal(spans_add(spans, 0, 0x3000, 0x2000), 0);
    assert_int_equal(spans_add(spans, 0, 0x1000, 0x2000), 1);
    assert_int_equal(spans[0].base, 0x1000);
    assert_int_equal(spans[0].size, 0x1000);
}

#define PAGES 64

static void what_is_outside_comes_first(void **state)
{
    static const struct span free[] = { { 0x1000, 0x4000 }, { 0x8000, 0x8000 } };
    static const struct span tested[] = { { 0, 0x2000 }, { 0x4000, 0x5000 }, { 0xc000, 0x1000 } };
    static const struct span expected[] = {
        { 0x2000, 0x2000 }, { 0x9000, 0x3000 }, { 0xd000, 0x3000 }, /* outside */
        { 0x1000, 0x1000 }, { 0x4000, 0x1000 }, { 0x8000, 0x1000 }, { 0xc000, 0x1000 },
    };
    struct span order[SPANS_OUTSIDE_FIRST_MAX(2, 3)];

    assert_int_equal(spans_outside_first(free, 2, tested, 3, order), 7);
    assert_memory_equal(order, expected, sizeof(expected));
}

static void without_a_cut_all_stays_as_it_is(void **state)
{
    static const struct span free[] = { { 0x1000, 0x4000 }, { UINT64_C(1) << 45, 0x8000 } };
    static const struct span all = { 0, UINT64_MAX };
    struct span order[SPANS_OUTSIDE_FIRST_MAX(2, 1)];

    assert_int_equal(spans_outside_first(free, 2, NULL, 0, order), 2);
    assert_memory_equal(order, free, sizeof(free));
    assert_int_equal(spans_outside_first(free, 2, &all, 1, order), 2);
    assert_memory_equal(order, free, sizeof(free));
}

/* Random runs of pages; returns how many. */
static size_t make_spans(uint64_t *random, struct span *span)
{
    size_t n = 0;

    for (uint64_t at = splitmix_next(random) % 4; at < PAGES;) {
        uint64_t end = at + 1 + splitmix_next(random) % 6;

        end = end < PAGES ? end : PAGES;
        span[n++] = (struct span){ at << 12, (end - at) << 12 };
        at = end + splitmix_next(random) % 5;
    }
    return n;
}

static bool is_in(const struct span *span, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++) {
        if (span_contains(span[i], addr))
            return true;
    }
    return false;
}

static void each_page_comes_once(void **state)
{
    struct span free[PAGES], tested[PAGES], order[SPANS_OUTSIDE_FIRST_MAX(PAGES, PAGES)];
    uint64_t random = 1;

    for (int round = 0; round < 2000; round++) {
        size_t n_free = make_spans(&random, free), n_tested = make_spans(&random, tested);
        size_t n = spans_outside_first(free, n_free, tested, n_tested, order);
        unsigned seen[PAGES] = { 0 };
        bool inside = false;

        assert_true(n <= SPANS_OUTSIDE_FIRST_MAX(n_free, n_tested));
        for (size_t i = 0; i < n; i++) {
            assert_true(order[i].size > 0);
            for (uint64_t at = order[i].base; at < span_end(order[i]); at += 4096) {
                bool is_tested = is_in(tested, n_tested, at);

                assert_true(is_tested || !inside);
                inside = is_tested;
                seen[at >> 12]++;
            }
        }
        for (uint64_t page = 0; page < PAGES; page++)
            assert_int_equal(seen[page], is_in(free, n_free, page << 12));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cut_is_left_out),
        cmocka_unit_test(nothing_is_not_added),
        cmocka_unit_test(what_is_outside_comes_first),
        cmocka_unit_test(without_a_cut_all_stays_as_it_is),
        cmocka_unit_test(each_page_comes_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

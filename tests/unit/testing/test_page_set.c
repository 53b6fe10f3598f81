// SPDX-License-Identifier: MIT
#include "testing/page_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants those before. */
#include <cmocka.h>

static struct page_set set;

static int empty_set(void **state)
{
    memset(&set, 0, sizeof(set));
    return 0;
}

/* In pages. */
static void add(uint64_t base, uint64_t n)
{
    page_set_add(&set, (struct span){ base * PAGE_SIZE, n * PAGE_SIZE });
}

static void expect(size_t i, uint64_t base, uint64_t n)
{
    assert_in_range(i, 0, set.n - 1);
    assert_int_equal(set.span[i].base, base * PAGE_SIZE);
    assert_int_equal(set.span[i].size, n * PAGE_SIZE);
}

static void in_order(void **state)
{
    add(10, 2);
    add(2, 3);
    add(20, 1);
    assert_int_equal(set.n, 3);
    expect(0, 2, 3);
    expect(1, 10, 2);
    expect(2, 20, 1);
    assert_int_equal(set.n_pages, 6);
}

static void what_adjoins_or_overlaps_is_joined(void **state)
{
    add(10, 2);
    add(12, 2); /* after it */
    add(8, 2);  /* before it */
    assert_int_equal(set.n, 1);
    expect(0, 8, 6);
    add(9, 1); /* within it */
    expect(0, 8, 6);
    add(20, 2);
    add(30, 2);
    assert_int_equal(set.n, 3);
    add(13, 18); /* over the one in the middle, into both others */
    assert_int_equal(set.n, 1);
    expect(0, 8, 24);
    assert_int_equal(set.n_pages, 24);
}

static void whole_pages_only(void **state)
{
    page_set_add(&set, (struct span){ PAGE_SIZE - 64, 64 });
    page_set_add(&set, (struct span){ 64, PAGE_SIZE });
    page_set_add(&set, (struct span){ 0, 0 });
    assert_int_equal(set.n, 0);
    page_set_add(&set, (struct span){ PAGE_SIZE - 64, PAGE_SIZE + 128 });
    assert_int_equal(set.n, 1);
    expect(0, 1, 1);
}

static void no_room(void **state)
{
    for (uint64_t i = 0; i < PAGE_SET_SPANS; i++)
        add(2 * i, 1);
    assert_false(set.is_cut);
    add(2 * PAGE_SET_SPANS, 1);
    assert_true(set.is_cut);
    assert_int_equal(set.n, PAGE_SET_SPANS);
    assert_int_equal(set.n_pages, PAGE_SET_SPANS);
    add(1, 1); /* joins two: there is room for another */
    assert_int_equal(set.n, PAGE_SET_SPANS - 1);
    add(2 * PAGE_SET_SPANS, 1);
    assert_int_equal(set.n, PAGE_SET_SPANS);
    assert_int_equal(set.n_pages, PAGE_SET_SPANS + 2);
}

static struct span seen[4];
static size_t n_seen;

static void see(void *ctx, struct span s)
{
    assert_in_range(n_seen, 0, 3);
    seen[n_seen++] = s;
}

static void walk(uint64_t first, uint64_t n)
{
    n_seen = 0;
    page_set_walk(&set, first, n, see, NULL);
}

static void pages_are_counted_through(void **state)
{
    const uint64_t numbers[] = { 4, 5, 10, 11, 12, 30 };

    add(4, 2);
    add(10, 3);
    add(30, 1);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(page_set_address(&set, i), numbers[i] * PAGE_SIZE);
    walk(1, 3);
    assert_int_equal(n_seen, 2);
    assert_int_equal(seen[0].base, 5 * PAGE_SIZE);
    assert_int_equal(seen[0].size, PAGE_SIZE);
    assert_int_equal(seen[1].base, 10 * PAGE_SIZE);
    assert_int_equal(seen[1].size, 2 * PAGE_SIZE);
    walk(0, 6);
    assert_int_equal(n_seen, 3);
    walk(2, 3);
    assert_int_equal(n_seen, 1);
    walk(5, 1);
    assert_int_equal(seen[0].base, 30 * PAGE_SIZE);
    walk(3, 0);
    assert_int_equal(n_seen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(in_order, empty_set),
        cmocka_unit_test_setup(what_adjoins_or_overlaps_is_joined, empty_set),
        cmocka_unit_test_setup(whole_pages_only, empty_set),
        cmocka_unit_test_setup(no_room, empty_set),
        cmocka_unit_test_setup(pages_are_counted_through, empty_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

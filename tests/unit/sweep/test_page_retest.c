// SPDX-License-Identifier: MIT
#include "sweep/page_retest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ALWAYS    0x1000
#define SOMETIMES 0x2000 /* each third time */
#define NEVER     0x3000
#define OWN       0x4000 /* not free */

struct world {
    unsigned left;      /* so many tests more there is time for */
    unsigned sometimes; /* tests of that page */
    unsigned of_own;
};

static bool is_free(void *ctx, uint64_t addr)
{
    return addr != OWN;
}

static bool is_bad(void *ctx, uint64_t addr)
{
    struct world *w = ctx;

    w->left--;
    w->of_own += addr == OWN;
    return addr == ALWAYS || (addr == SOMETIMES && ++w->sometimes % 3 == 0);
}

static bool has_time(void *ctx)
{
    return ((struct world *)ctx)->left > 0;
}

static void run(struct page_retest *pages, size_t n, struct world *w)
{
    const struct page_retest_way way = { is_free, is_bad, has_time, w };

    page_retest(pages, n, &way);
}

static void tells_how_often_each_has_failed(void **state)
{
    struct page_retest pages[] = {
        { .addr = ALWAYS }, { .addr = SOMETIMES }, { .addr = NEVER }, { .addr = OWN }
    };
    struct world w = { .left = 1000 };

    run(pages, 4, &w);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pages[i].tries, PAGE_RETEST_TRIES);
    assert_int_equal(pages[0].failed, PAGE_RETEST_TRIES);
    assert_int_equal(pages[1].failed, PAGE_RETEST_TRIES / 3);
    assert_int_equal(pages[2].failed, 0);
    assert_int_equal(pages[3].tries, 0);
    assert_int_equal(w.of_own, 0);
}

/* All pages have their turn before any is tested again. */
static void ends_when_time_is_over(void **state)
{
    struct page_retest pages[] = {
        { .addr = ALWAYS }, { .addr = OWN }, { .addr = NEVER }, { .addr = ALWAYS }
    };
    struct world w = { .left = 4 };

    run(pages, 4, &w);
    assert_int_equal(pages[0].tries, 2);
    assert_int_equal(pages[0].failed, 2);
    assert_int_equal(pages[1].tries, 0);
    assert_int_equal(pages[2].tries, 1);
    assert_int_equal(pages[3].tries, 1);
    run(pages, 4, &w);
    assert_int_equal(pages[0].tries, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_how_often_each_has_failed),
        cmocka_unit_test(ends_when_time_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "sweep/page_retest.h"

#include "tests/unit/unit.h"

#define ALWAYS    0x1000
#define SOMETIMES 0x2000 /* each third time */
#define NEVER     0x3000
#define OWN       0x4000 /* not free */

#define FADES 0x5000 /* loses the complement during a wait */
#define DATA  0x6000 /* bad at once, but only with the complement */

struct world {
    unsigned waits, ends_at; /* the wait of that number is interrupted; 0: none */
    bool complement, lost;   /* what FADES holds */
    unsigned left;           /* how many more tests there is time for */
    unsigned sometimes;      /* tests of that page */
    unsigned of_own;
};

static bool is_free(void *ctx, uint64_t addr)
{
    return addr != OWN;
}

static bool is_bad(void *ctx, uint64_t addr, uint32_t cpu)
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

static bool wait(void *ctx)
{
    struct world *w = ctx;

    w->lost = w->complement;
    return ++w->waits != w->ends_at;
}

static void fill(void *ctx, uint64_t addr, bool complement)
{
    struct world *w = ctx;

    assert_true(addr == NEVER || addr == FADES || addr == DATA);
    w->lost = false;
    w->complement = complement;
}

static bool holds(void *ctx, uint64_t addr, bool complement)
{
    struct world *w = ctx;

    assert_int_equal(w->complement, complement);
    return !(addr == FADES && w->lost) && !(addr == DATA && complement);
}

static void run(struct page_retest *pages, size_t n, struct world *w)
{
    const struct page_retest_way way = {
        .is_free = is_free, .is_bad = is_bad, .has_time = has_time, .ctx = w
    };

    page_retest(pages, n, &way);
}

TEST(tells_how_often_each_has_failed)
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
TEST(ends_when_time_is_over)
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

static void run_held(struct page_retest *pages, size_t n, struct world *w)
{
    const struct page_retest_way way = { .is_free = is_free,
                                         .is_bad = is_bad,
                                         .has_time = has_time,
                                         .wait = wait,
                                         .fill = fill,
                                         .holds = holds,
                                         .ctx = w };

    page_retest(pages, n, &way);
    page_retest_held(pages, n, &way);
}

/* Pages that were bad again are not held, nor those that are not free. */
TEST(holds_what_was_not_bad_again)
{
    struct page_retest pages[] = {
        { .addr = ALWAYS }, { .addr = NEVER }, { .addr = OWN }, { .addr = FADES }
    };
    struct world w = { .left = 1000 };

    run_held(pages, 4, &w);
    assert_int_equal(w.waits, 2);
    assert_int_equal(pages[0].tries, PAGE_RETEST_TRIES);
    assert_int_equal(pages[1].tries, PAGE_RETEST_TRIES + 1);
    assert_int_equal(pages[1].failed, 0);
    assert_int_equal(pages[2].tries, 0);
    assert_int_equal(pages[3].tries, PAGE_RETEST_TRIES + 1);
    assert_int_equal(pages[3].failed, 1);
}

/* What is wrong before the wait is bad again, but does not lose data. */
TEST(tells_data_from_time)
{
    struct page_retest pages[] = { { .addr = FADES }, { .addr = DATA } };
    struct world w = { .left = 1000 };

    run_held(pages, 2, &w);
    assert_int_equal(w.waits, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pages[i].tries, PAGE_RETEST_TRIES + 1);
        assert_int_equal(pages[i].failed, 1);
    }
    assert_true(pages[0].lost_data);
    assert_false(pages[1].lost_data);
    pages[0] = (struct page_retest){ .addr = DATA };
    w = (struct world){ .left = 1000 };
    run_held(pages, 1, &w);
    assert_int_equal(w.waits, 1); /* the second one would be for nothing */
}

TEST(does_not_wait_for_nothing)
{
    struct page_retest pages[] = { { .addr = ALWAYS }, { .addr = OWN } };
    struct world w = { .left = 1000 };

    run_held(pages, 2, &w);
    assert_int_equal(w.waits, 0);
}

TEST(an_interrupted_wait_counts_for_nothing)
{
    for (unsigned ends_at = 1; ends_at <= 2; ends_at++) {
        struct page_retest pages[] = { { .addr = NEVER }, { .addr = FADES } };
        struct world w = { .left = 1000, .ends_at = ends_at };

        run_held(pages, 2, &w);
        assert_int_equal(w.waits, ends_at);
        assert_int_equal(pages[0].tries, PAGE_RETEST_TRIES);
        assert_int_equal(pages[1].tries, PAGE_RETEST_TRIES);
        assert_int_equal(pages[1].failed, 0);
    }
}

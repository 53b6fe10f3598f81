// SPDX-License-Identifier: MIT
#include "mce/page_bisect.h"

/* cmocka wants those before. */

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define PAGES_128_MIB (1u << 15)

/* A machine whose memory shows errors. */
struct memory {
    uint64_t pages;
    uint64_t bad[3];
    size_t n_bad;
    unsigned one_in;    /* reads of a bad page that show it, at random */
    unsigned noise_in;  /* reads of whatever it is; 0: never */
    uint64_t show_max;  /* how often it shows; 0: always */
    uint64_t reads_max; /* then there is no time left; 0: always */
    uint64_t random, n_reads, n_shown;
};

static bool one_in(struct memory *m, unsigned n)
{
    return n && splitmix_below(&m->random, n) == 0;
}

static enum page_bisect_probe read(void *ctx, uint64_t first, uint64_t n)
{
    struct memory *m = ctx;
    bool shown = one_in(m, m->noise_in);

    assert_true(first <= m->pages && n <= m->pages - first);
    if (m->reads_max && m->n_reads == m->reads_max)
        return PAGE_BISECT_BREAK;
    m->n_reads++;
    for (size_t i = 0; i < m->n_bad; i++)
        shown |= m->bad[i] - first < n && one_in(m, m->one_in);
    if (m->show_max && m->n_shown >= m->show_max)
        shown = false;
    m->n_shown += shown;
    return shown ? PAGE_BISECT_SHOWN : PAGE_BISECT_QUIET;
}

static struct page_bisect_result search(struct memory *m)
{
    return page_bisect(m->pages, read, m);
}

static const uint64_t sizes[] = { 1, 2, 3, 7, 8, 9, 1000, PAGES_128_MIB };

TEST(each_time)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t pages = sizes[i], places[] = { 0, pages / 2, pages - 1, pages / 3 };

        for (size_t k = 0; k < 4; k++) {
            struct memory m = { .pages = pages, .bad = { places[k] }, .n_bad = 1, .one_in = 1 };
            struct page_bisect_result r = search(&m);

            assert_int_equal(r.end, PAGE_BISECT_FOUND);
            assert_int_equal(r.first, places[k]);
            assert_int_equal(r.n, 1);
        }
    }
}

TEST(each_page_of_a_few)
{
    for (uint64_t bad = 0; bad < 100; bad++) {
        struct memory m = { .pages = 100, .bad = { bad }, .n_bad = 1, .one_in = 1 };

        assert_int_equal(search(&m).first, bad);
        assert_in_range(m.n_reads, 1, 2 * 7 + 2 * PAGE_BISECT_SHOWS);
    }
}

TEST(one_time_in_three)
{
    for (unsigned seed = 0; seed < 1000; seed++) {
        uint64_t bad = seed * UINT64_C(7919) % PAGES_128_MIB;
        struct memory m = {
            .pages = PAGES_128_MIB, .bad = { bad }, .n_bad = 1, .one_in = 3, .random = seed
        };
        struct page_bisect_result r = search(&m);

        assert_int_equal(r.end, PAGE_BISECT_FOUND);
        assert_int_equal(r.first, bad);
    }
}

TEST(one_of_several)
{
    for (unsigned seed = 0; seed < 100; seed++) {
        struct memory m = { .pages = 1000,
                            .bad = { 17, 500, 999 },
                            .n_bad = 3,
                            .one_in = 1 + seed % 4,
                            .random = seed };
        struct page_bisect_result r = search(&m);

        assert_int_equal(r.end, PAGE_BISECT_FOUND);
        assert_true(r.first == 17 || r.first == 500 || r.first == 999);
    }
}

TEST(never_again)
{
    struct memory m = { .pages = 1000 };
    struct page_bisect_result r = search(&m);

    assert_int_equal(r.end, PAGE_BISECT_NOT_AGAIN);
    assert_int_equal(r.tries, PAGE_BISECT_TRIES);
    assert_int_equal(r.n, 1000);
    assert_int_equal(m.n_reads, 2 * PAGE_BISECT_TRIES);

    m = (struct memory){ .pages = 1 };
    r = search(&m);
    assert_int_equal(r.end, PAGE_BISECT_NOT_AGAIN);
    assert_int_equal(r.tries, PAGE_BISECT_CHECKS);
}

/* It shows a few times, then no more: not even the page that is left at last is bad. */
TEST(no_more_after_a_while)
{
    for (uint64_t shown = 1; shown < 10 + PAGE_BISECT_SHOWS; shown++) {
        struct memory m = {
            .pages = 1024, .bad = { 3 }, .n_bad = 1, .one_in = 1, .show_max = shown
        };
        struct page_bisect_result r = search(&m);

        assert_int_equal(r.end, PAGE_BISECT_NOT_AGAIN);
        assert_int_equal(r.first, shown >= 10 ? 3 : shown == 9 ? 2 : 0);
        assert_int_equal(r.n, shown >= 10 ? 1 : 1024 >> shown);
    }
}

/* Memory that is not read makes errors now and then: no page is bad. */
TEST(elsewhere)
{
    unsigned found = 0;

    for (unsigned noise = 1; noise <= 50; noise++) {
        for (unsigned seed = 0; seed < 100; seed++) {
            struct memory m = { .pages = 1000, .noise_in = noise, .random = 51 * seed + noise };
            struct page_bisect_result r = search(&m);

            found += r.end == PAGE_BISECT_FOUND;
            assert_true(noise > 1 || r.end == PAGE_BISECT_ELSEWHERE);
        }
    }
    assert_in_range(found, 0, 5000 / 100);
}

TEST(broken_off)
{
    for (uint64_t reads = 1; reads < 25; reads++) {
        struct memory m = {
            .pages = 1024, .bad = { 1023 }, .n_bad = 1, .one_in = 1, .reads_max = reads
        };

        assert_int_equal(search(&m).end, PAGE_BISECT_BROKEN_OFF);
        assert_int_equal(m.n_reads, reads);
    }
}

// SPDX-License-Identifier: MIT
#include "memory/page_list.h"

#include "tests/unit/unit.h"

#define PAGES(n) ((n)*PAGE_SIZE)

#define RUNS_MAX 4096

static struct place_run place_runs[RUNS_MAX], rest_runs[RUNS_MAX];
static struct page_list place, rest;

static struct span pages(uint64_t first, uint64_t n)
{
    return (struct span){ PAGES(first), PAGES(n) };
}

static int begin(void **state)
{
    page_list_init(&place, place_runs, RUNS_MAX);
    page_list_init(&rest, rest_runs, RUNS_MAX);
    return 0;
}

static void add(uint64_t first, uint64_t n)
{
    assert_int_equal(page_list_add(&place, pages(first, n)), STATUS_OK);
}

static void assert_spans(const struct page_list *p, const struct span *want, size_t n)
{
    uint64_t bytes = 0;

    assert_int_equal(p->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(page_list_span(p, i).base, want[i].base);
        assert_int_equal(page_list_span(p, i).size, want[i].size);
        bytes += want[i].size;
    }
    assert_int_equal(p->bytes, bytes);
}

TEST(joins_what_adjoins_upwards, begin)
{
    add(8, 2);
    add(10, 1);
    add(4, 4); /* ends where the first begins, but is listed after it */
    assert_spans(&place, (struct span[]){ pages(8, 3), pages(4, 4) }, 2);
}

TEST(takes_so_many_spans_and_no_more, begin)
{
    for (uint64_t i = 0; i < RUNS_MAX; i++)
        add(2 * i, 1);
    assert_int_equal(page_list_add(&place, pages(2 * RUNS_MAX, 1)), STATUS_NO_SPACE);
    assert_int_equal(place.n, RUNS_MAX);
    assert_int_equal(place.bytes, PAGES(RUNS_MAX));
    add(2 * RUNS_MAX - 1, 1); /* adjoins the last */
    assert_int_equal(place.bytes, PAGES(RUNS_MAX + 1));
}

TEST(offsets_count_in_the_order_of_use)
{
    static const struct {
        uint64_t offset, phys, left;
    } cases[] = {
        { 0, PAGES(8), PAGES(2) },          { PAGES(2) - 1, PAGES(10) - 1, 1 },
        { PAGES(2), PAGES(3), PAGES(3) },   { PAGES(5) - 8, PAGES(6) - 8, 8 },
        { PAGES(5), PAGES(100), PAGES(1) },
    };
    uint64_t offset;

    begin(NULL);
    add(8, 2);
    add(3, 3);
    add(100, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span s = page_list_at(&place, cases[i].offset);

        assert_int_equal(s.base, cases[i].phys);
        assert_int_equal(s.size, cases[i].left);
        assert_int_equal(page_list_offset(&place, cases[i].phys, &offset), STATUS_OK);
        assert_int_equal(offset, cases[i].offset);
    }
}

TEST(what_is_outside_has_no_offset)
{
    static const uint64_t outside[] = { 0, PAGES(8) - 1, PAGES(10), UINT64_MAX };
    uint64_t offset = 77;

    begin(NULL);
    assert_int_equal(page_list_offset(&place, 0, &offset), STATUS_NOT_FOUND);
    add(8, 2);
    for (size_t i = 0; i < COUNT(outside); i++)
        assert_int_equal(page_list_offset(&place, outside[i], &offset), STATUS_NOT_FOUND);
    assert_int_equal(offset, 77);
}

TEST(is_cut_anywhere)
{
    static const struct {
        uint64_t kept;
        struct span first[3], second[3];
        size_t n_first, n_second;
    } cases[] = {
        { 0, { { 0 } }, { { PAGES(8), PAGES(2) }, { PAGES(3), PAGES(3) } }, 0, 2 },
        { 1, { { PAGES(8), PAGES(1) } }, { { PAGES(9), PAGES(1) }, { PAGES(3), PAGES(3) } }, 1, 2 },
        { 2, { { PAGES(8), PAGES(2) } }, { { PAGES(3), PAGES(3) } }, 1, 1 },
        { 4, { { PAGES(8), PAGES(2) }, { PAGES(3), PAGES(2) } }, { { PAGES(5), PAGES(1) } }, 2, 1 },
        { 5, { { PAGES(8), PAGES(2) }, { PAGES(3), PAGES(3) } }, { { 0 } }, 2, 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        add(8, 2);
        add(3, 3);
        assert_int_equal(page_list_truncate(&place, PAGES(cases[i].kept), &rest), STATUS_OK);
        assert_spans(&place, cases[i].first, cases[i].n_first);
        assert_spans(&rest, cases[i].second, cases[i].n_second);
    }
}

TEST(nothing_is_cut_that_there_is_no_room_for, begin)
{
    add(8, 2);
    add(3, 3);
    add(20, 1);
    page_list_init(&rest, rest_runs, 1);
    assert_int_equal(page_list_truncate(&place, PAGES(4), &rest), STATUS_NO_SPACE);
    assert_spans(&place, (struct span[]){ pages(8, 2), pages(3, 3), pages(20, 1) }, 3);
    assert_int_equal(page_list_truncate(&place, PAGES(4), NULL), STATUS_OK);
    assert_spans(&place, (struct span[]){ pages(8, 2), pages(3, 2) }, 2);
}

TEST(is_copied_where_there_is_room, begin)
{
    add(8, 2);
    add(3, 3);
    page_list_init(&rest, rest_runs, 1);
    assert_int_equal(page_list_copy(&rest, &place), STATUS_NO_SPACE);
    assert_spans(&rest, NULL, 0);
    page_list_init(&rest, rest_runs, 2);
    assert_int_equal(page_list_copy(&rest, &place), STATUS_OK);
    assert_spans(&rest, (struct span[]){ pages(8, 2), pages(3, 3) }, 2);
    page_list_clear(&rest);
    assert_spans(&rest, NULL, 0);
}

/* Page number i of a place of single pages that stand in no order of addresses. */
static uint64_t scattered(uint64_t i)
{
    return 2 * (i * 1021 % RUNS_MAX) + (1 << 20); /* odd, so that it takes each value once */
}

TEST(thousands_of_runs_in_any_order, begin)
{
    uint64_t offset;

    for (uint64_t i = 0; i < RUNS_MAX; i++)
        add(scattered(i), 1);
    for (int cut = 0; cut < 2; cut++) {
        for (uint64_t i = 0; i < place.n; i++) {
            uint64_t phys = PAGES(scattered(i)) + i;

            assert_int_equal(page_list_at(&place, PAGES(i) + i).base, phys);
            assert_int_equal(page_list_offset(&place, phys, &offset), STATUS_OK);
            assert_int_equal(offset, PAGES(i) + i);
            assert_int_equal(page_list_offset(&place, phys + PAGE_SIZE, &offset), STATUS_NOT_FOUND);
        }
        assert_int_equal(page_list_truncate(&place, PAGES(1000), &rest), STATUS_OK);
        assert_int_equal(page_list_offset(&place, PAGES(scattered(1000)), &offset),
                         STATUS_NOT_FOUND);
        assert_int_equal(page_list_offset(&rest, PAGES(scattered(1000)), &offset),
                         cut ? STATUS_NOT_FOUND : STATUS_OK);
    }
}

/* Bad pages, by number; 0 ends the list. */
/* In the n spans; into the place. */
static enum status find(const struct span *free, size_t n, uint64_t bytes, place_page_good good,
                        void *ctx)
{
    return page_list_find(&(struct page_search){ free, n, good, ctx }, bytes, &place);
}

static bool is_good(void *ctx, uint64_t page_phys)
{
    assert_int_equal(page_phys % PAGE_SIZE, 0);
    for (const uint64_t *bad = ctx; *bad; bad++) {
        if (PAGES(*bad) == page_phys)
            return false;
    }
    return true;
}

TEST(finds_the_first_whole_run)
{
    static const struct {
        uint64_t bad[4], n_pages, found;
    } cases[] = {
        { { 0 }, 4, 16 },         { { 0 }, 10, 100 }, /* the first span is too short by one */
        { { 16, 0 }, 4, 17 },                         /* a bad page at the beginning */
        { { 16, 0 }, 8, 17 },                         /* just fits after it */
        { { 17, 0 }, 8, 100 },                        /* does not */
        { { 24, 0 }, 8, 16 },                         /* just fits before it */
        { { 18, 22, 0 }, 3, 19 }, { { 100, 119, 0 }, 18, 101 },
    };
    static const struct span free[] = { { PAGES(16), PAGES(9) }, { PAGES(100), PAGES(20) } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(NULL);
        assert_int_equal(
            find(free, COUNT(free), PAGES(cases[i].n_pages), is_good, (void *)cases[i].bad),
            STATUS_OK);
        assert_spans(&place, (struct span[]){ pages(cases[i].found, cases[i].n_pages) }, 1);
    }
}

TEST(gathers_runs_where_none_is_long_enough)
{
    static const struct span free[] = { { PAGES(16), PAGES(9) }, { PAGES(100), PAGES(20) } };
    uint64_t bad[] = { 20, 110, 0 };

    begin(NULL);
    /* Runs of 4, 4, 10 and 9 pages: for 16, those of 8 or more do; for 20, those of 4 or more. */
    assert_int_equal(find(free, COUNT(free), PAGES(16), is_good, bad), STATUS_OK);
    assert_spans(&place, (struct span[]){ pages(100, 10), pages(111, 6) }, 2);
    assert_int_equal(find(free, COUNT(free), PAGES(20), is_good, bad), STATUS_OK);
    assert_spans(&place,
                 (struct span[]){ pages(16, 4), pages(21, 4), pages(100, 10), pages(111, 2) }, 4);
    /* All there is, and one page more. */
    assert_int_equal(find(free, COUNT(free), PAGES(27), is_good, bad), STATUS_OK);
    assert_int_equal(place.bytes, PAGES(27));
    assert_int_equal(find(free, COUNT(free), PAGES(28), is_good, bad), STATUS_NOT_FOUND);
}

TEST(takes_whole_pages_only)
{
    static const struct span free[] = { { PAGES(16) + 64, PAGES(2) }, { PAGES(30) - 64, 128 } };
    uint64_t bad[] = { 0 };

    begin(NULL);
    assert_int_equal(find(free, COUNT(free), PAGES(1), is_good, bad), STATUS_OK);
    assert_spans(&place, (struct span[]){ pages(17, 1) }, 1);
    assert_int_equal(find(free, COUNT(free), PAGES(2), is_good, bad), STATUS_NOT_FOUND);
    assert_int_equal(find(free, 0, PAGES(1), is_good, bad), STATUS_NOT_FOUND);
}

static bool is_even(void *ctx, uint64_t page_phys)
{
    ++*(uint64_t *)ctx;
    return page_phys / PAGE_SIZE % 2 == 0;
}

/* A bad page in each 16, at any place: runs that are about as long as can be had, and fast. */
static bool is_good_of_16(void *ctx, uint64_t page_phys)
{
    uint64_t page = page_phys / PAGE_SIZE, block = page / 16;

    ++*(uint64_t *)ctx;
    return (block * UINT64_C(0x9e3779b97f4a7c15)) >> 60 != page % 16;
}

TEST(a_bad_page_in_every_64_kib_of_4_gib)
{
    struct span free = { 0, UINT64_C(1) << 32 };
    uint64_t asked = 0, few = 0;

    begin(NULL);
    assert_int_equal(find(&free, 1, PAGES(4000), is_good_of_16, &asked), STATUS_OK);
    assert_in_range(asked, 0, 4 * free.size / PAGE_SIZE);
    assert_int_equal(place.bytes, PAGES(4000));
    for (size_t i = 0; i < place.n; i++) {
        struct span s = page_list_span(&place, i);

        few += s.size < PAGES(16);
        for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE)
            assert_true(is_good_of_16(&asked, page));
    }
    assert_in_range(few, 0, 1); /* the last */
}

/* Every other page bad: as many good ones as there may be spans, and one more. */
TEST(is_not_more_scattered_than_it_may)
{
    struct span free = pages(2, 2 * RUNS_MAX + 2);
    uint64_t asked = 0;

    begin(NULL);
    assert_int_equal(find(&free, 1, PAGES(RUNS_MAX), is_even, &asked), STATUS_OK);
    assert_int_equal(place.n, RUNS_MAX);
    assert_in_range(asked, 0, 4 * free.size / PAGE_SIZE);
    assert_int_equal(find(&free, 1, PAGES(RUNS_MAX + 1), is_even, &asked), STATUS_NOT_FOUND);
}

#include "memory/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define PAGES(n)  ((n)*PAGE_SIZE)

static struct place place, rest;

static struct span pages(uint64_t first, uint64_t n)
{
    return (struct span){ PAGES(first), PAGES(n) };
}

static void begin(void)
{
    place = (struct place){ 0 };
    rest = (struct place){ 0 };
}

static void add(uint64_t first, uint64_t n)
{
    assert_int_equal(place_add(&place, pages(first, n)), STATUS_OK);
}

static void assert_spans(const struct place *p, const struct span *want, size_t n)
{
    uint64_t bytes = 0;

    assert_int_equal(p->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(p->span[i].base, want[i].base);
        assert_int_equal(p->span[i].size, want[i].size);
        bytes += want[i].size;
    }
    assert_int_equal(p->bytes, bytes);
}

static void joins_what_adjoins_upwards(void **state)
{
    begin();
    add(8, 2);
    add(10, 1);
    add(4, 4); /* ends where the first begins, but stands behind it */
    assert_spans(&place, (struct span[]){ pages(8, 3), pages(4, 4) }, 2);
}

static void takes_so_many_spans_and_no_more(void **state)
{
    begin();
    for (uint64_t i = 0; i < PLACE_SPANS_MAX; i++)
        add(2 * i, 1);
    assert_int_equal(place_add(&place, pages(2 * PLACE_SPANS_MAX, 1)), STATUS_NO_SPACE);
    assert_int_equal(place.n, PLACE_SPANS_MAX);
    assert_int_equal(place.bytes, PAGES(PLACE_SPANS_MAX));
    add(2 * PLACE_SPANS_MAX - 1, 1); /* adjoins the last */
    assert_int_equal(place.bytes, PAGES(PLACE_SPANS_MAX + 1));
}

static void offsets_count_in_the_order_of_use(void **state)
{
    static const struct {
        uint64_t offset, phys, left;
    } cases[] = {
        { 0, PAGES(8), PAGES(2) },          { PAGES(2) - 1, PAGES(10) - 1, 1 },
        { PAGES(2), PAGES(3), PAGES(3) },   { PAGES(5) - 8, PAGES(6) - 8, 8 },
        { PAGES(5), PAGES(100), PAGES(1) },
    };
    uint64_t offset;

    begin();
    add(8, 2);
    add(3, 3);
    add(100, 1);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct span s = place_at(&place, cases[i].offset);

        assert_int_equal(s.base, cases[i].phys);
        assert_int_equal(s.size, cases[i].left);
        assert_int_equal(place_offset(&place, cases[i].phys, &offset), STATUS_OK);
        assert_int_equal(offset, cases[i].offset);
    }
}

static void what_is_outside_has_no_offset(void **state)
{
    static const uint64_t outside[] = { 0, PAGES(8) - 1, PAGES(10), UINT64_MAX };
    uint64_t offset = 77;

    begin();
    assert_int_equal(place_offset(&place, 0, &offset), STATUS_NOT_FOUND);
    add(8, 2);
    for (size_t i = 0; i < LENGTH(outside); i++)
        assert_int_equal(place_offset(&place, outside[i], &offset), STATUS_NOT_FOUND);
    assert_int_equal(offset, 77);
}

static void is_cut_anywhere(void **state)
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

    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin();
        add(8, 2);
        add(3, 3);
        place_cut(&place, PAGES(cases[i].kept), &rest);
        assert_spans(&place, cases[i].first, cases[i].n_first);
        assert_spans(&rest, cases[i].second, cases[i].n_second);
    }
}

/* Bad pages, by number; 0 ends the list. */
static bool is_good(void *ctx, uint64_t page_phys)
{
    assert_int_equal(page_phys % PAGE_SIZE, 0);
    for (const uint64_t *bad = ctx; *bad; bad++) {
        if (PAGES(*bad) == page_phys)
            return false;
    }
    return true;
}

static void finds_the_first_whole_run(void **state)
{
    static const struct {
        uint64_t bad[4], n_pages, found;
    } cases[] = {
        { { 0 }, 4, 16 },         { { 0 }, 10, 100 }, /* the first span is too short by one */
        { { 16, 0 }, 4, 17 },                         /* a bad page at the beginning */
        { { 16, 0 }, 8, 17 },                         /* just fits behind it */
        { { 17, 0 }, 8, 100 },                        /* does not */
        { { 24, 0 }, 8, 16 },                         /* just fits before it */
        { { 18, 22, 0 }, 3, 19 }, { { 100, 119, 0 }, 18, 101 },
    };
    static const struct span free[] = { { PAGES(16), PAGES(9) }, { PAGES(100), PAGES(20) } };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin();
        assert_int_equal(place_find(free, LENGTH(free), PAGES(cases[i].n_pages), is_good,
                                    (void *)cases[i].bad, &place),
                         STATUS_OK);
        assert_spans(&place, (struct span[]){ pages(cases[i].found, cases[i].n_pages) }, 1);
    }
}

static void gathers_runs_where_none_is_long_enough(void **state)
{
    static const struct span free[] = { { PAGES(16), PAGES(9) }, { PAGES(100), PAGES(20) } };
    uint64_t bad[] = { 20, 110, 0 };

    begin();
    /* Runs of 4, 4, 10 and 9 pages: for 16, those of 4 or more do, in their order. */
    assert_int_equal(place_find(free, LENGTH(free), PAGES(16), is_good, bad, &place), STATUS_OK);
    assert_spans(&place, (struct span[]){ pages(16, 4), pages(21, 4), pages(100, 8) }, 3);
    /* All there is, and one page more. */
    assert_int_equal(place_find(free, LENGTH(free), PAGES(27), is_good, bad, &place), STATUS_OK);
    assert_int_equal(place.bytes, PAGES(27));
    assert_int_equal(place_find(free, LENGTH(free), PAGES(28), is_good, bad, &place),
                     STATUS_NOT_FOUND);
}

static void takes_whole_pages_only(void **state)
{
    static const struct span free[] = { { PAGES(16) + 64, PAGES(2) }, { PAGES(30) - 64, 128 } };
    uint64_t bad[] = { 0 };

    begin();
    assert_int_equal(place_find(free, LENGTH(free), PAGES(1), is_good, bad, &place), STATUS_OK);
    assert_spans(&place, (struct span[]){ pages(17, 1) }, 1);
    assert_int_equal(place_find(free, LENGTH(free), PAGES(2), is_good, bad, &place),
                     STATUS_NOT_FOUND);
    assert_int_equal(place_find(free, 0, PAGES(1), is_good, bad, &place), STATUS_NOT_FOUND);
}

/* Every other page bad: as many good ones as there may be spans, and one more. */
static void is_not_more_scattered_than_it_may(void **state)
{
    static uint64_t bad[PLACE_SPANS_MAX + 2];
    struct span free = pages(2, 2 * PLACE_SPANS_MAX + 2);

    begin();
    for (size_t i = 0; i <= PLACE_SPANS_MAX; i++)
        bad[i] = 3 + 2 * i;
    assert_int_equal(place_find(&free, 1, PAGES(PLACE_SPANS_MAX), is_good, bad, &place), STATUS_OK);
    assert_int_equal(place.n, PLACE_SPANS_MAX);
    assert_int_equal(place_find(&free, 1, PAGES(PLACE_SPANS_MAX + 1), is_good, bad, &place),
                     STATUS_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_what_adjoins_upwards),
        cmocka_unit_test(takes_so_many_spans_and_no_more),
        cmocka_unit_test(offsets_count_in_the_order_of_use),
        cmocka_unit_test(what_is_outside_has_no_offset),
        cmocka_unit_test(is_cut_anywhere),
        cmocka_unit_test(finds_the_first_whole_run),
        cmocka_unit_test(gathers_runs_where_none_is_long_enough),
        cmocka_unit_test(takes_whole_pages_only),
        cmocka_unit_test(is_not_more_scattered_than_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

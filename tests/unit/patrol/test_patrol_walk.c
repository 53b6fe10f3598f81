// SPDX-License-Identifier: MIT
#include "patrol/patrol_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define P            PAGE_SIZE
#define GIB          (UINT64_C(1) << 30)

static const struct span memory[] = {
    { 16 * P, 4 * P }, { 20 * P, 2 * P }, /* touches the one before, and is another descriptor */
    { 40 * P, 1 * P }, { 4 * GIB - 2 * P, 2 * P }, { 4 * GIB, 3 * P },
};

static const struct way {
    uint64_t first, max_bytes;
    size_t n;
    struct span block[16];
} ways[] = {
    { 0,
      GIB,
      5,
      { { 16 * P, 4 * P },
        { 20 * P, 2 * P },
        { 40 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P } } },
    /* Within a span: its begin comes last. */
    { 17 * P,
      3 * P,
      6,
      { { 17 * P, 3 * P },
        { 20 * P, 2 * P },
        { 40 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P },
        { 16 * P, P } } },
    /* Between spans, where memory is no longer free. */
    { 30 * P,
      2 * P,
      7,
      { { 40 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 2 * P },
        { 4 * GIB + 2 * P, P },
        { 16 * P, 2 * P },
        { 18 * P, 2 * P },
        { 20 * P, 2 * P } } },
    /* Behind all. */
    { UINT64_C(1) << 50,
      GIB,
      5,
      { { 16 * P, 4 * P },
        { 20 * P, 2 * P },
        { 40 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P } } },
};

static void ways_through_memory(void **state)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        const struct way *way = &ways[i];
        struct patrol_walk walk = patrol_walk_begin(memory, COUNT(memory), way->first);
        struct span block;

        for (size_t n = 0; n < way->n; n++) {
            assert_true(patrol_walk_next(&walk, way->max_bytes, &block));
            assert_int_equal(block.base, way->block[n].base);
            assert_int_equal(block.size, way->block[n].size);
        }
        for (int again = 0; again < 2; again++)
            assert_false(patrol_walk_next(&walk, way->max_bytes, &block));
    }
}

static void no_memory(void **state)
{
    struct patrol_walk walk = patrol_walk_begin(NULL, 0, 5 * P);
    struct span block;

    assert_false(patrol_walk_next(&walk, GIB, &block));
}

static void a_block_that_was_broken_off(void **state)
{
    struct patrol_walk walk = patrol_walk_begin(memory, COUNT(memory), 0);
    struct span block, again;

    assert_true(patrol_walk_next(&walk, 2 * P, &block));
    assert_true(patrol_walk_next(&walk, 2 * P, &block));
    patrol_walk_back(&walk, block);
    assert_int_equal(walk.next, block.base);
    assert_true(patrol_walk_next(&walk, P, &again));
    assert_int_equal(again.base, block.base);
    assert_int_equal(again.size, P);
}

/* Over many boots, from random places, with random sizes: each page once a lap. */
static void each_page_once(void **state)
{
    srand(17);
    for (int round = 0; round < 2000; round++) {
        static unsigned seen[256];
        struct span free[20], block;
        size_t n = 0;
        struct patrol_walk walk;

        memset(seen, 0, sizeof(seen));
        for (uint64_t at = (uint64_t)(rand() % 4); at < 200; at += (uint64_t)(rand() % 9)) {
            uint64_t pages = (uint64_t)(rand() % 20 + 1);

            if (n == COUNT(free))
                break;
            free[n++] = (struct span){ at * P, pages * P };
            at += pages;
        }
        walk = patrol_walk_begin(free, n, (uint64_t)(rand() % 250) * P);
        while (patrol_walk_next(&walk, (uint64_t)(rand() % 30 + 1) * P, &block)) {
            for (uint64_t p = block.base / P; p < span_end(block) / P; p++)
                seen[p]++;
        }
        for (size_t i = 0; i < n; i++) {
            for (uint64_t p = free[i].base / P; p < span_end(free[i]) / P; p++)
                assert_int_equal(seen[p]--, 1);
        }
        for (size_t i = 0; i < COUNT(seen); i++)
            assert_int_equal(seen[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_through_memory),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(a_block_that_was_broken_off),
        cmocka_unit_test(each_page_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

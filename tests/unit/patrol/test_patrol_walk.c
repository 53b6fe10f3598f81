// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define P            PAGE_SIZE
#define GIB          (UINT64_C(1) << 30)

static struct guard_piece memory[] = {
    { 0, 256, GUARD_FREE },                             /* below 1 MiB */
    { 272, 4, GUARD_FREE },     { 276, 2, GUARD_FREE }, /* touches the one before, and is another
                                                           descriptor */
    { 278, 18, GUARD_HELD },    { 296, 1, GUARD_FREE },     { 297, 1, GUARD_UNUSABLE },
    { 0xffffd, 1, GUARD_KEPT }, { 0xffffe, 2, GUARD_FREE }, { 0x100000, 3, GUARD_FREE },
};
static const struct guard_ram_use pieces = { memory, COUNT(memory) };

static const struct way {
    uint64_t first, max_bytes;
    size_t n;
    struct span block[16];
} ways[] = {
    { 0,
      GIB,
      5,
      { { 272 * P, 4 * P },
        { 276 * P, 2 * P },
        { 296 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P } } },
    /* Within a piece: its begin comes last. */
    { 273 * P,
      3 * P,
      6,
      { { 273 * P, 3 * P },
        { 276 * P, 2 * P },
        { 296 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P },
        { 272 * P, P } } },
    /* Between pieces, where memory is no longer free. */
    { 286 * P,
      2 * P,
      7,
      { { 296 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 2 * P },
        { 4 * GIB + 2 * P, P },
        { 272 * P, 2 * P },
        { 274 * P, 2 * P },
        { 276 * P, 2 * P } } },
    /* Behind all. */
    { UINT64_C(1) << 50,
      GIB,
      5,
      { { 272 * P, 4 * P },
        { 276 * P, 2 * P },
        { 296 * P, P },
        { 4 * GIB - 2 * P, 2 * P },
        { 4 * GIB, 3 * P } } },
};

static void ways_through_memory(void **state)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        const struct way *way = &ways[i];
        struct patrol_walk walk = patrol_walk_begin(&pieces, way->first);
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
    static const struct guard_ram_use none = { 0 };
    struct patrol_walk walk = patrol_walk_begin(&none, 5 * P);
    struct span block;

    assert_false(patrol_walk_next(&walk, GIB, &block));
    assert_int_equal(patrol_walk_bytes(&none), 0);
    assert_int_equal(patrol_walk_bytes(&pieces), 12 * P);
}

/* Of a piece that lies on both sides of 1 MiB, the upper part. */
static void one_mib(void **state)
{
    struct guard_piece piece = { 250, 8, GUARD_FREE };
    const struct guard_ram_use one = { &piece, 1 };
    struct patrol_walk walk = patrol_walk_begin(&one, 0);
    struct span block;

    assert_true(patrol_walk_next(&walk, GIB, &block));
    assert_int_equal(block.base, 256 * P);
    assert_int_equal(block.size, 2 * P);
    assert_false(patrol_walk_next(&walk, GIB, &block));
    assert_int_equal(patrol_walk_bytes(&one), 2 * P);
}

static void a_block_that_was_broken_off(void **state)
{
    struct patrol_walk walk = patrol_walk_begin(&pieces, 0);
    struct span block, again;

    assert_true(patrol_walk_next(&walk, 2 * P, &block));
    assert_true(patrol_walk_next(&walk, 2 * P, &block));
    patrol_walk_back(&walk, block);
    assert_int_equal(walk.next, block.base);
    assert_true(patrol_walk_next(&walk, P, &again));
    assert_int_equal(again.base, block.base);
    assert_int_equal(again.size, P);
}

/* From random places, with random sizes: each free page once, and no other. */
static void each_page_once(void **state)
{
    static unsigned seen[800];

    srand(17);
    for (int round = 0; round < 2000; round++) {
        struct guard_piece piece[20];
        struct guard_ram_use random = { piece, 0 };
        struct patrol_walk walk;
        struct span block;

        memset(seen, 0, sizeof(seen));
        for (uint64_t at = 256; random.n < COUNT(piece); at += (uint64_t)(rand() % 9)) {
            piece[random.n] = (struct guard_piece){ at, (uint64_t)(rand() % 20 + 1),
                                                    (enum guard_use)(rand() % 2) };
            at += piece[random.n++].n;
        }
        walk = patrol_walk_begin(&random, (uint64_t)(rand() % 900) * P);
        while (patrol_walk_next(&walk, (uint64_t)(rand() % 30 + 1) * P, &block)) {
            for (uint64_t p = block.base / P; p < span_end(block) / P; p++)
                seen[p]++;
        }
        for (size_t i = 0; i < random.n; i++) {
            for (uint64_t p = piece[i].first; p < piece[i].first + piece[i].n; p++)
                seen[p] -= piece[i].use == GUARD_FREE;
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
        cmocka_unit_test(one_mib),
        cmocka_unit_test(a_block_that_was_broken_off),
        cmocka_unit_test(each_page_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

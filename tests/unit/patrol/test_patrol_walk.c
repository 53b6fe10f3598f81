// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_walk.h"

#include "tests/unit/unit.h"

#define P PAGE_SIZE

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

TEST(ways_through_memory)
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

TEST(no_memory)
{
    static const struct guard_ram_use none = { 0 };
    struct patrol_walk walk = patrol_walk_begin(&none, 5 * P);
    struct span block;

    assert_false(patrol_walk_next(&walk, GIB, &block));
    assert_int_equal(patrol_walk_bytes(&none), 0);
    assert_int_equal(patrol_walk_bytes(&pieces), 12 * P);
}

/* Of a piece that lies on both sides of 1 MiB, the upper part. */
TEST(one_mib)
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

TEST(a_block_that_was_broken_off)
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
TEST(each_page_once)
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

static const struct {
    struct patrol_cursor place;
    uint64_t packed;
} places[] = {
    { { 0, 0, 0 }, 0 },
    { { 0x100, 0, 0 }, 0x100 },
    { { 0xffffffffff, 0, 0 }, 0xffffffffff },
    { { 0, 1, 0 }, UINT64_C(1) << 40 },
    { { 0, 255, 0 }, UINT64_C(0xff) << 40 },
    { { 0, 0, 1 }, UINT64_C(1) << 48 },
    { { 0x123456789a, 2, 0xfedc }, UINT64_C(0xfedc02123456789a) },
    { { 0xffffffffff, 0xff, 0xffff }, UINT64_MAX },
};

TEST(packed_and_unpacked)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct patrol_cursor p = patrol_cursor_unpack(places[i].packed);

        assert_int_equal(patrol_cursor_pack(places[i].place), places[i].packed);
        assert_int_equal(p.page, places[i].place.page);
        assert_int_equal(p.unfinished, places[i].place.unfinished);
        assert_int_equal(p.lap, places[i].place.lap);
    }
}

/* A page number that is too large gets into nothing else. */
TEST(a_page_beyond_all_memory)
{
    assert_int_equal(patrol_cursor_pack((struct patrol_cursor){ UINT64_C(1) << 40, 0, 0 }), 0);
}

static const struct {
    struct patrol_pace pace;
    uint64_t left_us, block;
} paces[] = {
    { { 0, 0 }, 5000000, MIB }, /* nothing is known yet */
    { { 0, 0 }, 1, MIB },
    { { MIB, 0 }, 1, MIB },
    { { 0, 5000 }, 1, MIB },
    { { 0, 0 }, 0, 0 },
    { { MIB, 10000 }, 0, 0 },

    { { MIB, 1000 }, 1000000, PATROL_BLOCK_MAX },
    { { MIB, 1000 }, 32000, PATROL_BLOCK_MAX }, /* half of it */
    { { MIB, 1000 }, 31999, 16 * MIB - 4 * KIB },
    { { MIB, 1000 }, 2000, MIB },
    { { MIB, 1000 }, 125, PATROL_BLOCK_MIN },
    { { MIB, 1000 }, 124, 0 },

    { { 4 * KIB, 2000000 }, 3000000, 0 }, /* very slow */
    { { UINT64_MAX / 2, 1 }, 1000, PATROL_BLOCK_MAX },
    { { 1, UINT64_MAX }, UINT64_MAX, 0 },
};

TEST(blocks)
{
    for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++)
        assert_int_equal(patrol_pace_block(paces[i].pace, paces[i].left_us), paces[i].block);
}

/* At an even pace it ends in time, and uses nearly all of it. */
TEST(ends_in_time)
{
    for (uint64_t rate = 1; rate < 3000; rate = rate * 2 + 1) { /* bytes a us */
        struct patrol_pace pace = { 0, 0 };
        uint64_t budget_us = 5000000, block;

        while ((block = patrol_pace_block(pace, budget_us - pace.us)) != 0) {
            pace.bytes += block;
            pace.us += block / rate + 1;
            assert_true(pace.us <= budget_us);
        }
        assert_true(budget_us - pace.us <= 2 * PATROL_BLOCK_MIN / rate + 2);
    }
}

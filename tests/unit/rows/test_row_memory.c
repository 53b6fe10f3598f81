// SPDX-License-Identifier: MIT
#include "rows/row_memory.c"

#include "rows/row_map.h"
#include "tests/unit/unit.h"

static struct row_memory memory;

static void make(const struct span *span, size_t n)
{
    memory = (struct row_memory){ 0 };
    for (size_t i = 0; i < n; i++)
        row_memory_add(&memory, span[i]);
}

TEST(whole_lines_are_joined)
{
    static const struct span span[] = { { 1, 62 }, { 65, 191 }, { 256, 64 }, { 384, 65 } };

    make(span, COUNT(span));
    assert_int_equal(memory.n, 2);
    assert_int_equal(memory.lines, 4);
    assert_int_equal(memory.span[0].base, 128);
    assert_int_equal(memory.span[0].size, 192);
    assert_int_equal(memory.span[1].base, 384);
    assert_int_equal(memory.lines_before[1], 3);
    assert_false(row_memory_contains(&memory, 127));
    assert_true(row_memory_contains(&memory, 128));
    assert_true(row_memory_contains(&memory, 319));
    assert_false(row_memory_contains(&memory, 320));
    assert_true(row_memory_contains(&memory, 447));
    assert_false(row_memory_contains(&memory, 448));
}

TEST(what_finds_no_room_is_left_out)
{
    memory = (struct row_memory){ 0 };
    for (uint64_t i = 0; i < ROW_SPANS_MAX + 2; i++)
        row_memory_add(&memory, (struct span){ i * 128, 64 });
    assert_int_equal(memory.n, ROW_SPANS_MAX);
    assert_int_equal(memory.lines, ROW_SPANS_MAX);
    row_memory_add(&memory, (struct span){ ROW_SPANS_MAX * 128 - 64, 64 });
    assert_int_equal(memory.lines, ROW_SPANS_MAX + 1);
}

/* A remapped part above a power of two is left out, but not half of the memory. */
TEST(bits_of_an_address)
{
    static const struct {
        struct span span[2];
        uint64_t hole;
        unsigned bits;
    } cases[] = {
        { { { 0, 64 } }, 0, 6 },
        { { { 0, 128 } }, 0, 7 },
        { { { 0, 64 * MIB } }, 0, 26 },
        { { { 0, 64 * MIB + 64 } }, 0, 26 },
        { { { 0, 3 * GIB } }, 0, 31 },
        { { { 0, 3 * GIB + 64 } }, 0, 32 },
        { { { 0, 3 * GIB }, { 4 * GIB, 13 * GIB } }, 0, 34 },
        { { { 0, 3 * GIB }, { 4 * GIB, 13 * GIB } }, GIB, 34 },
        { { { 4 * GIB, GIB } }, 0, 33 },
        { { { 4 * GIB, GIB } }, GIB, 32 },
        { { { 0, 2 * GIB }, { 4 * GIB, 2 * GIB } }, 0, 32 },
        { { { 0, 2 * GIB }, { 4 * GIB, 2 * GIB } }, 2 * GIB, 32 },
    };

    make(NULL, 0);
    assert_int_equal(row_memory_bits(&memory, 0), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        make(cases[i].span, 2);
        assert_int_equal(row_memory_bits(&memory, cases[i].hole), cases[i].bits);
    }
}

TEST(bits_that_differ)
{
    static const struct {
        struct span span[2];
        uint64_t hole, bits;
    } cases[] = {
        { { { 0, 64 } }, 0, 0 },
        { { { 64, 64 } }, 0, 0 },
        { { { 64, 128 } }, 0, 0xc0 },
        { { { 16 * GIB, GIB } }, 0, GIB - 64 },
        { { { 16 * GIB, 64 }, { 24 * GIB, 64 } }, 0, 8 * GIB },
        { { { 3 * GIB, 64 }, { 4 * GIB, 64 } }, 0, 7 * GIB },
        { { { 3 * GIB - 64, 64 }, { 4 * GIB, 64 } }, GIB, 2 * GIB - 64 },
    };

    make(NULL, 0);
    assert_int_equal(row_memory_differing(&memory, 0), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        make(cases[i].span, 2);
        assert_int_equal(row_memory_differing(&memory, cases[i].hole), cases[i].bits);
    }
}

TEST(pairs_are_of_the_memory_and_differ_so)
{
    static const struct span span[] = { { 0, 3 * GIB }, { 4 * GIB, 5 * GIB } };
    uint64_t random = 1, pair[2];

    make(span, COUNT(span));
    for (uint64_t hole = 0; hole <= GIB; hole += GIB) {
        for (unsigned bit = 6; bit < 33; bit++) {
            uint64_t difference = UINT64_C(1) << bit | 64;

            assert_true(row_memory_pair(&memory, hole, 33, difference, &random, pair));
            assert_true(row_memory_contains(&memory, pair[0]));
            assert_true(row_memory_contains(&memory, pair[1]));
            assert_int_equal(row_map_linear(hole, pair[0]) ^ row_map_linear(hole, pair[1]),
                             difference);
            assert_int_equal(row_map_linear(hole, pair[0]) >> 33, 0);
        }
    }
    assert_false(row_memory_pair(&memory, 0, 33, UINT64_C(1) << 40, &random, pair));
    make(NULL, 0);
    assert_false(row_memory_pair(&memory, 0, 33, 64, &random, pair));
}

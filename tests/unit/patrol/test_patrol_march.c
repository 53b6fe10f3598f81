// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/guard/patrol/patrol_march.h"

#include "boot/faulty.h"

#define BIT(page, byte, bit) (((page) * (size_t)PAGE_SIZE + (byte)) * 8 + (bit))

static struct patrol_found found;
static unsigned asked, ends_after;

static bool is_over(void *ctx)
{
    return ++asked > ends_after;
}

static bool march(const uint8_t *memory, uint64_t pages, uint32_t lap)
{
    const struct patrol_march m = { .ops = &line_ops_sse2, .lap = lap, .is_over = is_over };

    asked = 0;
    return patrol_march_run(&m, (struct span){ (uintptr_t)memory, pages * PAGE_SIZE }, &found);
}

static void assert_bad(const uint64_t *page, size_t n, uint64_t pages)
{
    assert_int_equal(found.n_bad, n);
    for (size_t i = 0; i < n; i++)
        assert_true(patrol_found_is_bad(&found, page[i]));
    for (uint64_t i = pages; i < PATROL_BLOCK_PAGES; i++)
        assert_false(patrol_found_is_bad(&found, i));
}

TEST(sound_memory, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(PATROL_BLOCK_MAX, NULL, 0);

    ends_after = UINT32_MAX;
    for (uint32_t lap = 0; lap < DATA_BACKGROUNDS_WORD + 1; lap++) {
        assert_true(march(memory, lap ? 3 : PATROL_BLOCK_PAGES, lap));
        assert_bad(NULL, 0, PATROL_BLOCK_PAGES);
    }
}

/* Each kind of fault: its page is bad, and no other. */
TEST(one_fault)
{
    static const struct faulty_cell cells[] = {
        { STUCK0, BIT(0, 0, 0), 0 },
        { STUCK1, BIT(2, 4095, 7), 0 },
        { RISE, BIT(0, 64, 1), 0 },
        { FALL, BIT(1, 0, 0), 0 },
        { INVERT, BIT(1, 8, 1), BIT(0, 4000, 5) },
        { INVERT, BIT(0, 8, 1), BIT(2, 100, 5) },
    };

    ends_after = UINT32_MAX;
    for (size_t i = 0; i < COUNT(cells); i++) {
        uint64_t bad =
            (cells[i].kind == INVERT ? cells[i].victim : cells[i].at) / 8 / (size_t)PAGE_SIZE;
        uint8_t *memory = faulty_make(3 * PAGE_SIZE, &cells[i], 1);

        assert_true(march(memory, 3, 0));
        assert_bad(&bad, 1, 3);
        faulty_free();
    }
}

/* Two bits of a word that no solid background tells apart: a later lap does. */
TEST(coupling_within_a_word)
{
    const struct faulty_cell cell = { INVERT, BIT(1, 8, 1), BIT(1, 8, 6) };
    const uint64_t bad = 1;
    unsigned laps = 0;

    ends_after = UINT32_MAX;
    for (uint32_t lap = 0; lap < DATA_BACKGROUNDS_WORD; lap++) {
        uint8_t *memory = faulty_make(2 * PAGE_SIZE, &cell, 1);

        assert_true(march(memory, 2, lap));
        if (found.n_bad) {
            assert_bad(&bad, 1, 2);
            laps++;
        }
        faulty_free();
    }
    assert_true(laps > 0);
}

TEST(faults_at_both_ends_of_the_largest_block, NULL, faulty_free_after)
{
    const uint64_t bad[] = { 0, 255, 256, PATROL_BLOCK_PAGES - 1 };
    struct faulty_cell cell[COUNT(bad)];
    uint8_t *memory;

    for (size_t i = 0; i < COUNT(bad); i++)
        cell[i] = (struct faulty_cell){ STUCK1, BIT(bad[i], 1000, 3), 0 };
    memory = faulty_make(PATROL_BLOCK_MAX, cell, COUNT(cell));
    ends_after = UINT32_MAX;
    assert_true(march(memory, PATROL_BLOCK_PAGES, 2));
    assert_bad(bad, COUNT(bad), PATROL_BLOCK_PAGES);
}

/* Broken off after any slice: what has been found until then is kept. */
TEST(broken_off, NULL, faulty_free_after)
{
    const struct faulty_cell cell = { STUCK1, BIT(1, 0, 0), 0 };
    const uint64_t bad = 1, pages = 2 * SWEEP_SMALL_SLICE / PAGE_SIZE;
    uint8_t *memory = faulty_make(pages * PAGE_SIZE, &cell, 1);
    unsigned slices;

    ends_after = UINT32_MAX;
    assert_true(march(memory, pages, 0));
    slices = asked;
    assert_true(slices >= 10 * 2);
    for (ends_after = 0; ends_after < slices; ends_after++) {
        assert_false(march(memory, pages, 0));
        assert_int_equal(asked, ends_after + 1);
        assert_bad(&bad, found.n_bad, pages);
    }
    assert_int_equal(found.n_bad, 1);
    ends_after = slices;
    assert_true(march(memory, pages, 0));
}

/* What is around the block keeps its content. */
TEST(nothing_outside_is_written, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(3 * PAGE_SIZE, NULL, 0);

    memset(memory, 0x77, 3 * PAGE_SIZE);
    ends_after = UINT32_MAX;
    assert_true(march(memory + PAGE_SIZE, 1, 0));
    for (size_t i = 0; i < PAGE_SIZE; i++) {
        assert_int_equal(memory[i], 0x77);
        assert_int_equal(memory[2 * PAGE_SIZE + i], 0x77);
    }
}

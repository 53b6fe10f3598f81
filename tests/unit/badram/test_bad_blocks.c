// SPDX-License-Identifier: MIT
#include "badram/bad_blocks.h"

#include "machine.h"

/* 64 pages, a gap of 32, 32 pages, and far above 8 pages. */
static const struct span ram[] = {
    { 0, 0x40000 }, { 0x60000, 0x20000 }, { 4 * GiB, 0x8000 }, { 0 }
};

static const struct {
    struct page_run bad[4];
    struct page_run block[8]; /* first page and pages, by address */
} cases[] = {
    { { { 5, 1 } }, { { 5, 1 } } },
    { { { 0, 1 } }, { { 0, 1 } } },
    { { { 4, 4 } }, { { 4, 4 } } },
    { { { 3, 7 } }, { { 3, 1 }, { 4, 4 }, { 8, 2 } } },
    { { { 2, 2 }, { 5, 1 } }, { { 2, 2 }, { 5, 1 } } },
    /* up to the gap, on both sides of it, and everything */
    { { { 0x3d, 3 } }, { { 0x3d, 1 }, { 0x3e, 2 } } },
    { { { 0x60, 7 } }, { { 0x60, 4 }, { 0x64, 2 }, { 0x66, 1 } } },
    { { { 0x100000, 7 } }, { { 0x100000, 4 }, { 0x100004, 2 }, { 0x100006, 1 } } },
    { { { 0x20, 0x20 }, { 0x60, 0x20 } }, { { 0x20, 0x20 }, { 0x60, 0x20 } } },
    { { { 0, 0x40 }, { 0x60, 0x20 }, { 0x100000, 8 } },
      { { 0, 0x40 }, { 0x60, 0x20 }, { 0x100000, 8 } } },
};

static void runs_become_blocks(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct machine *m = machine_make(ram);
        struct bad_blocks blocks;
        struct pattern block;

        for (size_t k = 0; k < 4; k++)
            for (uint64_t n = 0; n < cases[i].bad[k].count; n++)
                machine_mark(m, cases[i].bad[k].first + n);
        blocks = bad_blocks_start(&m->log);
        for (size_t k = 0; k < 8 && cases[i].block[k].count; k++) {
            assert_true(bad_blocks_next(&blocks, &block));
            assert_int_equal(block.addr, cases[i].block[k].first << PAGE_SHIFT);
            assert_int_equal(block.mask,
                             PATTERN_MASK_BITS & ~((cases[i].block[k].count << PAGE_SHIFT) - 1));
        }
        assert_false(bad_blocks_next(&blocks, &block));
        assert_false(bad_blocks_next(&blocks, &block));
        machine_free(m);
    }
}

static void blocks_hold_bad_pages_and_no_good_ones(void **state)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct machine *m = machine_make(ram);
        uint64_t random = seed, share = seed % 9, covered = 0;
        struct bad_blocks blocks;
        struct pattern block;

        for (uint64_t i = 0; i < m->space.n_pages; i++)
            if (machine_random(&random) % 8 < share)
                machine_mark(m, page_index_page(&m->space, i));
        blocks = bad_blocks_start(&m->log);
        while (bad_blocks_next(&blocks, &block)) {
            for (uint64_t i = 0; i < m->space.n_pages; i++) {
                uint64_t addr = page_index_page(&m->space, i) << PAGE_SHIFT;

                if (pattern_covers(block, addr)) {
                    assert_true(fault_log_is_bad(&m->log, addr));
                    covered++;
                }
            }
        }
        assert_int_equal(covered, fault_log_bad_pages(&m->log));
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_become_blocks),
        cmocka_unit_test(blocks_hold_bad_pages_and_no_good_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "badram/block_cover.h"

#include "badram/pattern.h"
#include "block_optimum.h"
#include "lib/sort.h"
#include "machine.h"

static struct pattern list[64];
static struct block_cover_work work;

/* Patterns that a set of 16 pages needs when they are blocks. */
static size_t blocks_of(uint32_t pages)
{
    size_t n = 0;

    for (unsigned first = 0, order; first < 16; first += 1u << order) {
        for (order = 4;; order--) {
            uint32_t block = ((1u << (1u << order)) - 1) << first;

            if (first % (1u << order) == 0 && ((pages & block) == block || order == 0)) {
                n += (pages & block) == block;
                break;
            }
        }
    }
    return n;
}

static unsigned ranges_of(uint32_t pages)
{
    return (unsigned)__builtin_popcount(pages & ~(pages << 1));
}

/* The fewest pages of 16 that hold the bad ones within both limits; 99: there are none. */
static unsigned least(uint32_t bad, size_t max_patterns, unsigned max_ranges)
{
    unsigned best = 99;

    for (uint32_t pages = bad; pages < 0x10000; pages = (pages + 1) | bad) {
        unsigned n = (unsigned)__builtin_popcount(pages);

        if (n < best && ranges_of(pages) <= max_ranges && blocks_of(pages) <= max_patterns)
            best = n;
    }
    return best;
}

static void assert_covers(const struct machine *m, const struct pattern *bad, size_t n_bad,
                          size_t n)
{
    for (size_t i = 0; i < n_bad; i++)
        assert_int_equal(cover_count_new(bad[i], list, n, &m->space), 0);
}

/* Every choice of pages is compared; what lies between two prices cannot be found. */
TEST(nearly_as_good_as_can_be)
{
    static const struct span ram[] = { { 0, 16 * PAGE_SIZE }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 1, sum = 0, sum_least = 0, n_least = 0, cases = 0;

    for (int i = 0; i < 400; i++) {
        uint32_t bad = (uint32_t)(machine_random(&random) & machine_random(&random) & 0xffff) | 1;
        size_t max_patterns = 1 + machine_random(&random) % 6, n, n_bad = 0;
        unsigned max_ranges = 1 + (unsigned)(machine_random(&random) % 4), best;
        struct pattern block[16];
        uint64_t pages;

        for (unsigned page = 0; page < 16; page++)
            if (bad >> page & 1)
                block[n_bad++] = pattern_block(page, 0);
        n = block_cover(&(struct bad_blocks){ &m->space, block, n_bad }, max_patterns, max_ranges,
                        &work, list);
        assert_in_range(n, 1, max_patterns);
        assert_covers(m, block, n_bad, n);
        assert_true(cover_count_ranges(list, n, &m->space, 100) <= max_ranges);
        pages = cover_count_pages(list, n, &m->space);
        best = least(bad, max_patterns, max_ranges);
        assert_true(pages >= best);
        sum += pages;
        sum_least += best;
        n_least += pages == best;
        cases++;
    }
    assert_true(n_least * 2 > cases);
    assert_true(sum * 100 < sum_least * 125);
}

TEST(a_run_is_one_range_of_several_blocks)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    struct pattern block[40];

    for (uint64_t i = 0; i < 40; i++)
        block[i] = pattern_block(0x101 + 3 * i, 0);
    /* 118 pages from 0x101 to 0x176: 1 2 4 8 16 32 32 16 4 2 1 */
    assert_int_equal(block_cover(&(struct bad_blocks){ &m->space, block, 40 }, 11, 1, &work, list),
                     11);
    assert_int_equal(cover_count_pages(list, 11, &m->space), 118);
    assert_int_equal(block_cover(&(struct bad_blocks){ &m->space, block, 40 }, 1, 1, &work, list),
                     1);
    assert_int_equal(cover_count_pages(list, 1, &m->space), 128);
    assert_int_equal(block_cover(&(struct bad_blocks){ &m->space, block, 40 }, 40, 40, &work, list),
                     40);
    assert_int_equal(cover_count_pages(list, 40, &m->space), 40);
}

/* A range ends where RAM does: more of them than that may not be demanded, nor fewer promised. */
TEST(holes_part_ranges)
{
    static const struct span ram[] = { { 0, 0x9000 }, { 0xc000, 0x14000 }, { 0 } };
    const struct pattern block[] = { pattern_block(7, 0), pattern_block(13, 0) };
    OWN_MACHINE m = machine_make(ram);

    assert_int_equal(block_cover(&(struct bad_blocks){ &m->space, block, 2 }, 2, 2, &work, list),
                     2);
    assert_int_equal(cover_count_pages(list, 2, &m->space), 2);
    assert_int_equal(block_cover(&(struct bad_blocks){ &m->space, block, 2 }, 1, 2, &work, list),
                     1);
    assert_int_equal(cover_count_pages(list, 1, &m->space), 13);
    assert_int_equal(cover_count_ranges(list, 1, &m->space, 9), 2);
}

#define BAD_MAX 4096

static const struct span pc[] = {
    { 0, 0x9fc00 }, { MIB, 2 * GIB - MIB }, { 4 * GIB, 2 * GIB }, { 0 }
};

static uint64_t bad[BAD_MAX];
static struct pattern block[BAD_MAX], few_list[FEW_BLOCKS_MAX];
static struct few_blocks_work few_work;

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* Different pages of RAM, in bad[] and as blocks of one page. Returns their number. */
static size_t choose_pages(const struct machine *m, uint64_t *random, size_t n)
{
    size_t n_different = 0;

    for (size_t i = 0; i < n; i++)
        bad[i] = page_index_page(&m->space, machine_random(random) % m->space.n_pages);
    sort(bad, n, sizeof(bad[0]), is_lower, NULL);
    for (size_t i = 0; i < n; i++) {
        if (n_different == 0 || bad[n_different - 1] != bad[i])
            bad[n_different++] = bad[i];
    }
    for (size_t i = 0; i < n_different; i++)
        block[i] = pattern_block(bad[i], 0);
    return n_different;
}

static void assert_few_cover(const struct machine *m, size_t n_blocks, size_t n)
{
    for (size_t i = 0; i < n_blocks; i++)
        assert_int_equal(cover_count_new(block[i], few_list, n, &m->space), 0);
}

static uint64_t pages_of(const struct machine *m, size_t n_blocks, size_t max_patterns)
{
    size_t n;

    memset(&few_work, 0xa5, sizeof(few_work));
    n = few_blocks(&(struct bad_blocks){ &m->space, block, n_blocks }, max_patterns, &few_work,
                   few_list);
    assert_in_range(n, 1, max_patterns);
    assert_few_cover(m, n_blocks, n);
    return cover_count_pages(few_list, n, &m->space);
}

TEST(nothing_is_better)
{
    OWN_MACHINE m = machine_make(pc);
    uint64_t random = 1;

    for (int i = 0; i < 40; i++) {
        size_t n = choose_pages(m, &random, 1 + machine_random(&random) % 100);

        for (size_t k = 1; k <= 64; k = k * 2 + 1)
            assert_int_equal(pages_of(m, n, k), block_optimum(&m->space, bad, n, k));
    }
}

/* Blocks of many sizes, of which some touch. */
TEST(larger_blocks)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    static const struct pattern larger[] = {
        { 0x2000, PATTERN_MASK_BITS & ~0x1000ull },
        { 0x4000, PATTERN_MASK_BITS & ~0x3000ull },
        { 0x9000, PATTERN_MASK_BITS },
        { 0x10000, PATTERN_MASK_BITS & ~0xf000ull },
        { 0x400000, PATTERN_MASK_BITS },
    };
    static const uint64_t pages[] = { 2048, 33, 33, 26, 24 };
    OWN_MACHINE m = machine_make(ram);

    memcpy(block, larger, sizeof(larger));
    for (size_t k = 1; k <= 5; k++)
        assert_int_equal(pages_of(m, 5, k), pages[k - 1]);
}

TEST(as_many_as_there_may_be)
{
    OWN_MACHINE m = machine_make(pc);
    uint64_t random = 7, last;
    size_t n = choose_pages(m, &random, BAD_MAX);

    last = pages_of(m, n, 1);
    assert_int_equal(last, m->space.n_pages);
    for (size_t k = FEW_BLOCKS_MAX / 4; k <= FEW_BLOCKS_MAX; k *= 4) {
        uint64_t pages = pages_of(m, n, k);

        assert_true(pages < last);
        last = pages;
    }
    assert_int_equal(
        few_blocks(&(struct bad_blocks){ &m->space, block, n }, 100000, &few_work, few_list),
        FEW_BLOCKS_MAX);
    assert_int_equal(cover_count_pages(few_list, FEW_BLOCKS_MAX, &m->space), last);
}

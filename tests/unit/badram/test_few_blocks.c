// SPDX-License-Identifier: MIT
#include "badram/few_blocks.h"

#include <string.h>

#include "badram/cover_count.h"
#include "block_optimum.h"
#include "lib/sort.h"
#include "machine.h"

#define BAD_MAX 4096

static const struct span pc[] = {
    { 0, 0x9fc00 }, { MiB, 2 * GiB - MiB }, { 4 * GiB, 2 * GiB }, { 0 }
};

static uint64_t bad[BAD_MAX];
static struct pattern block[BAD_MAX], list[FEW_BLOCKS_MAX];
static struct few_blocks_work work;

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

static void assert_covers(const struct machine *m, size_t n_blocks, size_t n)
{
    for (size_t i = 0; i < n_blocks; i++)
        assert_int_equal(cover_count_new(block[i], list, n, &m->space), 0);
}

static uint64_t pages_of(const struct machine *m, size_t n_blocks, size_t max_patterns)
{
    size_t n;

    memset(&work, 0xa5, sizeof(work));
    n = few_blocks(&m->space, block, n_blocks, max_patterns, &work, list);
    assert_in_range(n, 1, max_patterns);
    assert_covers(m, n_blocks, n);
    return cover_count_pages(list, n, &m->space);
}

static void nothing_is_better(void **state)
{
    struct machine *m = machine_make(pc);
    uint64_t random = 1;

    for (int i = 0; i < 40; i++) {
        size_t n = choose_pages(m, &random, 1 + machine_random(&random) % 100);

        for (size_t k = 1; k <= 64; k = k * 2 + 1)
            assert_int_equal(pages_of(m, n, k), block_optimum(&m->space, bad, n, k));
    }
    machine_free(m);
}

/* Blocks of many sizes, of which some touch. */
static void larger_blocks(void **state)
{
    static const struct span ram[] = { { 0, 64 * MiB }, { 0 } };
    static const struct pattern larger[] = {
        { 0x2000, PATTERN_MASK_BITS & ~0x1000ull },
        { 0x4000, PATTERN_MASK_BITS & ~0x3000ull },
        { 0x9000, PATTERN_MASK_BITS },
        { 0x10000, PATTERN_MASK_BITS & ~0xf000ull },
        { 0x400000, PATTERN_MASK_BITS },
    };
    static const uint64_t pages[] = { 2048, 33, 33, 26, 24 };
    struct machine *m = machine_make(ram);

    memcpy(block, larger, sizeof(larger));
    for (size_t k = 1; k <= 5; k++)
        assert_int_equal(pages_of(m, 5, k), pages[k - 1]);
    machine_free(m);
}

static void as_many_as_there_may_be(void **state)
{
    struct machine *m = machine_make(pc);
    uint64_t random = 7, last;
    size_t n = choose_pages(m, &random, BAD_MAX);

    last = pages_of(m, n, 1);
    assert_int_equal(last, m->space.n_pages);
    for (size_t k = FEW_BLOCKS_MAX / 4; k <= FEW_BLOCKS_MAX; k *= 4) {
        uint64_t pages = pages_of(m, n, k);

        assert_true(pages < last);
        last = pages;
    }
    assert_int_equal(few_blocks(&m->space, block, n, 100000, &work, list), FEW_BLOCKS_MAX);
    assert_int_equal(cover_count_pages(list, FEW_BLOCKS_MAX, &m->space), last);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_better),
        cmocka_unit_test(larger_blocks),
        cmocka_unit_test(as_many_as_there_may_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

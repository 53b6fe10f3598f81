// SPDX-License-Identifier: MIT
#include "badram/collect.h"

#include "machine.h"

#define MAX 64

static const struct span ram[] = { { 0, 64 * MiB }, { 4 * GiB, 64 * MiB }, { 0 } };

static struct pattern block[MAX];
static struct pattern_set set;

static void mark_random(struct machine *m, uint64_t seed, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        machine_mark(m, page_index_page(&m->space, machine_random(&seed) % m->space.n_pages));
}

static void assert_all_covered(const struct machine *m, const struct pattern *list, size_t n)
{
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t addr = page_index_page(&m->space, i) << PAGE_SHIFT;
        bool covered = !fault_log_is_bad(&m->log, addr);

        for (size_t k = 0; k < n && !covered; k++)
            covered = pattern_covers(list[k], addr);
        assert_true(covered);
    }
}

static void blocks_are_all_or_none(void **state)
{
    struct machine *m = machine_make(ram);

    assert_int_equal(collect_blocks(&m->log, block, MAX), 0);
    assert_int_equal(collect_few_blocks(&m->log, block, MAX), 0);
    for (uint64_t i = 0; i < MAX; i++)
        machine_mark(m, 5 + i * 10);
    assert_int_equal(collect_blocks(&m->log, block, MAX), MAX);
    assert_int_equal(collect_few_blocks(&m->log, block, MAX), MAX);
    assert_int_equal(collect_blocks(&m->log, block, MAX - 1), 0);
    machine_mark(m, 0x100000);
    assert_int_equal(collect_blocks(&m->log, block, MAX), 0);
    machine_free(m);
}

static void few_blocks_cover_all(void **state)
{
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct machine *m = machine_make(ram);
        size_t n;

        mark_random(m, seed, seed * seed * 4);
        n = collect_few_blocks(&m->log, block, MAX);
        assert_in_range(n, 1, MAX);
        assert_all_covered(m, block, n);
        for (size_t i = 1; i < n; i++) {
            assert_true(block[i - 1].addr < block[i].addr);
            assert_false(pattern_meets(block[i - 1], block[i]));
        }
        machine_free(m);
    }
}

/* Without loss, as regions, and joined: by how many bad pages there are. */
static void patterns_cover_all(void **state)
{
    static const uint64_t counts[] = { 0, 1, 1000, 20000, 40000 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct machine *m = machine_make(ram);
        uint64_t pages = 0;

        mark_random(m, 7, counts[i]);
        collect_patterns(&m->log, &set);
        assert_true(set.n <= PATTERN_SET_MAX && (set.n > 0) == (counts[i] > 0));
        assert_all_covered(m, set.pattern, set.n);
        for (size_t k = 0; k < set.n; k++)
            pages += pattern_pages(set.pattern[k], &m->space);
        if (counts[i] <= 1000)
            assert_int_equal(pages, fault_log_bad_pages(&m->log));
        machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_all_or_none),
        cmocka_unit_test(few_blocks_cover_all),
        cmocka_unit_test(patterns_cover_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

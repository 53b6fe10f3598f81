// SPDX-License-Identifier: MIT
#include "badram/regions.h"

#include "machine.h"

static const struct span ram[] = { { 0, 16 * MiB }, { 4 * GiB, 16 * MiB }, { 0 } };

static struct pattern region[64];

static void assert_all_covered(const struct machine *m, size_t n)
{
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t addr = page_index_page(&m->space, i) << PAGE_SHIFT;
        bool covered = !fault_log_is_bad(&m->log, addr);

        for (size_t k = 0; k < n && !covered; k++)
            covered = pattern_covers(region[k], addr);
        assert_true(covered);
    }
}

static void no_bad_page_no_region(void **state)
{
    struct machine *m = machine_make(ram);

    assert_int_equal(regions_grow(&m->log, 2, region, 64), 0);
    machine_free(m);
}

/* Of every 4th page on both sides of the hole, 5 of 6 are bad; and two pages elsewhere. */
static void a_column_in_part_is_one_region(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 1;
    size_t n;

    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t page = page_index_page(&m->space, i);

        if (page % 4 == 1 && machine_random(&random) % 6)
            machine_mark(m, page);
    }
    machine_mark(m, 0x322);
    machine_mark(m, 0x100ffe);
    n = regions_grow(&m->log, 2, region, 64);
    assert_int_equal(n, 3);
    assert_all_covered(m, n);
    for (size_t k = 0; k < n; k++)
        assert_true(pattern_pages(region[k], &m->space) == 1 ||
                    pattern_pages(region[k], &m->space) == m->space.n_pages / 4);
    assert_int_equal(regions_grow(&m->log, 2, region, 3), 3);
    assert_int_equal(regions_grow(&m->log, 2, region, 2), 0);
    machine_free(m);
}

static void sparse_pages_need_patience(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t random = 3;
    size_t n;

    for (uint64_t page = 0; page < 0x1000; page++)
        if (machine_random(&random) % 4 == 0)
            machine_mark(m, page);
    assert_int_equal(regions_grow(&m->log, 2, region, 20), 0);
    n = regions_grow(&m->log, 8, region, 20);
    assert_true(n > 0);
    assert_all_covered(m, n);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bad_page_no_region),
        cmocka_unit_test(a_column_in_part_is_one_region),
        cmocka_unit_test(sparse_pages_need_patience),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "badram/cover_count.h"

#include "machine.h"

#define FULL PATTERN_MASK_BITS

static const struct span ram[] = {
    { 0, 0x9f800 }, { 0x100000, 0x100000 }, { 4 * GiB, 0x81000 }, { 0 }
};

static bool covered(const struct pattern *list, size_t n, uint64_t page)
{
    for (size_t i = 0; i < n; i++)
        if (pattern_covers(list[i], page << PAGE_SHIFT))
            return true;
    return false;
}

static void unions_are_counted_exactly(void **state)
{
    struct machine *m = machine_make(ram);
    uint64_t seed = 1;

    for (int round = 0; round < 2000; round++) {
        size_t n = machine_random(&seed) % 12;
        uint64_t pages = 0, ranges = 0, new = 0;
        struct pattern list[12], extra;

        for (size_t i = 0; i < 12; i++) {
            uint64_t free = machine_random(&seed) & machine_random(&seed) & 0x1001ff;

            list[i].mask = FULL & ~(free << PAGE_SHIFT);
            list[i].addr = page_index_page(&m->space, machine_random(&seed) % m->space.n_pages)
                               << PAGE_SHIFT &
                           list[i].mask;
        }
        extra = list[11];
        for (uint64_t i = 0; i < m->space.n_pages; i++) {
            uint64_t page = page_index_page(&m->space, i);

            if (covered(list, n, page)) {
                pages++;
                ranges += page == 0 || !machine_is_ram(m, page - 1) || !covered(list, n, page - 1);
            } else if (pattern_covers(extra, page << PAGE_SHIFT)) {
                new ++;
            }
        }
        assert_int_equal(cover_count_pages(list, n, &m->space), pages);
        assert_int_equal(cover_count_new(extra, list, n, &m->space), new);
        assert_int_equal(cover_count_ranges(list, n, &m->space, UINT64_MAX), ranges);
        assert_int_equal(cover_count_ranges(list, n, &m->space, ranges), ranges);
        if (ranges)
            assert_int_equal(cover_count_ranges(list, n, &m->space, ranges - 1), ranges);
        if (ranges > 2)
            assert_int_equal(cover_count_ranges(list, n, &m->space, 1), 2);
    }
    machine_free(m);
}

/* Every other page of 64 TiB: nothing may step through them. */
static void huge_unions_take_no_time(void **state)
{
    static const struct span huge[] = { { 0, UINT64_C(1) << 46 }, { 0 } };
    struct machine m = { .space = { .n_pages = 0 } };
    struct pattern list[] = {
        { 0x1000, 0x1000 },
        { 0x2000, 0x2000 },
        { 0, 0x5000 },
        { 0, UINT64_C(1) << 45 },
    };
    uint64_t pages = UINT64_C(1) << 34;

    assert_int_equal(page_index_init(&m.space, m.extent, 16, huge, 1), STATUS_OK);
    assert_int_equal(cover_count_pages(list, 1, &m.space), pages / 2);
    assert_int_equal(cover_count_pages(list, 2, &m.space), pages / 4 * 3);
    assert_int_equal(cover_count_pages(list, 3, &m.space), pages / 8 * 7);
    assert_int_equal(cover_count_pages(list, 4, &m.space), pages / 16 * 15);
    assert_int_equal(cover_count_ranges(list, 1, &m.space, 1000), 1001);
    assert_int_equal(cover_count_ranges(list + 3, 1, &m.space, 1000), 1);
    /* one range of more blocks than are followed */
    list[1] = (struct pattern){ 0, 0x1000 };
    assert_int_equal(cover_count_ranges(list, 2, &m.space, 1000), 1001);
}

static void nothing_covers_nothing(void **state)
{
    static const struct span none[] = { { 0 } };
    struct machine *m = machine_make(ram), *empty = machine_make(none);
    struct pattern all = { 0 };

    assert_int_equal(cover_count_pages(NULL, 0, &m->space), 0);
    assert_int_equal(cover_count_ranges(NULL, 0, &m->space, 5), 0);
    assert_int_equal(cover_count_new(all, NULL, 0, &m->space), m->space.n_pages);
    assert_int_equal(cover_count_pages(&all, 1, &empty->space), 0);
    assert_int_equal(cover_count_ranges(&all, 1, &empty->space, 5), 0);
    machine_free(empty);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_are_counted_exactly),
        cmocka_unit_test(huge_unions_take_no_time),
        cmocka_unit_test(nothing_covers_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

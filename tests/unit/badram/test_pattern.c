// SPDX-License-Identifier: MIT
#include "badram/pattern.h"

#include "machine.h"

#define FULL PATTERN_MASK_BITS

static struct pattern page(uint64_t number)
{
    return pattern_block(number, 0);
}

TEST(joins)
{
    static const struct {
        struct pattern a, b, join;
    } cases[] = {
        { { 0x5000, FULL }, { 0x5000, FULL }, { 0x5000, FULL } },
        { { 0x4000, FULL }, { 0x5000, FULL }, { 0x4000, FULL & ~UINT64_C(0x1000) } },
        { { 0x3000, FULL }, { 0x4000, FULL }, { 0, FULL & ~UINT64_C(0x7000) } },
        { { 0, FULL }, { UINT64_C(1) << 51, FULL }, { 0, FULL & ~(UINT64_C(1) << 51) } },
        { { 0, 0 }, { 0x7000, FULL }, { 0, 0 } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pattern join = pattern_join(cases[i].a, cases[i].b);

        assert_int_equal(join.addr, cases[i].join.addr);
        assert_int_equal(join.mask, cases[i].join.mask);
        assert_true(pattern_contains(join, cases[i].a) && pattern_contains(join, cases[i].b));
        assert_true(pattern_covers(join, cases[i].a.addr | 0xfff));
    }
}

TEST(containing_and_meeting)
{
    struct pattern even = { 0, FULL & ~UINT64_C(0xe000) }, pair = pattern_block(2, 1), both;

    assert_true(pattern_contains(even, page(6)));
    assert_false(pattern_contains(even, page(7)));
    assert_false(pattern_contains(even, page(16)));
    assert_false(pattern_contains(page(6), even));
    assert_false(pattern_contains(even, pair));
    assert_true(pattern_meets(even, pair) && pattern_meets(pair, even));
    both = pattern_overlap(even, pair);
    assert_int_equal(both.addr, 0x2000);
    assert_int_equal(both.mask, FULL);
    assert_false(pattern_meets(page(3), page(2)));
    assert_false(pattern_meets(even, page(9)));
}

TEST(hulls_and_fills)
{
    static const struct {
        uint64_t free, hull, fill; /* free bits, in pages */
    } cases[] = {
        { 0, 0, 0 },          { 1, 1, 1 },
        { 2, 3, 3 },          { 0x14, 0x1f, 0x17 },
        { 0x23, 0x3f, 0x3f }, { 0x8000000000, 0xffffffffff, 0xffffffffff },
        { 0x51, 0x7f, 0x5f }, { 0xffffffffff, 0xffffffffff, 0xffffffffff },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pattern p = { .mask = FULL & ~(cases[i].free << PAGE_SHIFT) }, hull, fill;

        p.addr = UINT64_C(0x5a5a5a5a5a5a5000) & p.mask;
        hull = pattern_hull(p);
        fill = pattern_fill(p);
        assert_int_equal(hull.mask, FULL & ~(cases[i].hull << PAGE_SHIFT));
        assert_int_equal(fill.mask, FULL & ~(cases[i].fill << PAGE_SHIFT));
        assert_true(hull.addr == (p.addr & hull.mask) && fill.addr == (p.addr & fill.mask));
    }
}

static const struct span ram[] = { { 0x3000, 0x2000 }, { 0x8000, 0x1000 },       { 0xb000, 0x9801 },
                                   { MIB, 0x21000 },   { 4 * GIB, 0x10000 - 1 }, { 0 } };

/* Against looking at every page of RAM. */
static struct pattern_size measured(const struct machine *m, struct pattern p)
{
    struct pattern_size size = { 0 };

    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t number = page_index_page(&m->space, i);

        if (pattern_covers(p, number << PAGE_SHIFT)) {
            size.pages++;
            if (number == 0 || !machine_is_ram(m, number - 1) ||
                !pattern_covers(p, (number - 1) << PAGE_SHIFT))
                size.ranges++;
        }
    }
    return size;
}

TEST(sizes_are_exact)
{
    OWN_MACHINE m = machine_make(ram);
    uint64_t seed = 1;

    for (int i = 0; i < 20000; i++) {
        uint64_t few = machine_random(&seed) & machine_random(&seed);
        struct pattern p = { .mask = FULL & ~((few & 0x1001ff) << PAGE_SHIFT) };
        struct pattern_size size, expected;

        if (i % 16 == 0)
            p.mask = (uint64_t)(i % 32 ? 0 : 1) << 32; /* all, and all of every other 4 GiB */
        p.addr = page_index_page(&m->space, machine_random(&seed) % m->space.n_pages)
                     << PAGE_SHIFT &
                 p.mask;
        size = pattern_measure(p, &m->space);
        expected = measured(m, p);
        assert_int_equal(size.pages, expected.pages);
        assert_int_equal(size.ranges, expected.ranges);
        assert_int_equal(pattern_pages(p, &m->space), expected.pages);
    }
}

TEST(sizes_of_a_whole_machine)
{
    static const struct span huge[] = { { 0, UINT64_C(1) << 52 }, { 0 } };
    struct machine m = { .space = { .n_pages = 0 } };
    struct pattern odd = { 0x1000, 0x1000 };

    assert_int_equal(page_index_init(&m.space, m.extent, 16, huge, 1), STATUS_OK);
    assert_int_equal(pattern_pages((struct pattern){ 0 }, &m.space), PAGES_MAX);
    assert_int_equal(pattern_measure((struct pattern){ 0 }, &m.space).ranges, 1);
    assert_int_equal(pattern_measure(odd, &m.space).pages, PAGES_MAX / 2);
    assert_int_equal(pattern_measure(odd, &m.space).ranges, PAGES_MAX / 2);
}

TEST(next_page_is_the_nearest)
{
    uint64_t seed = 2;

    for (int i = 0; i < 3000; i++) {
        struct pattern p = { .mask = FULL & ~((machine_random(&seed) & 0x1ff) << PAGE_SHIFT) };
        uint64_t next;

        p.addr = (machine_random(&seed) % 512) << PAGE_SHIFT & p.mask;
        next = PAGES_MAX;
        for (uint64_t number = 600; number-- > 0;) {
            if (pattern_covers(p, number << PAGE_SHIFT))
                next = number;
            assert_int_equal(pattern_next_page(p, number), next);
        }
    }
}

TEST(next_page_at_the_end)
{
    struct pattern top = page(PAGES_MAX - 1), all = { 0 }, low = { 0, FULL >> 1 & FULL };

    assert_int_equal(pattern_next_page(top, 0), PAGES_MAX - 1);
    assert_int_equal(pattern_next_page(top, PAGES_MAX - 1), PAGES_MAX - 1);
    assert_int_equal(pattern_next_page(top, PAGES_MAX), PAGES_MAX);
    assert_int_equal(pattern_next_page(all, PAGES_MAX - 1), PAGES_MAX - 1);
    assert_int_equal(pattern_next_page(all, UINT64_MAX), PAGES_MAX);
    assert_int_equal(pattern_next_page(low, 1), PAGES_MAX / 2);
    assert_int_equal(pattern_next_page(low, PAGES_MAX / 2 + 1), PAGES_MAX);
}

TEST(sorting)
{
    static struct pattern list[4000];
    uint64_t seed = 3, sum = 0;

    for (size_t n = 0; n <= 4000; n = n < 3 ? n + 1 : n * 7) {
        uint64_t check = 0;

        sum = 0;
        for (size_t i = 0; i < n; i++) {
            list[i] = (struct pattern){ machine_random(&seed) % 1000, machine_random(&seed) % 5 };
            sum += list[i].addr * 3 + list[i].mask;
        }
        pattern_sort(list, n);
        for (size_t i = 0; i < n; i++) {
            check += list[i].addr * 3 + list[i].mask;
            if (i)
                assert_true(list[i - 1].addr < list[i].addr ||
                            (list[i - 1].addr == list[i].addr && list[i - 1].mask <= list[i].mask));
        }
        assert_int_equal(check, sum);
    }
}

static const struct span cover_count_ram[] = {
    { 0, 0x9f800 }, { 0x100000, 0x100000 }, { 4 * GIB, 0x81000 }, { 0 }
};

static bool covered(const struct pattern *list, size_t n, uint64_t page)
{
    for (size_t i = 0; i < n; i++)
        if (pattern_covers(list[i], page << PAGE_SHIFT))
            return true;
    return false;
}

TEST(unions_are_counted_exactly)
{
    OWN_MACHINE m = machine_make(cover_count_ram);
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
}

/* Every other page of 64 TiB: nothing may step through them. */
TEST(huge_unions_take_no_time)
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

TEST(nothing_covers_nothing)
{
    static const struct span none[] = { { 0 } };
    OWN_MACHINE m = machine_make(cover_count_ram), *empty = machine_make(none);
    struct pattern all = { 0 };

    assert_int_equal(cover_count_pages(NULL, 0, &m->space), 0);
    assert_int_equal(cover_count_ranges(NULL, 0, &m->space, 5), 0);
    assert_int_equal(cover_count_new(all, NULL, 0, &m->space), m->space.n_pages);
    assert_int_equal(cover_count_pages(&all, 1, &empty->space), 0);
    assert_int_equal(cover_count_ranges(&all, 1, &empty->space, 5), 0);
}

static const struct span cost_ram[] = { { 0, 16 * MIB }, { 4 * GIB, 16 * MIB }, { 0 } };

static struct pattern free_bits(uint64_t first_page, uint64_t free_pages)
{
    uint64_t mask = PATTERN_MASK_BITS & ~(free_pages << PAGE_SHIFT);

    return (struct pattern){ first_page << PAGE_SHIFT & mask, mask };
}

static const struct {
    uint64_t page, free, price;
    int64_t cost;
    uint64_t filled;
} cases[] = {
    { 5, 0, 0, 1, 0 },
    { 5, 0, 100, 101, 0 },
    { 0, 8, 0, 2, 8 },
    { 0, 8, 13, 2 + 2 * 13, 8 }, /* 14 pages more for a range less */
    { 0, 8, 14, 2 + 2 * 14, 8 }, /* as dear: left as it is */
    { 0, 8, 15, 16 + 15, 15 },
    { 0, 0x101, 0, 4, 0x101 },
    { 0, 0x11, 27, 4 + 2 * 27, 0x11 },
    { 0, 0x11, 29, 32 + 29, 0x1f },
    { 0, 0x24, 3, 4 + 4 * 3, 0x24 },
    { 0, 0x24, 6, 4 + 4 * 6, 0x24 },
    { 0, 0x24, 7, 16 + 2 * 7, 0x27 },        /* the lower gaps only */
    { 0, 0x24, 50, 64 + 50, 0x3f },          /* all of them */
    { 0, 0x100000, 5, 2 + 2 * 5, 0x100000 }, /* both sides of a hole: cannot be one */
    { 0x2000, 0xfff, 7, 0, 0xfff },          /* no RAM */
};

TEST(costs_of_pages_and_ranges)
{
    OWN_MACHINE m = machine_make(cost_ram);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cost_rule rule = { &m->space, cases[i].price };
        struct pattern p = free_bits(cases[i].page, cases[i].free), filled;

        assert_int_equal(cost_of(&rule, p, &filled), cases[i].cost);
        assert_int_equal(cost_of(&rule, p, NULL), cases[i].cost);
        assert_int_equal(filled.mask, free_bits(0, cases[i].filled).mask);
        assert_true(pattern_contains(filled, p));
    }
}

/* A higher price never makes a cover cheaper, nor is the bound above what is a quarter RAM. */
TEST(bounds_stay_below)
{
    OWN_MACHINE m = machine_make(cost_ram);
    uint64_t seed = 5;

    for (int i = 0; i < 2000; i++) {
        struct pattern p = free_bits(machine_random(&seed) & 0xfff, machine_random(&seed) & 0xfff);
        int64_t before = 0;

        for (uint64_t price = 1; price <= COST_PRICE_MAX; price *= 4) {
            struct cost_rule rule = { &m->space, price };
            int64_t cost = cost_of(&rule, p, NULL);

            assert_true(cost >= before);
            assert_true(cost_bound(&rule, p) <= cost);
            before = cost;
        }
    }
}

static struct pattern_set set;
static struct pattern filling[PATTERN_SET_MAX];

/* Makes a set of the pages base + any subset of the bits of `free`, in the order of addresses. */
static void fill_cube(uint64_t base, uint64_t free)
{
    uint64_t sub = 0;
    size_t n = 0;

    do {
        filling[n++] = pattern_block(base | sub, 0);
        sub = (sub - free) & free;
    } while (sub);
    pattern_set_fill(&set, filling, n);
}

TEST(regular_places_become_one_pattern)
{
    static const struct {
        uint64_t base, free;
    } cubes[] = {
        { 7, 0 },
        { 0, 1 },
        { 0x800, 0x7fc },
        { 0x3, 0xff0 },
        { 0x100001, 0x92490 },
        { 0, 0x8000000001 },
        { 0xf000000000, 0xfff },
    };

    for (size_t i = 0; i < sizeof(cubes) / sizeof(cubes[0]); i++) {
        fill_cube(cubes[i].base, cubes[i].free);
        assert_int_equal(set.n, 1);
        assert_int_equal(set.pattern[0].addr, cubes[i].base << PAGE_SHIFT);
        assert_int_equal(set.pattern[0].mask, PATTERN_MASK_BITS & ~(cubes[i].free << PAGE_SHIFT));
    }
}

/* No two patterns of one mask differ in one bit. */
static void assert_nothing_left_to_merge(void)
{
    for (size_t i = 0; i < set.n; i++)
        for (size_t j = 0; j < i; j++) {
            uint64_t differing = set.pattern[i].addr ^ set.pattern[j].addr;

            assert_true(set.pattern[i].mask != set.pattern[j].mask ||
                        (differing & (differing - 1)) != 0);
        }
}

TEST(any_set_stays_what_it_is)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        uint64_t random = seed;
        bool bad[512] = { false };
        size_t n = 0;

        for (int i = 0; i < 400; i++) {
            uint64_t page = machine_random(&random) % 512;

            if (!bad[page])
                filling[n++] = pattern_block(page, 0);
            bad[page] = true;
        }
        pattern_set_fill(&set, filling, n);
        assert_nothing_left_to_merge();
        pattern_set_fill(&set, set.pattern, set.n);
        assert_nothing_left_to_merge();
        for (uint64_t page = 0; page < 1024; page++)
            assert_int_equal(pattern_list_covers(set.pattern, set.n, page << PAGE_SHIFT),
                             page < 512 && bad[page]);
    }
}

TEST(equal_patterns_are_one)
{
    const struct pattern list[] = { pattern_block(5, 0), pattern_block(5, 0), pattern_block(6, 0) };

    pattern_set_fill(&set, list, 3);
    assert_int_equal(set.n, 2);
}

/* Pages with an even number of bits: no two can merge. */
TEST(it_can_be_filled_to_the_last_place)
{
    size_t n = 0;

    for (uint64_t page = 0; page < 2 * PATTERN_SET_MAX; page++)
        if (__builtin_popcountll(page) % 2 == 0)
            filling[n++] = pattern_block(page, 0);
    assert_int_equal(n, PATTERN_SET_MAX);
    pattern_set_fill(&set, filling, n);
    assert_int_equal(set.n, PATTERN_SET_MAX);
    pattern_set_fill(&set, set.pattern, set.n);
    assert_int_equal(set.n, PATTERN_SET_MAX);
    filling[n - 1] = pattern_block(1, 0); /* merges with page 0 */
    pattern_set_fill(&set, filling, n);
    assert_int_equal(set.n, PATTERN_SET_MAX - 1);
}

// SPDX-License-Identifier: MIT
#include "badram/cover.h"

#include <pthread.h>

#include "badram/pattern.h"
#include "block_optimum.h"
#include "machine.h"

static struct cover_work work;
static struct cover cover;
static const struct grub_map *grub; /* the limits' map */

static void derive(const struct machine *m, size_t max_patterns, uint64_t max_ranges)
{
    const struct cover_limits limits = { max_patterns, max_ranges, grub };

    memset(&work, 0xa5, sizeof(work));
    assert_int_equal(cover_derive(&m->log, &limits, &work, &cover), STATUS_OK);
}

static void derive_quickly(const struct machine *m, size_t max_patterns, uint64_t max_ranges)
{
    const struct cover_limits limits = { max_patterns, max_ranges, grub };

    memset(&work, 0xa5, sizeof(work));
    assert_int_equal(cover_derive_quickly(&m->log, &limits, &work, &cover), STATUS_OK);
}

/* How many patterns cover a page; when it is one, which. */
static size_t covering(uint64_t page, size_t *ret_only)
{
    size_t n = 0, first = 0;

    for (size_t i = 0; i < cover.n_patterns; i++) {
        if (pattern_covers(cover.pattern[i], page << PAGE_SHIFT) && n++ == 0)
            first = i;
    }
    if (n == 1)
        *ret_only = first;
    return n;
}

/* Everything that a cover promises, by looking at every page of RAM. */
static void assert_sound(const struct machine *m, size_t max_patterns, uint64_t max_ranges)
{
    uint64_t sacrificed = 0, ranges = 0, last = 0;
    bool last_covered = false, needed[COVER_PATTERNS_MAX] = { false };

    assert_true(cover.n_patterns <= max_patterns && cover.n_patterns <= COVER_PATTERNS_MAX);
    for (size_t i = 0; i < cover.n_patterns; i++) {
        assert_int_equal(cover.pattern[i].mask & ~PATTERN_MASK_BITS, 0);
        assert_int_equal(cover.pattern[i].addr & ~cover.pattern[i].mask, 0);
        assert_true(i == 0 || cover.pattern[i - 1].addr <= cover.pattern[i].addr);
    }
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t page = page_index_page(&m->space, i);
        size_t only = COVER_PATTERNS_MAX;
        bool covered = covering(page, &only) > 0;

        if (only < COVER_PATTERNS_MAX)
            needed[only] = true;
        assert_true(covered || !fault_log_is_bad(&m->log, page << PAGE_SHIFT));
        sacrificed += covered;
        ranges += covered && !(last_covered && last + 1 == page);
        last_covered = covered;
        last = page;
    }
    for (size_t i = 0; i < cover.n_patterns; i++)
        assert_true(needed[i]);
    assert_int_equal(cover.sacrificed_pages, sacrificed);
    assert_int_equal(cover.ranges, ranges < COVER_RANGES_MAX ? ranges : COVER_RANGES_MAX);
    /* one block makes a range for each extent at most: as many can always be kept */
    if (max_ranges >= m->space.n_extents)
        assert_true(ranges <= max_ranges || max_ranges >= COVER_RANGES_MAX);
    else
        assert_true(ranges <= m->space.n_extents);
}

static const struct span pc[] = {
    { 0, 0x9fc00 }, { MIB, 15 * MIB }, { 4 * GIB - 8 * MIB, 0x123456 }, { 4 * GIB, 16 * MIB }, { 0 }
};

TEST(no_bad_page_no_pattern)
{
    OWN_MACHINE m = machine_make(pc);

    cover.n_patterns = 5;
    derive(m, 64, 100);
    assert_int_equal(cover.n_patterns, 0);
    assert_int_equal(cover.sacrificed_pages, 0);
    assert_int_equal(cover.ranges, 0);
}

TEST(limits_of_0_are_refused)
{
    static const struct cover_limits limits[] = { { 0, 1, NULL }, { 1, 0, NULL }, { 0, 0, NULL } };
    OWN_MACHINE m = machine_make(pc);

    machine_mark(m, 7);
    for (size_t i = 0; i < 3; i++) {
        cover.n_patterns = 99;
        assert_int_equal(cover_derive(&m->log, &limits[i], &work, &cover), STATUS_INVALID);
        assert_int_equal(cover_derive_quickly(&m->log, &limits[i], &work, &cover), STATUS_INVALID);
        assert_int_equal(cover.n_patterns, 99);
    }
}

TEST(a_single_page_is_itself)
{
    static const uint64_t pages[] = { 0, 0x9f, 0x100, 0xfff, 0xff800, 0x100000, 0x100fff };

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        OWN_MACHINE m = machine_make(pc);

        machine_mark(m, pages[i]);
        derive(m, 1, 1);
        assert_int_equal(cover.n_patterns, 1);
        assert_int_equal(cover.pattern[0].addr, pages[i] << PAGE_SHIFT);
        assert_int_equal(cover.pattern[0].mask, PATTERN_MASK_BITS);
        assert_int_equal(cover.sacrificed_pages, 1);
        assert_int_equal(cover.ranges, 1);
    }
}

TEST(all_bad_is_one_pattern)
{
    OWN_MACHINE m = machine_make(pc);

    for (uint64_t i = 0; i < m->space.n_pages; i++)
        machine_mark(m, page_index_page(&m->space, i));
    derive(m, 64, 100);
    assert_int_equal(cover.n_patterns, 1);
    assert_int_equal(cover.sacrificed_pages, m->space.n_pages);
    assert_int_equal(cover.ranges, m->space.n_extents);
    /* bits above RAM stay fixed */
    assert_int_equal(cover.pattern[0].mask, PATTERN_MASK_BITS & ~(8 * GIB - 1));
}

/*
 * Rick van Rein's modules: 512 holes in 8-16 MiB of one 32 MiB module and 256 in 0-8 MiB of the
 * other. Two patterns, and not one good page lost.
 */
TEST(van_rein)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    static const struct {
        uint64_t free1, offset1, free2, offset2; /* places: any subset of the free bits */
    } places[] = {
        { 0x7fc, 0, 0x7f8, 0 },     /* every 4th page, every 8th */
        { 0x7fc, 3, 0x7f8, 5 },     /* the same, not at the beginning */
        { 0x1ff, 0x600, 0x0ff, 0 }, /* adjoining */
        { 0x3fe, 1, 0x7f8, 7 },     /* every 2nd in one half */
        { 0x7bb, 0x44, 0x7d3, 0x20 }, { 0x7fc, 1, 0x57e, 0x280 }, /* 4th, and scattered columns */
    };

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        OWN_MACHINE m = machine_make(ram);
        uint64_t n1 = 0, n2 = 0;

        for (uint64_t page = 0; page < 2048; page++) {
            if ((page & ~places[i].free1) == places[i].offset1) {
                machine_mark(m, 2048 + page);
                n1++;
            }
            if ((page & ~places[i].free2) == places[i].offset2) {
                machine_mark(m, 8192 + page);
                n2++;
            }
        }
        assert_int_equal(n1, 512);
        assert_int_equal(n2, 256);
        derive(m, 2, 1000);
        assert_int_equal(cover.n_patterns, 2);
        assert_int_equal(cover.sacrificed_pages, 768);
        assert_sound(m, 2, 1000);
    }
}

TEST(overlapping_patterns_do_not_count_twice)
{
    static const uint64_t pages[] = { 0x200, 0x201, 0x202, 0x203, 0x210, 0x212, 0x3ff, 0x2aa };
    OWN_MACHINE m = machine_make(pc);

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
        machine_mark(m, pages[i]);
    for (size_t k = 1; k <= 8; k++) {
        derive(m, k, 1000);
        assert_sound(m, k, 1000);
    }
    assert_int_equal(cover.sacrificed_pages, 8);
}

/* More patterns allowed never means more lost; a limit on ranges is met by filling. */
TEST(a_long_stride_is_filled_for_few_ranges)
{
    OWN_MACHINE m = machine_make(pc);

    for (uint64_t page = 0x400; page < 0x800; page += 4)
        machine_mark(m, page);
    derive(m, 8, 256);
    assert_int_equal(cover.n_patterns, 1);
    assert_int_equal(cover.sacrificed_pages, 256);
    assert_int_equal(cover.ranges, 256);
    derive(m, 1, 255);
    assert_int_equal(cover.sacrificed_pages, 1024);
    assert_int_equal(cover.ranges, 1);
    derive(m, 8, 255);
    assert_sound(m, 8, 255);
    assert_true(cover.sacrificed_pages < 1024);
}

TEST(ranges_that_cannot_be_held_are_reported)
{
    OWN_MACHINE m = machine_make(pc);

    machine_mark(m, 0);
    machine_mark(m, 0x100000);
    derive(m, 2, 1);
    assert_sound(m, 2, 1);
    assert_true(cover.ranges > 1);
    derive(m, 2, 2);
    assert_int_equal(cover.sacrificed_pages, 2);
}

enum kind { RANDOM, DENSE, ROW, COLUMN, BANK, CLUSTERS, EDGES, KINDS };

static void mark_some(struct machine *m, enum kind kind, uint64_t *seed)
{
    uint64_t n = m->space.n_pages, count = 1 + machine_random(seed) % 200;
    uint64_t first = machine_random(seed) % n, stride = 1 + machine_random(seed) % 40;

    switch (kind) {
    case RANDOM:
        for (uint64_t i = 0; i < count; i++)
            machine_mark(m, page_index_page(&m->space, machine_random(seed) % n));
        break;
    case DENSE: /* more patterns than cover_work holds */
        for (uint64_t i = 0; i < n; i++)
            if (machine_random(seed) % 2)
                machine_mark(m, page_index_page(&m->space, i));
        break;
    case ROW:
        for (uint64_t i = first; i < n && i < first + count; i++)
            machine_mark(m, page_index_page(&m->space, i));
        break;
    case COLUMN:
        for (uint64_t i = first; i < n; i += stride)
            machine_mark(m, page_index_page(&m->space, i));
        break;
    case BANK: /* one bank behind an XOR of address bits, in a column of it */
        for (uint64_t i = 0; i < n; i++) {
            uint64_t page = page_index_page(&m->space, i);

            if ((page & 3) == 1 && ((page >> 2 ^ page >> 7) & 1) == 0 &&
                ((page >> 3 ^ page >> 8) & 1) == 1)
                machine_mark(m, page);
        }
        break;
    case CLUSTERS:
        for (uint64_t i = 0; i < count; i++)
            machine_mark(m, page_index_page(&m->space, (first + i / 10 * 500 + i * i) % n));
        break;
    case EDGES:
        for (size_t i = 0; i < m->space.n_extents; i++) {
            machine_mark(m, m->space.extent[i].run.first);
            machine_mark(m, page_run_end(m->space.extent[i].run) - 1);
        }
        break;
    case KINDS: break;
    }
}

TEST(every_cover_is_sound)
{
    static const struct span small[] = { { 0x5000, 0x3000 }, { 0x9000, 0x30000 }, { 0 } };
    static const struct span one[] = { { 0, 0x400000 }, { 0 } };
    static const struct span high[] = { { UINT64_C(1) << 45, 32 * MIB },
                                        { (UINT64_C(1) << 52) - 16 * MIB, 16 * MIB },
                                        { 0 } };
    static const struct span many[] = {
        { 0x1000, 0x1000 },   { 0x3000, 0x3000 },   { 0x8000, 0x1800 },
        { 0xa800, 0x800 },    { 0x10000, 0x10000 }, { 0x40000, 0x5000 },
        { 0x80000, 0x7f000 }, { 4 * GIB, 0x9000 },  { 0 },
    };
    static const struct span *const machines[] = { pc, small, one, high, many };
    static const size_t max_patterns[] = { 1, 2, 7, 64, 512, 100000 };
    static const uint64_t max_ranges[] = { 1, 3, 20, 100, 1000, UINT64_MAX };
    uint64_t seed = 42;

    for (size_t i = 0; i < 5; i += UNIT_STEP(2)) {
        for (enum kind kind = 0; kind < KINDS; kind++) {
            OWN_MACHINE m = machine_make(machines[i]);

            mark_some(m, kind, &seed);
            for (int k = 0; k < 2; k++) {
                size_t patterns = max_patterns[machine_random(&seed) % 6];
                uint64_t ranges = max_ranges[machine_random(&seed) % 6];

                derive(m, patterns, ranges);
                assert_sound(m, patterns, ranges);
                assert_true(cover.n_patterns > 0);
                derive_quickly(m, patterns, ranges);
                assert_sound(m, patterns, ranges);
            }
        }
    }
}

static size_t list_bad(const struct machine *m, uint64_t *ret_page)
{
    uint64_t index = 0;
    struct page_run run;
    size_t n = 0;

    while (fault_log_next_run(&m->log, &index, &run))
        for (uint64_t page = run.first; page < page_run_end(run); page++)
            ret_page[n++] = page;
    return n;
}

/* Of RAM in one piece, where as many blocks make no more ranges. */
TEST(never_more_than_by_plain_blocks)
{
    static const struct span ram[] = { { 0, 8 * GIB }, { 0 } };
    static const size_t max_patterns[] = { 10, 20, 64 };
    static const uint64_t max_ranges[] = { 8, 20, 64, COVER_RANGES_MAX };
    uint64_t seed = 57, bad[250];

    for (int set = 0; set < 60; set += UNIT_STEP(5)) {
        OWN_MACHINE m = machine_make(ram);
        uint64_t count = 11 + machine_random(&seed) % 200;
        size_t k = max_patterns[set % 3], n;
        uint64_t r = max_ranges[set % 4];

        for (uint64_t i = 0; i < count; i++)
            machine_mark(m, machine_random(&seed) % m->space.n_pages);
        n = list_bad(m, bad);
        derive(m, k, r);
        assert_true(cover.ranges <= r);
        assert_true(cover.sacrificed_pages <= block_optimum(&m->space, bad, n, k < r ? k : r));
    }
}

/* The map of pc[] with what firmware keeps for itself; the first 16 MiB above 4 GiB are in two. */
static const struct span pc_entries[] = {
    { 0, 0x9fc00 },
    { 0x9fc00, 0x400 },
    { 0xf0000, 0x10000 },
    { MIB, 15 * MIB },
    { 4 * GIB - 16 * MIB, 8 * MIB },
    { 4 * GIB - 8 * MIB, 0x123456 },
    { 4 * GIB - MIB, MIB },
    { 4 * GIB, 16 * MIB },
};
#define PC_ENTRIES (sizeof(pc_entries) / sizeof(pc_entries[0]))

/* By simulating the line as it stands: the RAM that it covers is in holes, each pair makes some. */
static void assert_registered(const struct machine *m)
{
    static struct grub_turn turns[COVER_PATTERNS_MAX];
    struct grub_holes holes;

    grub_holes_init(&holes, turns, COVER_PATTERNS_MAX, 1000000);
    for (size_t i = 0; i < cover.n_patterns; i++)
        assert_int_equal(grub_holes_take(&holes, grub, cover.pattern[i]), STATUS_OK);
    for (size_t i = 0; i < cover.n_patterns; i++) {
        uint64_t pages, first;

        assert_int_equal(grub_holes_left(&holes, cover.pattern[i], &m->space, &pages, &first),
                         STATUS_OK);
        assert_int_equal(pages, 0);
    }
}

/* What is promised with GRUB's map, by looking at every page of RAM. */
static void assert_sound_for_grub(const struct machine *m, size_t max_pairs)
{
    uint64_t sacrificed = 0;

    assert_false(cover.grub_bios_misses);
    assert_in_range(cover.n_patterns, 1, max_pairs);
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t page = page_index_page(&m->space, i);
        size_t only;
        bool covered = covering(page, &only) > 0;

        sacrificed += covered;
        assert_true(covered || !fault_log_is_bad(&m->log, page << PAGE_SHIFT));
    }
    assert_int_equal(cover.sacrificed_pages, sacrificed);
    assert_registered(m);
}

/* Bad pages of every kind, with from 1 pair on. */
TEST(every_cover_is_registered_by_grub)
{
    static const size_t max_pairs[] = { 1, 2, 3, 5, 8, 20, 64, 512 };
    static const uint64_t max_ranges[] = { 5, 20, 58, 1000 };
    struct page_run piece[PC_ENTRIES];
    struct grub_map map;
    uint64_t seed = 4711;

    assert_int_equal(grub_map_init(&map, piece, pc_entries, PC_ENTRIES), STATUS_OK);
    grub = &map;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        OWN_MACHINE m = machine_make(pc);

        mark_some(m, kind, &seed);
        for (size_t k = 0; k < COUNT(max_pairs); k += UNIT_STEP(2)) {
            uint64_t ranges = max_ranges[machine_random(&seed) % 4];

            derive(m, max_pairs[k], ranges);
            assert_sound_for_grub(m, max_pairs[k]);
            derive_quickly(m, max_pairs[k], ranges);
            assert_sound_for_grub(m, max_pairs[k]);
        }
    }
    grub = NULL;
}

/* Two columns between each other need a turn for each page but the first; where these are too
 * many, the block with both. */
TEST(interleaved_columns_take_pairs)
{
    static const struct span ram[] = { { 0, 16 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    struct page_run piece;
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, &piece, ram, 1), STATUS_OK);
    for (uint64_t i = 0; i < 16; i++) {
        machine_mark(m, 0x100 + 16 * i);
        machine_mark(m, 0x103 + 16 * i);
    }
    derive(m, 16, 64);
    assert_int_equal(cover.n_patterns, 2);
    grub = &map;
    derive(m, 17, 64);
    assert_int_equal(cover.n_patterns, 17);
    assert_int_equal(cover.sacrificed_pages, 32);
    assert_sound_for_grub(m, 17);
    derive(m, 16, 64);
    assert_true(cover.sacrificed_pages > 32);
    assert_sound_for_grub(m, 16);
    grub = NULL;
}

/* RAM that begins within a page, with nothing before: no block that holds it begins in a piece. */
TEST(what_grub_cannot_register_is_told)
{
    static const struct span ram[] = { { 0x9800, MIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    struct page_run piece;
    struct grub_map map;

    assert_int_equal(grub_map_init(&map, &piece, ram, 1), STATUS_OK);
    grub = &map;
    machine_mark(m, 0x20);
    derive(m, 4, 64);
    assert_sound_for_grub(m, 4);
    machine_mark(m, 9);
    derive(m, 4, 64);
    assert_true(cover.grub_bios_misses);
    assert_true(cover.n_patterns > 0);
    grub = NULL;
    derive(m, 4, 64);
    assert_false(cover.grub_bios_misses);
}

/* Pages with an even number of bits in their number: no two merge without loss. */
TEST(more_patterns_than_there_is_room_for)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    static const size_t max_patterns[] = { 1, 64, COVER_PATTERNS_MAX, 100000 };
    uint64_t n_pages = 64 * MIB / PAGE_SIZE;
    struct machine *m = machine_make(ram);

    for (uint64_t page = 0; page < n_pages; page++)
        if (__builtin_popcountll(page) % 2 == 0)
            machine_mark(m, page);
    assert_true(fault_log_bad_pages(&m->log) > PATTERN_SET_MAX);
    for (size_t i = 0; i < 4; i++) {
        derive(m, max_patterns[i], UINT64_MAX);
        assert_sound(m, max_patterns[i], UINT64_MAX);
    }
    machine_free(m);

    /* within the room, but more than a cover holds */
    m = machine_make(ram);
    for (uint64_t page = 0; page < 2048; page++)
        if (__builtin_popcountll(page) % 2 == 0)
            machine_mark(m, page);
    derive(m, 100000, 100);
    assert_sound(m, 100000, 100);
    derive(m, 100000, UINT64_MAX);
    assert_sound(m, 100000, UINT64_MAX);
    machine_free(m);
}

/* Not where nothing is lost, nor where more ranges are of no use. */
TEST(more_ranges_spare_good_pages)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    struct cover_limits limits = { 255, 50, NULL };
    OWN_MACHINE m = machine_make(ram);
    uint64_t spared;

    for (uint64_t i = 0; i < 100; i++)
        machine_mark(m, 16 * i + i % 7);
    derive(m, 255, 50);
    spared = cover_spares(&m->log, &limits, 500, &cover, &work);
    assert_int_equal(spared, cover.sacrificed_pages - 100);
    assert_true(spared > 0);
    assert_int_equal(work.best.sacrificed_pages, 100);
    assert_int_equal(cover_spares(&m->log, &limits, 50, &cover, &work), 0);
    assert_int_equal(cover_spares(&m->log, &limits, 20, &cover, &work), 0);
    derive(m, 255, 100);
    assert_int_equal(cover_spares(&m->log, &limits, 500, &cover, &work), 0);
}

/* 65,536 pages at a stride, above and below 4 GiB: one pattern each, not a good page lost. */
TEST(long_columns_are_two_patterns)
{
    static const struct span ram[] = { { 0, 3 * GIB }, { 4 * GIB, 5 * GIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);

    for (uint64_t i = 0; i < 65536; i++) {
        machine_mark(m, 0x40003 + i * 4);
        machine_mark(m, 0x180000 + i * 8);
    }
    derive(m, 20, UINT64_MAX);
    assert_int_equal(cover.n_patterns, 2);
    assert_int_equal(cover.sacrificed_pages, 2 * 65536);
    assert_int_equal(cover.ranges, COVER_RANGES_MAX);
    derive(m, 20, 100);
    assert_sound(m, 20, 100);
}

/* One column in one bank, whose number is the sum of 3 bits: 4 patterns, also of every 8th page. */
TEST(hashed_banks_are_found)
{
    static const struct span ram[] = { { 0, 64 * MIB }, { 0 } };
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 6;

    for (uint64_t page = 0; page < 0x4000; page++)
        if (__builtin_popcountll(page & 0x1204) % 2 && machine_random(&random) % 8 == 0)
            machine_mark(m, page);
    derive(m, 3, UINT64_MAX);
    assert_in_range(cover.sacrificed_pages, 0x2001, 0x3000);
    derive(m, 4, UINT64_MAX);
    assert_in_range(cover.sacrificed_pages, fault_log_bad_pages(&m->log), 0x2000);
    assert_sound(m, 4, UINT64_MAX);
}

/* Half of a column fails, and some pages elsewhere: too much to be looked at page by page. */
TEST(a_column_in_part_does_not_hide_the_rest)
{
    static const struct span ram[] = { { 0, 512 * MIB }, { 0 } };
    static const uint64_t others[] = { 0x77, 0x1234, 0x8080, 0x15555, 0x1fffe };
    OWN_MACHINE m = machine_make(ram);
    uint64_t random = 8;

    for (uint64_t page = 1; page < 0x20000; page += 4)
        if (machine_random(&random) % 2)
            machine_mark(m, page);
    for (size_t i = 0; i < 5; i++)
        machine_mark(m, others[i]);
    derive(m, 6, UINT64_MAX);
    assert_sound(m, 6, UINT64_MAX);
    assert_in_range(cover.sacrificed_pages, fault_log_bad_pages(&m->log),
                    0x8000 + 5 * 4); /* a region may take neighbours */
}

/* RAM pages that the best cover sacrifices, by trying every division of the pages. */
static uint64_t optimum(const struct machine *m, const uint64_t *pages, size_t n_pages,
                        struct pattern *group, size_t n, size_t max_patterns)
{
    uint64_t least;

    if (n_pages == 0)
        return cover_count_pages(group, n, &m->space);
    least = UINT64_MAX;
    for (size_t g = 0; g < n + (n < max_patterns); g++) {
        struct pattern before = group[g], page = pattern_block(pages[0], 0);
        uint64_t sacrificed;

        group[g] = g < n ? pattern_join(before, page) : page;
        sacrificed = optimum(m, pages + 1, n_pages - 1, group, n + (g == n), max_patterns);
        group[g] = before;
        if (sacrificed < least)
            least = sacrificed;
    }
    return least;
}

TEST(few_pages_are_covered_nearly_as_well_as_can_be)
{
    static const struct span ram[] = { { 0, 0x9f000 }, { MIB, 255 * MIB }, { 0 } };
    uint64_t random = 11;
    double sum = 0;
    int n = 40 / UNIT_STEP(4);

    for (int i = 0; i < n; i++) {
        OWN_MACHINE m = machine_make(ram);
        uint64_t pages[8], least;
        struct pattern group[4];

        for (size_t k = 0; k < 8; k++) {
            pages[k] = page_index_page(&m->space, machine_random(&random) % m->space.n_pages);
            machine_mark(m, pages[k]);
        }
        least = optimum(m, pages, 8, group, 0, 3);
        derive(m, 3, UINT64_MAX);
        assert_true(cover.sacrificed_pages >= least);
        sum += (double)(cover.sacrificed_pages - 8) / (double)(least - 8);
    }
    assert_true(sum / n <= 1.05);
}

/* Where pages go bad: below 2 MiB, and at 4 GiB. */
static const struct page_run growing_runs[] = { { 0x100, 0x400 }, { 0x100000, 0x1000 } };
static struct machine *growing;
static _Atomic bool is_done;

static void *mark_on(void *unused)
{
    uint64_t random = 4;

    while (!is_done) {
        for (size_t i = 0; i < 2; i++)
            machine_mark(growing,
                         growing_runs[i].first + machine_random(&random) % growing_runs[i].count);
    }
    return NULL;
}

static void note_bad(bool *was_bad)
{
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t page = growing_runs[i].first; page < page_run_end(growing_runs[i]); page++)
            *was_bad++ = fault_log_is_bad(&growing->log, page << PAGE_SHIFT);
    }
}

static void assert_covered(const bool *was_bad)
{
    size_t only;

    for (size_t i = 0; i < 2; i++) {
        for (uint64_t page = growing_runs[i].first; page < page_run_end(growing_runs[i]); page++)
            assert_true(!*was_bad++ || covering(page, &only));
    }
}

/* Faults come while the cover is derived, on each side of every limit on what is kept of them. */
TEST(the_log_may_grow_meanwhile)
{
    bool was_bad[0x1400];
    pthread_t thread;

    for (int i = 0; i < 12; i++) {
        growing = machine_make(pc);
        machine_mark(growing, 0x100);
        is_done = false;
        assert_int_equal(pthread_create(&thread, NULL, mark_on, NULL), 0);
        for (int k = 0; k < 4; k++) {
            note_bad(was_bad);
            (i % 2 ? derive_quickly : derive)(growing, 1 + (size_t)i * 6, i % 3 ? 50 : UINT64_MAX);
            assert_covered(was_bad);
        }
        is_done = true;
        pthread_join(thread, NULL);
        machine_free(growing);
    }
}

TEST(a_cover_is_a_line)
{
    static const struct {
        struct pattern pattern[3];
        size_t n;
        const char *line;
    } cases[] = {
        { .n = 0, .line = "" },
        { { { 0x5000000, 0xffffffffff000 } }, 1, "badram=0x5000000,0xffffffffff000" },
        { { { 0, 0xfffffffffe000 }, { 0x1abcde000, 0xffffffffff000 }, { 0x8000000000000, 0x8000 } },
          3,
          "badram=0x0,0xfffffffffe000,0x1abcde000,0xffffffffff000,0x8000000000000,0x8000" },
        { { { 0, 0 } }, 1, "badram=0x0,0x0" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[BADRAM_LINE_BYTES(3)];
        struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));

        cover.n_patterns = cases[i].n;
        memcpy(cover.pattern, cases[i].pattern, sizeof(cases[i].pattern));
        badram_line_append(&out, &cover);
        assert_string_equal(text, cases[i].line);
        assert_int_equal(out.length, strlen(text));
        assert_false(out.cut);
    }
}

TEST(the_longest_line_fits_and_one_byte_less_is_cut)
{
    static char text[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];
    struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));
    size_t length;

    cover.n_patterns = COVER_PATTERNS_MAX;
    for (size_t i = 0; i < COVER_PATTERNS_MAX; i++)
        cover.pattern[i] = (struct pattern){ PATTERN_MASK_BITS, PATTERN_MASK_BITS };
    badram_line_append(&out, &cover);
    assert_false(out.cut);
    length = out.length;
    assert_int_equal(length, strlen("badram=") + COVER_PATTERNS_MAX * (2 * strlen("0x") + 26 + 2) -
                                 1); /* no comma at the end */
    out = fmt_buffer_make(text, length + 1);
    badram_line_append(&out, &cover);
    assert_false(out.cut);
    out = fmt_buffer_make(text, length);
    badram_line_append(&out, &cover);
    assert_true(out.cut);
}

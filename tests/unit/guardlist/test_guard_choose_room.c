// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "lib/minmax.h"
#include "lib/splitmix.h"
#include "samples.h"

#define ROOM      4096
#define MIB_PAGES (UINT64_C(1) << 8) /* pages */

static uint8_t bytes[ROOM], cut_bytes[ROOM];

static struct guard_list list_of(const struct guard_run *run, size_t n)
{
    return open_list(bytes, make_list(run, n, bytes, ROOM));
}

static void same_run(struct guard_run a, uint64_t first, uint64_t n)
{
    assert_int_equal(a.n, n);
    if (n)
        assert_int_equal(a.first, first);
}

/* A machine of 4 GiB, in which firmware holds 16 pages of low memory and 64 MiB below 2 GiB. */
static struct guard_piece machine_piece[] = {
    { 1, 0x8f, GUARD_FREE },
    { 0x90, 16, GUARD_HELD },
    { MIB_PAGES, 1900 * MIB_PAGES, GUARD_FREE },
    { 1901 * MIB_PAGES, 64 * MIB_PAGES, GUARD_HELD },
    { 1965 * MIB_PAGES, 1000 * MIB_PAGES, GUARD_FREE },
    { 4096 * MIB_PAGES, 1024 * MIB_PAGES, GUARD_FREE },
};
static const struct guard_ram_use machine = { machine_piece, COUNT(machine_piece) };

TEST(finds_room)
{
    static const struct {
        struct guard_run run[3];
        uint64_t low, large, n_listed;
    } cases[] = {
        /* Nothing is listed there: the lowest. */
        { { { 5000 * MIB_PAGES, 1 } }, 16, MIB_PAGES, 0 },
        { { { 16, 1 } }, 17, MIB_PAGES, 0 },
        { { { 0, 144 } }, 16, MIB_PAGES, 32 },
        { { { 16, 128 } }, 16, MIB_PAGES, 32 },
        /* 0x90 to 0xa0 are firmware's: the last free place begins at 112. */
        { { { 16, 96 } }, 112, MIB_PAGES, 0 },
        { { { 16, 97 } }, 112, MIB_PAGES, 1 },
        { { { 16, 64 }, { 100, 44 } }, 80, MIB_PAGES, 12 },
        { { { 20, 1 }, { 60, 1 }, { 100, 1 } }, 21, MIB_PAGES, 0 },
        /* The large part. */
        { { { 288 * MIB_PAGES, 1 } }, 16, 288 * MIB_PAGES + 1, 0 },
        { { { 289 * MIB_PAGES, 1 } }, 16, MIB_PAGES, 0 },
        { { { MIB_PAGES, 1612 * MIB_PAGES } }, 16, 1613 * MIB_PAGES, 0 },
        { { { MIB_PAGES, 1612 * MIB_PAGES + 7 } }, 16, 1613 * MIB_PAGES, 7 },
        { { { MIB_PAGES, 1900 * MIB_PAGES } }, 16, MIB_PAGES, 288 * MIB_PAGES },
        { { { MIB_PAGES, 1150 * MIB_PAGES }, { 1400 * MIB_PAGES, 5 }, { 1650 * MIB_PAGES, 9 } },
          16,
          1151 * MIB_PAGES,
          5 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = 1;
        struct guard_room room;
        struct guard_list list;

        while (n < 3 && cases[i].run[n].n)
            n++;
        list = list_of(cases[i].run, n);
        guard_room_find(&list, &machine, &room);
        same_run(room.low, cases[i].low, 32);
        same_run(room.large, cases[i].large, 288 * MIB_PAGES);
        assert_int_equal(room.n_listed, cases[i].n_listed);
    }
}

/* Both sides of 640 KiB, of 1 MiB and of 2 GiB. */
TEST(looks_where_systems_start)
{
    struct guard_list list = list_of(NULL, 0);
    struct guard_piece piece[] = { { 0, 16, GUARD_FREE },
                                   { 159, 2, GUARD_FREE },
                                   { 255, 2, GUARD_FREE },
                                   { 2048 * MIB_PAGES - 2, 1000 * MIB_PAGES, GUARD_FREE } };
    const struct guard_ram_use pieces = { piece, COUNT(piece) };
    struct guard_room room;

    guard_room_find(&list, &pieces, &room);
    same_run(room.low, 159, 1);
    same_run(room.large, 2048 * MIB_PAGES - 2, 2);
    piece[3].first = 2048 * MIB_PAGES;
    guard_room_find(&list, &pieces, &room);
    same_run(room.large, 256, 1);
    piece[2].n = 1;
    guard_room_find(&list, &pieces, &room);
    same_run(room.large, 0, 0);
}

TEST(less_of_a_small_machine)
{
    struct guard_list list = list_of(NULL, 0);
    struct guard_piece piece[] = { { MIB_PAGES, 1000 * MIB_PAGES, GUARD_FREE },
                                   { 1100 * MIB_PAGES, 30, GUARD_FREE } };
    struct guard_piece many[] = { { MIB_PAGES, 50 * MIB_PAGES, GUARD_FREE },
                                  { 60 * MIB_PAGES, 60 * MIB_PAGES, GUARD_FREE },
                                  { 130 * MIB_PAGES, 50 * MIB_PAGES, GUARD_FREE } };
    struct guard_ram_use pieces = { piece, COUNT(piece) };
    struct guard_room room;

    guard_room_find(&list, &pieces, &room);
    same_run(room.large, MIB_PAGES, 250 * MIB_PAGES + 7);
    same_run(room.low, 0, 0);
    piece[0].n = 400 * MIB_PAGES;
    guard_room_find(&list, &pieces, &room);
    same_run(room.large, MIB_PAGES, 224 * MIB_PAGES);
    guard_room_find(&list, &(struct guard_ram_use){ many, COUNT(many) }, &room);
    same_run(room.large, 60 * MIB_PAGES, 60 * MIB_PAGES); /* there is no larger piece */
}

/* Pieces that touch are one part. */
TEST(joins_pieces)
{
    struct guard_list list = list_of(&(struct guard_run){ 20, 5 }, 1);
    struct guard_piece piece[] = { { 10, 10, GUARD_FREE },
                                   { 20, 10, GUARD_FREE },
                                   { 30, 27, GUARD_FREE },
                                   { 57, 10, GUARD_UNUSABLE },
                                   { 67, 31, GUARD_FREE } };
    const struct guard_ram_use pieces = { piece, COUNT(piece) };
    struct guard_room room;

    guard_room_find(&list, &pieces, &room);
    same_run(room.low, 25, 32);
    assert_int_equal(room.n_listed, 0);
}

TEST(cuts)
{
    static const struct guard_room room = { .low = { 10, 5 }, .large = { 100, 50 } };
    static const struct {
        struct guard_run run[3];
        size_t n;
        struct guard_run wanted[4];
        size_t n_wanted;
    } cases[] = {
        { { { 0, 5 }, { 20, 5 }, { 200, 5 } }, 3, { { 0, 5 }, { 20, 5 }, { 200, 5 } }, 3 },
        { { { 0, 1000 } }, 1, { { 0, 10 }, { 15, 85 }, { 150, 850 } }, 3 },
        { { { 9, 1 }, { 15, 1 }, { 99, 1 } }, 3, { { 9, 1 }, { 15, 1 }, { 99, 1 } }, 3 },
        { { { 10, 1 }, { 14, 1 }, { 149, 2 } }, 3, { { 150, 1 } }, 1 },
        { { { 10, 5 }, { 100, 50 } }, 2, { { 0 } }, 0 },
        { { { 12, 120 } }, 1, { { 15, 85 } }, 1 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct guard_list list = list_of(cases[i].run, cases[i].n);
        uint8_t wanted[ROOM];
        size_t size = make_list(cases[i].wanted, cases[i].n_wanted, wanted, ROOM);

        assert_int_equal(
            guard_room_cut(&list, &room, cut_bytes, list.head.bytes + GUARD_ROOM_CUT_SPARE), size);
        assert_same_list(cut_bytes, wanted, size);
    }
    assert_int_equal(guard_room_cut(&(struct guard_list){ 0 }, &room, cut_bytes, 10), 0);
}

/* By trying each place: no other has fewer listed pages. */
static uint64_t fewest(const bool *is_free, const bool *is_listed, uint64_t first, uint64_t end,
                       uint64_t n)
{
    uint64_t best = UINT64_MAX;

    for (uint64_t at = first; at + n <= end; at++) {
        uint64_t listed = 0, free = 0;

        for (uint64_t page = at; page < at + n; page++) {
            free += is_free[page];
            listed += is_listed[page];
        }
        if (free == n)
            best = min_u64(best, listed);
    }
    return best;
}

#define PAGES 200u

TEST(no_other_place_is_better)
{
    uint64_t random = 3;

    for (unsigned round = 0; round < 3000; round++) {
        bool is_free[PAGES] = { 0 }, is_listed[PAGES] = { 0 };
        struct guard_piece piece[PAGES];
        struct guard_ram_use pieces = { piece, 0 };
        struct guard_run run[PAGES];
        struct guard_room room;
        struct guard_list list;
        size_t n_runs = 0;
        uint64_t n_listed = 0;

        for (uint64_t at = 0, n; at < PAGES; at += n) {
            n = min_u64(1 + splitmix_below(&random, 60), PAGES - at);
            piece[pieces.n++] =
                (struct guard_piece){ at, n, splitmix_below(&random, 4) ? GUARD_FREE : GUARD_HELD };
            for (uint64_t i = at; i < at + n; i++)
                is_free[i] = piece[pieces.n - 1].use == GUARD_FREE;
        }
        for (uint64_t at = splitmix_below(&random, 20), n; at < PAGES;
             at += n + 1 + splitmix_below(&random, 20)) {
            n = min_u64(1 + splitmix_below(&random, 20), PAGES - at);
            run[n_runs++] = (struct guard_run){ at, n };
            for (uint64_t i = at; i < at + n; i++)
                is_listed[i] = true;
        }
        list = list_of(run, n_runs);
        guard_room_find(&list, &pieces, &room);
        for (uint64_t i = room.low.first; i < room.low.first + room.low.n; i++) {
            assert_true(is_free[i]);
            n_listed += is_listed[i];
        }
        assert_int_equal(n_listed, room.n_listed);
        if (room.low.n)
            assert_int_equal(n_listed, fewest(is_free, is_listed, 16, 160, room.low.n));
        if (room.low.n < 32)
            assert_int_equal(fewest(is_free, is_listed, 16, 160, room.low.n + 1), UINT64_MAX);
    }
}

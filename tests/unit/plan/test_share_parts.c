// SPDX-License-Identifier: MIT
#include <math.h>

#include "sharing.h"

static void assert_part(size_t w, size_t i, uint64_t base, uint64_t size)
{
    assert_true(i < parts_of(w));
    assert_int_equal(part[first[w] + i].span.base, base);
    assert_int_equal(part[first[w] + i].span.size, size);
}

TEST(without_workers)
{
    const struct shared shared = { &nodes, &slit, &all_tested, worker, 0 };
    size_t unused = 0;

    begin();
    add_node(&(struct span){ 0, GIB }, 1);
    add_tested(0, GIB);
    assert_int_equal(shares_make(&shared, NULL, 0, &unused), STATUS_NOT_FOUND);
}

TEST(without_memory)
{
    begin();
    add_node(&(struct span){ 0, GIB }, 1);
    add_node(NULL, 0);
    add_workers(0, 2);
    add_workers(1, 1);
    share();
    for (size_t w = 0; w < 3; w++)
        assert_int_equal(parts_of(w), 0);
}

/* What is not tested, the arena say, cuts; so do 1 MiB and 4 GiB, where RAM has its gaps. */
TEST(one_worker_has_all)
{
    static const struct span ram[] = { { 0, 0x9fc00 }, { MIB, 3 * GIB - MIB }, { 4 * GIB, GIB } };

    begin();
    add_node(ram, COUNT(ram));
    add_tested(0, 0x9fc00);
    add_tested(2 * MIB, 3 * GIB - 2 * MIB);
    add_tested(4 * GIB, GIB);
    add_workers(0, 1);
    share();
    assert_int_equal(parts_of(0), 3);
    assert_part(0, 0, 0, 0x9fc00);
    assert_part(0, 1, 2 * MIB, 3 * GIB - 2 * MIB);
    assert_part(0, 2, 4 * GIB, GIB);
}

TEST(workers_of_a_node_have_equal_shares)
{
    static const struct {
        uint64_t base, size;
        size_t workers;
    } cases[] = {
        { 0, GIB, 2 },
        { 4 * GIB - 12 * 4096, 24 * 4096, 7 },
        { MIB - 4096, 3 * 4096, 2 },
        { 4 * GIB, UINT64_C(12) << 40, 64 },
        { (UINT64_C(1) << 46) - 5 * GIB, 5 * GIB, 3 },
        { 64, 10 * 4096, 3 }, /* cuts are page borders of memory all the same */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t least = UINT64_MAX, most = 0;

        begin();
        add_node(&(struct span){ cases[i].base, cases[i].size }, 1);
        add_tested(cases[i].base, cases[i].size);
        add_workers(0, cases[i].workers);
        share();
        for (size_t w = 0; w < n_workers; w++) {
            struct span s;

            assert_int_equal(parts_of(w), 1);
            s = part[first[w]].span;
            least = s.size < least ? s.size : least;
            most = s.size > most ? s.size : most;
            if (w > 0)
                assert_int_equal(s.base % PAGE_SIZE, 0);
        }
        assert_true(most - least < 2 * PAGE_SIZE);
    }
}

/* By hand: 4 fast, 2 at 40 % and one at a thousandth; one of unknown speed counts as fast. */
TEST(shares_are_as_large_as_speeds)
{
    static const uint32_t speeds[] = { 1000, 400, 1000, 0, 400, 1000, 1 };
    const uint64_t bytes = 64 * GIB;
    uint64_t all = 0;

    begin();
    add_node(&(struct span){ 4 * GIB, bytes }, 1);
    add_tested(4 * GIB, bytes);
    add_workers(0, COUNT(speeds));
    for (size_t w = 0; w < n_workers; w++) {
        worker[w].speed = speeds[w];
        all += speeds[w] ? speeds[w] : 1000;
    }
    share();
    for (size_t w = 0; w < n_workers; w++) {
        double part_of_all = (double)(speeds[w] ? speeds[w] : 1000) / (double)all;

        assert_int_equal(parts_of(w), 1);
        assert_true(fabs((double)part[first[w]].span.size - part_of_all * (double)bytes) <
                    2 * PAGE_SIZE);
    }
}

/* Only CPUs of one node share: a slow node is not helped, and what belongs to none goes by speed.
 */
TEST(speeds_count_within_a_node)
{
    begin();
    add_node(&(struct span){ 0, GIB }, 1);
    add_node(&(struct span){ GIB, GIB }, 1);
    add_node(&(struct span){ 2 * GIB, GIB }, 1);
    add_tested(0, 3 * GIB);
    add_workers(0, 1);
    add_workers(1, 2);
    worker[0].speed = 500;
    worker[1].speed = 1000;
    worker[2].speed = 500;
    share();
    assert_part(0, 0, 0, GIB);
    assert_int_equal(part[first[0] + 1].span.size, GIB / 4);
    assert_int_equal(part[first[1]].span.size, 0x2aaaa000);
    assert_int_equal(part[first[1] + 1].span.size, GIB / 2);
    assert_int_equal(part[first[2] + 1].span.size, GIB / 4);
}

/* With few pages the slow have none, and the fast have all. */
TEST(no_page_is_lost_on_slow_workers)
{
    begin();
    add_node(&(struct span){ MIB, 3 * 4096 }, 1);
    add_tested(MIB, 3 * 4096);
    add_workers(0, 4);
    for (size_t w = 0; w < 4; w++)
        worker[w].speed = w == 1 ? 1000 : 1;
    share();
    assert_true(parts_of(1) == 1 && part[first[1]].span.size >= 2 * 4096);
}

TEST(more_workers_than_pages)
{
    size_t busy = 0;

    begin();
    add_node(&(struct span){ MIB, 3 * 4096 + 64 }, 1);
    add_tested(MIB, 3 * 4096 + 64);
    add_workers(0, WORKERS_MAX);
    share();
    for (size_t w = 0; w < n_workers; w++) {
        assert_true(parts_of(w) <= 1);
        busy += parts_of(w);
    }
    assert_in_range(busy, 3, 4);
}

TEST(each_node_is_tested_by_its_own)
{
    static const struct span first_node[] = { { 0, GIB }, { 2 * GIB, GIB } };
    static const struct span second_node[] = { { GIB, GIB } };

    begin();
    add_node(first_node, 2);
    add_node(second_node, 1);
    add_tested(0, 3 * GIB);
    add_workers(1, 1);
    add_workers(0, 2);
    share();
    assert_int_equal(parts_of(0), 1);
    assert_part(0, 0, GIB, GIB);
    assert_int_equal(parts_of(1), 1);
    assert_part(1, 0, 0, GIB);
    assert_int_equal(parts_of(2), 1);
    assert_part(2, 0, 2 * GIB, GIB);
}

/* A node without CPUs among the workers is everybody's, in address order with their own. */
TEST(memory_of_no_worker_is_shared_by_all)
{
    begin();
    add_node(&(struct span){ 2 * GIB, GIB }, 1);
    add_node(&(struct span){ 0, GIB }, 1);
    add_tested(0, GIB);
    add_tested(2 * GIB, GIB);
    add_workers(0, 4);
    share();
    for (size_t w = 0; w < 4; w++) {
        assert_int_equal(parts_of(w), 2);
        assert_part(w, 0, w * GIB / 4, GIB / 4);
        assert_part(w, 1, 2 * GIB + w * GIB / 4, GIB / 4);
    }
}

/* Four nodes of 1 GiB, the second without any, or with none that is tested, and two workers. */
static void make_needy(bool has_memory)
{
    begin();
    add_node(&(struct span){ 0, GIB }, 1);
    add_node(&(struct span){ GIB, GIB }, has_memory);
    add_node(&(struct span){ 2 * GIB, GIB }, 1);
    add_node(&(struct span){ 3 * GIB, GIB }, 1);
    for (uint64_t n = 0; n < 4; n++)
        add_tested(n * GIB, n == 1 ? 0 : GIB);
    for (uint32_t n = 0; n < 4; n++)
        add_workers(n, 1);
}

TEST(workers_without_memory_help_the_nearest)
{
    static const struct {
        bool slit;
        uint8_t to[4]; /* from the second node */
        uint32_t helped;
    } cases[] = {
        { true, { 21, 10, 30, 20 }, 3 },    { true, { 30, 10, 16, 31 }, 2 },
        { true, { 11, 10, 255, 12 }, 0 },   { true, { 254, 10, 255, 255 }, 0 },
        { true, { 255, 10, 254, 255 }, 2 }, { false, { 0 }, 0 },
    };

    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        uint32_t helped = cases[i / 2].helped;

        make_needy(i % 2);
        if (cases[i / 2].slit) {
            use_slit();
            for (uint32_t to = 0; to < 4; to++) {
                set_distance(1, to, cases[i / 2].to[to]);
                set_distance(to, 1, (uint8_t)(to == 1 ? 10 : 11 + to)); /* back: does not matter */
            }
        }
        share();
        for (uint32_t w = 0; w < 4; w++) {
            uint32_t node = w == 1 ? helped : w;
            bool upper_half = w == 1 ? helped == 0 : w == helped && w > 1;

            assert_int_equal(parts_of(w), 1);
            assert_part(w, 0, node * GIB + (upper_half ? GIB / 2 : 0),
                        node == helped ? GIB / 2 : GIB);
        }
    }
}

/* Only nodes that have tested memory are homes: the nearest may have none either. */
TEST(the_nearest_must_have_memory)
{
    begin();
    use_slit();
    add_node(NULL, 0);
    add_node(NULL, 0);
    add_node(&(struct span){ 0, GIB }, 1);
    add_tested(0, GIB);
    set_distance(0, 1, 11);
    set_distance(0, 2, 50);
    add_workers(0, 1);
    share();
    assert_int_equal(parts_of(0), 1);
    assert_part(0, 0, 0, GIB);
}

/* --- cuts ------------------------------------------------------------------------------------- */

/* Two adjoin, one ends at the end of all that there is. */
static const struct cut cuts[] = {
    { { 0x3000, 0x2000 }, CUT_LEFT_OUT },
    { { 0x5000, 0x1000 }, CUT_KEPT },
    { { 0x9000, 0x1000 }, CUT_LEFT_OUT },
    { { 0xe000, 0x2000 }, CUT_KEPT },
};

struct taken {
    struct span span;
    bool left_out;
};

static size_t take_all(struct span left, bool down, size_t n_cuts, struct taken *ret)
{
    size_t n = 0;

    while (left.size) {
        uint64_t before = left.size;

        ret[n].span = cuts_next(cuts, cuts + n_cuts, &left, down, &ret[n].left_out);
        assert_true(ret[n].span.size);
        assert_int_equal(before, left.size + ret[n].span.size);
        n++;
    }
    return n;
}

static const struct {
    struct span span;
    size_t n;
    struct taken taken[8];
} cases[] = {
    { { 0x1000, 0x2000 }, 1, { { { 0x1000, 0x2000 }, false } } },
    { { 0x6000, 0x3000 }, 1, { { { 0x6000, 0x3000 }, false } } },
    { { 0x3000, 0x2000 }, 1, { { { 0x3000, 0x2000 }, true } } },
    { { 0x4000, 0x800 }, 1, { { { 0x4000, 0x800 }, true } } },
    { { 0x2fc0, 0x80 }, 2, { { { 0x2fc0, 0x40 }, false }, { { 0x3000, 0x40 }, true } } },
    { { 0x5fc0, 0x80 }, 2, { { { 0x5fc0, 0x40 }, false }, { { 0x6000, 0x40 }, false } } },
    { { 0x4800, 0x1000 }, 2, { { { 0x4800, 0x800 }, true }, { { 0x5000, 0x800 }, false } } },
    { { 0x1000, 0xf000 },
      7,
      { { { 0x1000, 0x2000 }, false },
        { { 0x3000, 0x2000 }, true },
        { { 0x5000, 0x1000 }, false },
        { { 0x6000, 0x3000 }, false },
        { { 0x9000, 0x1000 }, true },
        { { 0xa000, 0x4000 }, false },
        { { 0xe000, 0x2000 }, false } } },
};

TEST(up_takes_from_the_beginning)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct taken taken[COUNT(cases[0].taken)] = { 0 };

        assert_int_equal(take_all(cases[i].span, false, COUNT(cuts), taken), cases[i].n);
        for (size_t t = 0; t < cases[i].n; t++) {
            assert_memory_equal(&taken[t].span, &cases[i].taken[t].span, sizeof(struct span));
            assert_int_equal(taken[t].left_out, cases[i].taken[t].left_out);
        }
    }
}

TEST(down_takes_the_same_from_the_end)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct taken taken[COUNT(cases[0].taken)] = { 0 };
        size_t n = cases[i].n;

        assert_int_equal(take_all(cases[i].span, true, COUNT(cuts), taken), n);
        for (size_t t = 0; t < n; t++) {
            assert_memory_equal(&taken[n - 1 - t].span, &cases[i].taken[t].span,
                                sizeof(struct span));
            assert_int_equal(taken[n - 1 - t].left_out, cases[i].taken[t].left_out);
        }
    }
}

TEST(without_cuts_all_is_taken_at_once)
{
    struct taken taken[2];

    assert_int_equal(take_all((struct span){ 0x1000, 0xf000 }, false, 0, taken), 1);
    assert_false(taken[0].left_out);
    assert_int_equal(take_all((struct span){ 0x1000, 0xf000 }, true, 0, taken), 1);
    assert_false(taken[0].left_out);
}

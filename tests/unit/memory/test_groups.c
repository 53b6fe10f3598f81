// SPDX-License-Identifier: MIT
#include "memory/groups.h"

#include "tests/unit/unit.h"

#define PAGES(n) ((n)*PAGE_SIZE)

static struct groups groups;
#define RUNS_MAX 256

static struct place_run runs[GROUPS + 1][RUNS_MAX];
static struct page_list place[GROUPS], joined;

static struct span pages(uint64_t first, uint64_t n)
{
    return (struct span){ PAGES(first), PAGES(n) };
}

static void begin(void)
{
    memset(&groups, 0, sizeof(groups));
    for (size_t i = 0; i < GROUPS; i++)
        page_list_init(&place[i], runs[i], RUNS_MAX);
    page_list_init(&joined, runs[GROUPS], RUNS_MAX);
}

static void add_place(enum group group, uint64_t first, uint64_t n)
{
    assert_int_equal(page_list_add(&place[group], pages(first, n)), STATUS_OK);
}

static void assert_spans(const struct span *span, size_t n, const struct span *want, size_t n_want)
{
    assert_int_equal(n, n_want);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(span[i].base, want[i].base);
        assert_int_equal(span[i].size, want[i].size);
    }
}

TEST(neighbours_of_a_group_are_one_stretch)
{
    begin();
    assert_int_equal(groups_bytes(&groups, GROUP_MAIN), 0);
    groups_add(&groups, GROUP_MAIN, PAGES(5));
    groups_add(&groups, GROUP_MAIN, PAGES(2));
    groups_add(&groups, GROUP_SPARE, PAGES(3));
    groups_add(&groups, GROUP_MAIN, PAGES(1));
    assert_int_equal(groups.n, 3);
    assert_int_equal(groups_bytes(&groups, GROUP_MAIN), PAGES(8));
    assert_int_equal(groups_bytes(&groups, GROUP_SPARE), PAGES(3));
    assert_int_equal(groups_bytes(&groups, GROUP_THIRD), 0);
}

TEST(there_may_be_so_many_stretches)
{
    begin();
    for (size_t i = 0; i < GROUPS_SEGMENTS_MAX; i++)
        groups_add(&groups, i % 2 ? GROUP_SPARE : GROUP_MAIN, PAGES(1));
    groups_add(&groups, GROUP_SPARE, PAGES(1)); /* the last one's */
    assert_int_equal(groups.n, GROUPS_SEGMENTS_MAX);
    assert_int_equal(groups_bytes(&groups, GROUP_SPARE), PAGES(GROUPS_SEGMENTS_MAX / 2 + 1));
}

/* Each page stands where its stretch does, whatever runs the groups' places have. */
TEST(joins_places_stretch_by_stretch)
{
    static const struct span want[] = {
        { PAGES(10), PAGES(3) }, { PAGES(20), PAGES(1) }, { PAGES(50), PAGES(2) },
        { PAGES(80), PAGES(4) }, { PAGES(21), PAGES(2) }, { PAGES(30), PAGES(3) },
        { PAGES(52), PAGES(1) },
    };

    begin();
    groups_add(&groups, GROUP_MAIN, PAGES(4));
    groups_add(&groups, GROUP_SPARE, PAGES(2));
    groups_add(&groups, GROUP_THIRD, PAGES(4));
    groups_add(&groups, GROUP_MAIN, PAGES(5));
    groups_add(&groups, GROUP_SPARE, PAGES(1));
    add_place(GROUP_MAIN, 10, 3);
    add_place(GROUP_MAIN, 20, 3);
    add_place(GROUP_MAIN, 30, 3);
    add_place(GROUP_SPARE, 50, 5); /* more than there is */
    add_place(GROUP_THIRD, 80, 4);
    assert_int_equal(groups_join(&groups, place, &joined), STATUS_OK);
    assert_int_equal(joined.n, COUNT(want));
    for (size_t i = 0; i < joined.n; i++)
        assert_spans((struct span[]){ page_list_span(&joined, i) }, 1, &want[i], 1);
    assert_int_equal(joined.bytes, PAGES(16));
}

TEST(is_not_more_scattered_than_a_place_may_be)
{
    begin();
    groups_add(&groups, GROUP_MAIN, PAGES(RUNS_MAX - 1));
    groups_add(&groups, GROUP_SPARE, PAGES(1));
    for (uint64_t i = 0; i < RUNS_MAX; i++)
        add_place(GROUP_MAIN, 2 * i, 1);
    add_place(GROUP_SPARE, 5000, 1);
    assert_int_equal(groups_join(&groups, place, &joined), STATUS_OK);
    assert_int_equal(joined.n, RUNS_MAX);
    begin();
    groups_add(&groups, GROUP_MAIN, PAGES(RUNS_MAX));
    groups_add(&groups, GROUP_SPARE, PAGES(1));
    for (uint64_t i = 0; i < RUNS_MAX; i++)
        add_place(GROUP_MAIN, 2 * i, 1);
    add_place(GROUP_SPARE, 5000, 1);
    assert_int_equal(groups_join(&groups, place, &joined), STATUS_NO_SPACE);
}

/* Pages of each span, a node a span; size 0 ends them. */
static const struct node_map *make_nodes(const struct span *span)
{
    static struct node_map map;

    memset(&map, 0, sizeof(map));
    for (; span->size; span++) {
        map.node[map.n_nodes] = (struct node){ .first_span = map.n_spans, .n_spans = 1 };
        map.n_nodes++;
        map.span[map.n_spans++] = *span;
    }
    return &map;
}

#define ORDER_MAX 16

static const struct {
    struct span node[5]; /* size 0 ends the list, of which 0 is always the first */
    uint32_t own;
    struct span free[4];
    struct {
        struct span span[ORDER_MAX];
        size_t wished;
    } order[GROUPS];
} machines[] = {
    /* one node: quarters, which the gaps between spans do not count in */
    { .node = { { PAGES(0), PAGES(1000) } },
      .free = { { PAGES(1), PAGES(260) }, { PAGES(301), PAGES(60) } },
      .order = { [GROUP_MAIN] = { { { PAGES(1), PAGES(240) },
                                    { PAGES(241), PAGES(20) },
                                    { PAGES(301), PAGES(60) } },
                                  1 },
                 [GROUP_SPARE] = { { { PAGES(341), PAGES(20) },
                                     { PAGES(241), PAGES(20) },
                                     { PAGES(301), PAGES(40) },
                                     { PAGES(1), PAGES(240) } },
                                   3 },
                 [GROUP_THIRD] = { { { PAGES(241), PAGES(20) },
                                     { PAGES(301), PAGES(60) },
                                     { PAGES(1), PAGES(240) } },
                                   2 } } },
    /* two nodes, in one free span */
    { .node = { { PAGES(0), PAGES(100) }, { PAGES(100), PAGES(64) } },
      .free = { { PAGES(10), PAGES(154) } },
      .order = { [GROUP_MAIN] = { { { PAGES(10), PAGES(90) }, { PAGES(100), PAGES(64) } }, 1 },
                 [GROUP_SPARE] = { { { PAGES(148), PAGES(16) },
                                     { PAGES(100), PAGES(48) },
                                     { PAGES(10), PAGES(90) } },
                                   2 },
                 [GROUP_THIRD] = { { { PAGES(100), PAGES(64) }, { PAGES(10), PAGES(90) } }, 1 } } },
    /* the main group's node is the second of three, and one has no RAM */
    { .node = { { PAGES(0), PAGES(40) }, { PAGES(40), PAGES(40) }, { PAGES(80), PAGES(40) } },
      .own = 1,
      .free = { { PAGES(0), PAGES(120) } },
      .order = { [GROUP_MAIN] = { { { PAGES(40), PAGES(40) },
                                    { PAGES(0), PAGES(40) },
                                    { PAGES(80), PAGES(40) } },
                                  1 },
                 [GROUP_SPARE] = { { { PAGES(100), PAGES(20) },
                                     { PAGES(0), PAGES(40) },
                                     { PAGES(80), PAGES(20) },
                                     { PAGES(40), PAGES(40) } },
                                   3 },
                 [GROUP_THIRD] = { { { PAGES(0), PAGES(40) },
                                     { PAGES(80), PAGES(40) },
                                     { PAGES(40), PAGES(40) } },
                                   2 } } },
    /* the other node is there, but none of its memory is free: as with one */
    { .node = { { PAGES(0), PAGES(100) }, { PAGES(100), PAGES(60) } },
      .free = { { PAGES(10), PAGES(64) } },
      .order = { [GROUP_MAIN] = { { { PAGES(10), PAGES(48) }, { PAGES(58), PAGES(16) } }, 1 },
                 [GROUP_SPARE] = { { { PAGES(70), PAGES(4) },
                                     { PAGES(58), PAGES(12) },
                                     { PAGES(10), PAGES(48) } },
                                   2 },
                 [GROUP_THIRD] = { { { PAGES(58), PAGES(16) }, { PAGES(10), PAGES(48) } }, 1 } } },
    /* its own has none: it has to lie with the others */
    { .node = { { PAGES(0), PAGES(100) }, { PAGES(100), PAGES(60) } },
      .free = { { PAGES(100), PAGES(40) } },
      .order = { [GROUP_MAIN] = { { { PAGES(100), PAGES(40) } }, 0 },
                 [GROUP_SPARE] = { { { PAGES(130), PAGES(10) }, { PAGES(100), PAGES(30) } }, 2 },
                 [GROUP_THIRD] = { { { PAGES(100), PAGES(40) } }, 1 } } },
    { .node = { { PAGES(0), PAGES(100) } } }, /* nothing is free */
};

static size_t count(const struct span *span)
{
    size_t n = 0;

    while (span[n].size)
        n++;
    return n;
}

TEST(each_group_begins_apart_from_the_others)
{
    for (size_t m = 0; m < COUNT(machines); m++) {
        const struct node_map *nodes = make_nodes(machines[m].node);

        for (enum group group = 0; group < GROUPS; group++) {
            struct span order[ORDER_MAX];
            size_t n_free = count(machines[m].free), wished = 77;
            struct free_memory memory = { nodes, machines[m].own, machines[m].free, n_free };
            size_t n = groups_order(&memory, group, order, &wished);

            assert_true(n <= GROUPS_ORDER_MAX(n_free, nodes->n_spans));
            assert_spans(order, n, machines[m].order[group].span,
                         count(machines[m].order[group].span));
            assert_int_equal(wished, machines[m].order[group].wished);
        }
    }
}

/* Random machines: an order is all of the free memory, once, and needs no more room than announced.
 */
TEST(an_order_leaves_nothing_out)
{
    srand(6);
    for (int turn = 0; turn < 2000; turn++) {
        struct span node[9] = { 0 }, free[8] = { 0 }, order[GROUPS_ORDER_MAX(8, 8)];
        uint64_t n_nodes = 1 + (uint64_t)rand() % 8, at = 0;
        const struct node_map *nodes;
        bool is_free[8 * 40] = { 0 };
        size_t n_free = 0;

        for (uint64_t i = 0; i < n_nodes; i++)
            node[i] = pages(40 * i, 40);
        while (n_free < 8 && at < 40 * n_nodes) {
            uint64_t size = 1 + (uint64_t)rand() % 60;

            size = at + size > 40 * n_nodes ? 40 * n_nodes - at : size;
            memset(&is_free[at], true, size);
            free[n_free++] = pages(at, size);
            at += size + 1 + (uint64_t)rand() % 30;
        }
        nodes = make_nodes(node);
        for (enum group group = 0; group < GROUPS; group++) {
            struct free_memory memory = { nodes, (uint32_t)((uint64_t)rand() % n_nodes), free,
                                          n_free };
            size_t wished, n = groups_order(&memory, group, order, &wished);
            bool is_left[8 * 40];

            memcpy(is_left, is_free, sizeof(is_left));
            assert_true(n <= GROUPS_ORDER_MAX(n_free, n_nodes) && wished <= n);
            for (size_t i = 0; i < n; i++) {
                for (uint64_t p = order[i].base / PAGE_SIZE; p < span_end(order[i]) / PAGE_SIZE;
                     p++) {
                    assert_true(is_left[p]);
                    is_left[p] = false;
                }
            }
            for (size_t p = 0; p < COUNT(is_left); p++)
                assert_false(is_left[p]);
        }
    }
}

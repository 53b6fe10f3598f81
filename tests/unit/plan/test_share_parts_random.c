// SPDX-License-Identifier: MIT
/* Sharing of random machines, checked line by line. */
#include <math.h>

#include "sharing.h"

#define BALANCE        (4 * PAGE_SIZE) /* a share of a node's memory differs by less from its due */
#define PAGES          256
#define LINES_PER_PAGE (PAGE_SIZE / LINE_SIZE)
#define LINES          (PAGES * LINES_PER_PAGE)

static struct model_line {
    bool ram, tested;
    uint8_t node;
    uint32_t takers; /* parts it is in */
    uint32_t worker;
} line[LINES];

static size_t upto(size_t n)
{
    return (size_t)rand() % n;
}

/* Runs of random length, in pages or in lines. */
static void random_lines(uint32_t n_nodes)
{
    size_t longest = 1 + upto(96), run;
    size_t tested_unit = rand() % 2 ? LINES_PER_PAGE : 1;

    memset(line, 0, sizeof(line));
    for (size_t page = 0; page < PAGES; page += run) {
        bool ram = upto(8) > 0;
        uint8_t node = (uint8_t)upto(n_nodes);

        run = 1 + upto(longest);
        for (size_t i = page * LINES_PER_PAGE; i < (page + run) * LINES_PER_PAGE && i < LINES; i++)
            line[i] = (struct model_line){ .ram = ram, .node = node };
    }
    for (size_t at = 0; at < LINES; at += run) {
        bool tested = upto(5) > 0;

        run = tested_unit * (1 + upto(longest));
        for (size_t i = at; i < at + run && i < LINES; i++)
            line[i].tested = line[i].ram && tested;
    }
}

/* The longest runs that are alike, as node spans of one node, and as tested spans. */
static void random_machine(uint64_t base)
{
    struct span span[PAGES];
    uint32_t n_nodes = 1 + (uint32_t)upto(TEST_NODES);
    size_t n_wanted = 1 + upto(9);

    begin();
    random_lines(n_nodes);
    for (uint32_t n = 0; n < n_nodes; n++) {
        size_t n_spans = 0;

        for (size_t i = 0, end; i < LINES; i = end) {
            for (end = i + 1;
                 end < LINES && line[end].ram == line[i].ram && line[end].node == line[i].node;)
                end++;
            if (line[i].ram && line[i].node == n)
                span[n_spans++] = (struct span){ base + i * LINE_SIZE, (end - i) * LINE_SIZE };
        }
        add_node(span, n_spans);
    }
    for (size_t i = 0, end; i < LINES; i = end) {
        for (end = i + 1;
             end < LINES && line[end].ram == line[i].ram && line[end].tested == line[i].tested;)
            end++;
        if (line[i].ram && line[i].tested)
            add_tested(base + i * LINE_SIZE, (end - i) * LINE_SIZE);
    }
    while (n_workers < n_wanted)
        add_workers((uint32_t)upto(n_nodes), 1);
    if (rand() % 4) {
        use_slit();
        for (uint32_t i = 0; i < n_nodes * n_nodes; i++)
            set_distance(i / n_nodes, i % n_nodes,
                         i / n_nodes == i % n_nodes ? 10 : (uint8_t)(10 + upto(6)));
    }
}

/* The node that this one's workers work for; nodes.n_nodes: nothing is tested at all. */
static uint32_t home_of(uint32_t node, const uint64_t *tested)
{
    uint32_t best = nodes.n_nodes, best_distance = UINT32_MAX;

    if (tested[node])
        return node;
    for (uint32_t n = 0; n < nodes.n_nodes; n++) {
        uint32_t d = slit_distance(&slit, 2 * node, 2 * n);

        if (tested[n] && d < best_distance) {
            best = n;
            best_distance = d;
        }
    }
    return best;
}

/* Of a round: all alike, or of random speeds. */
static void random_speeds(void)
{
    bool alike = rand() % 2;

    for (size_t w = 0; w < n_workers; w++)
        worker[w].speed = alike ? 0 : 1 + (uint32_t)upto(WORKER_FULL_SPEED);
}

static double speed_by_number(size_t w)
{
    return worker[w].speed ? worker[w].speed : WORKER_FULL_SPEED;
}

static void assert_node_is_shared(uint32_t n, const uint64_t *tested,
                                  const uint64_t bytes[TEST_NODES][WORKERS_MAX])
{
    double own = 0, all = 0;

    for (size_t w = 0; w < n_workers; w++) {
        all += speed_by_number(w);
        own += home_of(worker[w].node, tested) == n ? speed_by_number(w) : 0;
    }
    for (size_t w = 0; w < n_workers; w++) {
        if (own && home_of(worker[w].node, tested) != n)
            assert_int_equal(bytes[n][w], 0);
        else
            assert_true(fabs((double)bytes[n][w] -
                             speed_by_number(w) / (own ? own : all) * (double)tested[n]) < BALANCE);
    }
}

TEST(random_machines)
{
    static const uint64_t bases[] = { 0, MIB - 64 * 4096, 4 * GIB - 100 * 4096, UINT64_C(1) << 45 };

    srand(3);
    for (int round = 0; round < 1500; round++) {
        uint64_t base = bases[round % COUNT(bases)];
        uint64_t tested[TEST_NODES] = { 0 }, bytes[TEST_NODES][WORKERS_MAX] = { 0 };

        random_machine(base);
        random_speeds();
        share();
        for (size_t i = 0; i < first[n_workers]; i++) {
            struct span s = part[i].span;

            assert_true(s.base >= base && span_end(s) <= base + LINES * LINE_SIZE);
            for (uint64_t at = s.base; at < span_end(s); at += LINE_SIZE) {
                line[(at - base) / LINE_SIZE].takers++;
                line[(at - base) / LINE_SIZE].worker = part[i].worker;
            }
        }
        for (size_t i = 0; i < LINES; i++) {
            assert_int_equal(line[i].takers, line[i].tested);
            if (!line[i].tested)
                continue;
            tested[line[i].node] += LINE_SIZE;
            bytes[line[i].node][line[i].worker] += LINE_SIZE;
        }
        for (uint32_t n = 0; n < nodes.n_nodes; n++)
            assert_node_is_shared(n, tested, bytes);
    }
}

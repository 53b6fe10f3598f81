// SPDX-License-Identifier: MIT
#include "testing/hammering.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "facts/heating.h"
#include "faults/fault_emit.h"
#include "progress/progress.h"
#include "faults/rows_emit.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/spans.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "memory/nodes.h"
#include "plan/lost_cpus.h"
#include "plan/share.h"
#include "rows/row_hammer.h"
#include "self/own_aliases.h"
#include "sweep/hammer.h"

/* Of one region and one pattern at a time: short enough for all patterns in a short test. */
#define ROUND_US UINT64_C(1000000)

/* To find rows: of the time of the test, and of each node at most. */
#define FINDING_SHARE 8
#define FINDING_US    UINT64_C(10000000)

/* Of rows that were found: those that a pattern disturbs, and as many others, in all banks. */
#define ROWS_OF_REGION   (4 * ROW_PATTERN_REACH)
#define FOUND_REGION_MAX (UINT64_C(256) << 20)
#define SITES_MAX        64 /* upper bound per round; the time limit is reached first */

/* Regions, of those that were hammered, that count; further ones are lost from the sum. */
#define HAMMERED_MAX 1024

/* A round of all nodes' CPUs. */
struct job {
    struct run *run;
    const struct data *data;
    struct test_place place;
    uint64_t round, ticks; /* its number, and how long it may last, by each CPU's own counter */
    struct {
        struct span region;
        uint64_t sweeps; /* 0: nothing was done */
    } done[NODES_MAX];   /* by each node's CPU */
};

static struct span hammered_span[HAMMERED_MAX];
static struct spans hammered = { .span = hammered_span, .max = HAMMERED_MAX };

struct hammerer {
    uint64_t ticks;
    struct reporter reporter;
    uint64_t began; /* the round, by its own time stamp counter */
};

static bool round_is_over(void *ctx)
{
    struct hammerer *h = ctx;

    reporter_flush(&h->reporter);
    cpu_pool_heartbeat(h->reporter.cpu);
    if (h->reporter.cpu == 0)
        cpu_poll(&h->reporter.run->poll);
    return stop_is_requested() || cpu_pool_is_aborted() || tsc_now() - h->began >= h->ticks;
}

/* Of all of a span: rows that are known; NULL: they are guessed. */
static const struct row_result *known_rows(uint32_t node, struct span s)
{
    const struct row_result *found = row_finding_of(node, s);

    return row_finding_has_rows(found) ? found : NULL;
}

/* Around an address. A known row of all banks has a size of its own. */
static uint64_t region_bytes(uint32_t node, uint64_t phys)
{
    const struct row_result *rows = known_rows(node, (struct span){ phys, 1 });
    uint64_t row_bytes = rows ? row_map_row_bytes(&rows->map, phys) : 0;

    return row_bytes ? min_u64(ROWS_OF_REGION * row_bytes, FOUND_REGION_MAX) : HAMMER_REGION_BYTES;
}

/* Where the round takes place: anywhere in the memory that the node's CPUs test. */
static struct span hammer_region(const struct job *job, uint32_t node)
{
    const struct shares *s = &job->run->shares;
    const struct plan *plan = s->plan;
    struct data random = data_random(job->data->key);
    uint64_t bytes = 0, at;

    for (size_t p = 0; p < s->first[plan->n_workers]; p++) {
        if (plan->workers[s->part[p].worker].node == node)
            bytes += s->part[p].span.size;
    }
    ASSERT(bytes);
    at = data_word(&random, job->round * sizeof(struct line)) % bytes;
    for (size_t p = 0;; p++) {
        struct span part = s->part[p].span, region;

        if (plan->workers[s->part[p].worker].node != node)
            continue;
        if (at >= part.size) {
            at -= part.size;
            continue;
        }
        region.size = min_u64(part.size, region_bytes(node, part.base + at));
        region.base = min_u64(at, part.size - region.size);
        region.base = part.base + align_down(region.base, PAGE_SIZE);
        return region;
    }
}

/* Whether all of a region is still tested: aliases would disturb okram's choice of rows. */
static bool is_kept(const struct aliases *aliases, struct span s)
{
    for (uint64_t at = s.base; aliases_any(aliases) && at < span_end(s); at += PAGE_SIZE) {
        if (aliases_has_page(aliases, at))
            return false;
    }
    return true;
}

/* A map is that of the node's own memory; a CPU may test another's, too. */
static bool is_of_node(struct span s, uint32_t node)
{
    return nodes_of_address(&machine.nodes, s.base) == node &&
           nodes_of_address(&machine.nodes, span_end(s) - 1) == node;
}

static const struct hammer_pattern *pattern_of(uint64_t round)
{
    size_t n = 0;

    while (hammer_pattern(n))
        n++;
    ASSERT(n);
    return hammer_pattern(round % n);
}

/* Whether any region of the node is large enough for any pattern. */
static bool has_site(const struct shares *shares, uint32_t node)
{
    for (size_t p = 0; p < shares->first[shares->plan->n_workers]; p++) {
        struct span s = shares->part[p].span;

        if (shares->plan->workers[shares->part[p].worker].node != node)
            continue;
        s.size = min_u64(s.size, HAMMER_REGION_BYTES);
        for (size_t i = 0; hammer_pattern(i); i++) {
            if (hammer_sites(hammer_pattern(i), s))
                return true;
        }
    }
    return false;
}

/* Refreshes are waits that are longer than a row conflict by as much as a fetch takes. */
static uint64_t hammer_found(const struct job *job, uint32_t node, const struct sweep *sweep,
                             struct span region, struct hammerer *hammerer)
{
    const struct row_result *rows = known_rows(node, region);
    uint64_t random = job->data->key + job->round;
    struct row_pattern pattern;
    struct row_hammer hammer;

    if (!rows || !is_of_node(region, node))
        return 0;
    hammer = (struct row_hammer){ .sweep = sweep,
                                  .map = &rows->map,
                                  .region = share_slice(region),
                                  .refresh_cycles = rows->modes.slow + rows->modes.fast };
    row_pattern_make(job->round % ROW_PATTERNS, &random, &pattern);
    return row_hammer_round(&hammer, &pattern, SITES_MAX, ROW_HAMMER_STEPS, &random, round_is_over,
                            hammerer);
}

static uint32_t node_of(const struct plan *plan, uint32_t cpu)
{
    return plan->workers[plan_worker(plan, cpu)].node;
}

static void hammer_node(void *ctx, uint32_t cpu)
{
    struct job *job = ctx;
    uint32_t node = node_of(&job->run->plan, cpu);
    struct span region = hammer_region(job, node);
    struct hammerer hammerer = {
        .ticks = job->ticks,
        .reporter = reporter_make(job->run, job->place, NULL, cpu),
        .began = tsc_now(),
    };
    struct sweep sweep = reporter_sweep(&hammerer.reporter);

    if (!is_kept(&job->run->found.aliases, region))
        return;
    mca_sweep_begin(region);
    job->done[node].sweeps = hammer_found(job, node, &sweep, region, &hammerer);
    if (!job->done[node].sweeps)
        job->done[node].sweeps = hammer_round(&sweep, share_slice(region), pattern_of(job->round),
                                              HAMMER_READS, round_is_over, &hammerer);
    mca_sweep_end(region);
    job->done[node].region = region;
    reporter_flush(&hammerer.reporter);
}

/* Lists the first worker of each node that has memory to hammer. Returns how many. */
static uint32_t one_a_node(const struct shares *shares, uint32_t *ret_cpus)
{
    const struct plan *plan = shares->plan;
    uint64_t nodes_seen[NODES_MAX] = { 0 };
    uint32_t n = 0;

    for (uint32_t w = 0; w < plan->n_workers; w++) {
        uint32_t node = plan->workers[w].node;

        if (!shares->bytes[w] || nodes_seen[node])
            continue;
        nodes_seen[node] = 1;
        if (has_site(shares, node))
            ret_cpus[n++] = plan->worker_cpus[w];
    }
    return n;
}

/* Runs a round on all nodes' CPUs, each at one place. */
static void run_round(struct job *job, const uint32_t *cpus, uint32_t n)
{
    uint64_t began = tsc_elapsed_us();
    struct run *run = job->run;

    for (uint32_t node = 0; node < NODES_MAX; node++)
        job->done[node].sweeps = 0;
    for (uint32_t i = 0; i < n; i++)
        own_aliases_guard_span(&run->shares, hammer_region(job, node_of(&run->plan, cpus[i])),
                               &run->poll);
    fault_emit_own_aliases(run, job->place.pass);
    cpu_pool_run_watched(cpus, n, (struct cpu_pool_job){ hammer_node, job, &run->poll });
    for (uint32_t node = 0; node < NODES_MAX; node++) {
        if (!job->done[node].sweeps)
            continue;
        spans_add(&hammered, job->done[node].region);
        progress_add_uncounted(job->done[node].sweeps * job->done[node].region.size);
    }
    progress_waited(tsc_elapsed_us() - began);
    cpu_poll(&run->poll);
}

/* One node at a time: reads by other nodes would disturb the timing. Whether all have been found.
 */
static bool find_rows(const struct run *run, const uint32_t *cpus, uint32_t n, uint64_t us,
                      uint64_t seed)
{
    bool all = n != 0;

    for (uint32_t i = 0; i < n && !stop_is_requested() && !lost_cpus_any(); i++) {
        uint32_t node = node_of(&run->plan, cpus[i]);
        uint64_t began = tsc_elapsed_us();

        row_finding_run(run, node, cpus[i], min_u64(us / FINDING_SHARE / n, FINDING_US), seed);
        progress_waited(tsc_elapsed_us() - began);
        all &= row_finding_has_all(node);
    }
    return all;
}

void hammering_run(struct run *run, const struct data *data, struct test_place place,
                   struct hammered *ret)
{
    static uint32_t cpus[NODES_MAX];
    static struct job job; /* larger than most stacks' frames */
    uint32_t n = one_a_node(&run->shares, cpus);
    uint64_t us = run->selection.hammer_s * UINT64_C(1000000), end = tsc_now() + tsc_from_us(us),
             now;

    job = (struct job){ .run = run, .data = data, .place = place };
    hammered.n = 0;
    ret->found = find_rows(run, cpus, n, us, data->key);
    for (; n && (now = tsc_now()) < end && !stop_is_requested() && !lost_cpus_any() &&
           !aliases_hold_any(&run->found.aliases);
         job.round++) {
        job.ticks = min_u64(end - now, tsc_from_us(ROUND_US));
        run_round(&job, cpus, n);
        now = tsc_now();
        heating_wait(run);
        end += tsc_now() - now;
    }
    ret->bytes += spans_bytes(&hammered);
}

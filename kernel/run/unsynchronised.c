// SPDX-License-Identifier: MIT
#include "run/unsynchronised.h"

#include "arch/tsc.h"
#include "cpus/cpu_clocks.h"
#include "cpus/cpu_pool.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "run/fault_emit.h"
#include "run/poll.h"
#include "run/progress.h"
#include "run/selection.h"
#include "self/own_aliases.h"
#include "sweep/block_move.h"
#include "sweep/hammer.h"

/* One region, one pattern at a time: with so many seconds all patterns get a turn in a short test.
 */
#define HAMMER_ROUND_US UINT64_C(1000000)

/* Written by the boot CPU before each cpu_pool_run. */
static struct {
    const struct data *data;
    struct test_place place;
    uint64_t first, bytes; /* block-move: of each share, so much at a time */
    uint64_t round, end;   /* row-hammer: its number, and its end, as cpu_clocks_now has it */
} job;

struct loner {
    struct reporter reporter;
    struct sweep sweep;
    uint64_t round_end; /* time stamp */
};

static void loner_make(uint32_t cpu, struct loner *ret)
{
    ret->reporter = reporter_make(job.place, NULL, cpu);
    ret->sweep = (struct sweep){
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .faults = reporter_faults(&ret->reporter),
    };
}

static void move_span(void *ctx, struct span s)
{
    struct loner *l = ctx;

    while (s.size && !stop_is_requested() && !cpu_pool_is_broken_off()) {
        struct span slice = sweep_next_slice(&s, false);

        block_move(&l->sweep, job.data, share_slice(slice));
        reporter_settle(&l->reporter);
        cpu_pool_beat(l->reporter.cpu);
        progress_swept(l->reporter.cpu, slice.size * BLOCK_MOVE_SWEEPS);
        if (l->reporter.cpu == 0)
            poll_due();
    }
}

static void walk_part(uint32_t worker, void (*visit)(void *ctx, struct span span), void *ctx)
{
    share_walk(worker, job.first, job.bytes, false, visit, ctx);
}

static void move_part(void *ctx, uint32_t cpu)
{
    struct loner loner;

    loner_make(cpu, &loner);
    walk_part(share_worker(cpu), move_span, &loner);
}

static void guard_part(void)
{
    own_aliases_guard(walk_part);
    fault_emit_own_aliases(job.place.pass);
}

static void move_parts(uint64_t part_bytes)
{
    job.bytes = part_bytes;
    for (job.first = 0; job.first < share_most_bytes(); job.first += part_bytes) {
        if (!own_aliases_are_guarded())
            guard_part();
        if (!lost_cpus_any())
            cpu_pool_run_watched(plan.worker_cpus, (uint32_t)plan.n_workers, move_part, NULL);
        if (stop_is_requested() || lost_cpus_any())
            return;
    }
    own_aliases_guarded_all();
}

void unsynchronised_block_move(const struct data *data, struct test_place place)
{
    job.data = data;
    job.place = place;
    move_parts(own_aliases_are_guarded() ? share_most_bytes() : OWN_ALIASES_BATCH_BYTES);
}

static bool round_is_over(void *ctx)
{
    struct loner *l = ctx;

    reporter_settle(&l->reporter);
    cpu_pool_beat(l->reporter.cpu);
    if (l->reporter.cpu == 0)
        poll_due();
    return stop_is_requested() || cpu_pool_is_broken_off() ||
           cpu_clocks_now(l->reporter.cpu) >= l->round_end;
}

/* Where the n-th round takes place: anywhere in the memory that the node's CPUs test. */
static struct span hammer_region(uint32_t node, uint64_t n)
{
    struct data random = data_random(job.data->key);
    uint64_t bytes = 0, at;

    for (size_t p = 0; p < plan.first[plan.n_workers]; p++) {
        if (plan.workers[plan.part[p].worker].node == node)
            bytes += plan.part[p].span.size;
    }
    at = data_word(&random, n * sizeof(struct line)) % bytes;
    for (size_t p = 0;; p++) {
        struct span s = plan.part[p].span, region;

        if (plan.workers[plan.part[p].worker].node != node)
            continue;
        if (at >= s.size) {
            at -= s.size;
            continue;
        }
        region.size = min_u64(s.size, HAMMER_REGION_BYTES);
        region.base = min_u64(at, s.size - region.size);
        region.base = s.base + align_down(region.base, PAGE_SIZE);
        return region;
    }
}

/* Only what is still tested of a region: aliases would disturb okram's own choice of rows. */
static bool is_kept(struct span s)
{
    for (uint64_t at = s.base; aliases_any(&aliases) && at < span_end(s); at += PAGE_SIZE) {
        if (aliases_has_page(&aliases, at))
            return false;
    }
    return true;
}

static const struct hammer_pattern *pattern_of(uint64_t round)
{
    size_t n = 0;

    while (hammer_pattern(n))
        n++;
    return hammer_pattern(round % n);
}

/* Whether any region of the node is large enough for any pattern. */
static bool has_site(uint32_t node)
{
    for (size_t p = 0; p < plan.first[plan.n_workers]; p++) {
        struct span s = plan.part[p].span;

        if (plan.workers[plan.part[p].worker].node != node)
            continue;
        s.size = min_u64(s.size, HAMMER_REGION_BYTES);
        for (size_t i = 0; hammer_pattern(i); i++) {
            if (hammer_sites(hammer_pattern(i), s))
                return true;
        }
    }
    return false;
}

static void hammer_node(void *ctx, uint32_t cpu)
{
    uint32_t node = plan.workers[share_worker(cpu)].node;
    uint64_t round_end = cpu_clocks_now(cpu) + tsc_from_us(HAMMER_ROUND_US), sweeps;
    struct span region = hammer_region(node, job.round);
    struct loner loner;

    if (!is_kept(region))
        return;
    loner_make(cpu, &loner);
    loner.round_end = min_u64(round_end, job.end);
    sweeps = hammer_round(&loner.sweep, share_slice(region), pattern_of(job.round), HAMMER_READS,
                          round_is_over, &loner);
    reporter_settle(&loner.reporter);
    progress_swept(cpu, sweeps * region.size);
}

/* The first worker of each node that has memory to hammer. Returns how many. */
static uint32_t one_a_node(uint32_t *ret_cpus)
{
    uint64_t nodes_seen[NODES_MAX] = { 0 };
    uint32_t n = 0;

    for (uint32_t w = 0; w < plan.n_workers; w++) {
        uint32_t node = plan.workers[w].node;

        if (!share_bytes(w) || nodes_seen[node])
            continue;
        nodes_seen[node] = 1;
        if (has_site(node))
            ret_cpus[n++] = plan.worker_cpus[w];
    }
    return n;
}

void unsynchronised_hammer(uint32_t seconds, const struct data *data, struct test_place place)
{
    static uint32_t cpus[NODES_MAX];
    uint32_t n = one_a_node(cpus);
    uint64_t began = tsc_elapsed_us();

    job.data = data;
    job.place = place;
    job.end = tsc_now() + tsc_from_us(seconds * UINT64_C(1000000));
    for (job.round = 0; n && tsc_now() < job.end && !stop_is_requested() && !lost_cpus_any();
         job.round++) {
        for (uint32_t i = 0; i < n; i++)
            own_aliases_guard_span(
                hammer_region(plan.workers[share_worker(cpus[i])].node, job.round));
        fault_emit_own_aliases(job.place.pass);
        cpu_pool_run_watched(cpus, n, hammer_node, NULL);
        poll_due();
    }
    progress_waited(tsc_elapsed_us() - began);
}

// SPDX-License-Identifier: MIT
#include "measure/parts.h"

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "cpudata/cpu_pairs.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "measure/sites.h"
#include "measure/latency.h"
#include "measure/measure.h"
#include "measure/role.h"
#include "plan/plan.h"

/*
 * The lines are an eighth of the smaller L2, so all of them stay in it; no more than this, whatever
 * CPUID reports: a turn stays short.
 */
#define LINES_MAX        UINT64_C(8192)
#define CACHE_SHARE      8
#define L2_BYTES_UNKNOWN (UINT64_C(256) << 10)
#define HOMES            2 /* the memory of the reader's node, and of the holder's */
#define STATES           2 /* clean, modified */

struct exchange {
    const struct bench *bench;
    const char *share;
    uint32_t reader, holder; /* CPUs */
    uint32_t n_homes, home[HOMES];
    struct span chain[HOMES];
    struct handover lines;
};

/* The boot CPU, which has the screen and the keys to serve, comes last. */
static uint32_t list_cpus(const struct plan *plan, uint32_t *ret_cpus)
{
    uint32_t n = 0;

    for (int is_boot_cpu = 0; is_boot_cpu <= 1; is_boot_cpu++) {
        for (size_t w = 0; w < plan->n_workers; w++) {
            if ((plan->workers[w].cpu == 0) == is_boot_cpu)
                ret_cpus[n++] = plan->workers[w].cpu;
        }
    }
    return n;
}

static void read_place(void *ctx, uint32_t cpu)
{
    struct cpu_place *by_cpu = ctx;

    by_cpu[cpu] = cpu_place_read(cpuid_call, NULL, machine.cpus[cpu]->apic_id);
}

static uint64_t l2_bytes(uint32_t cpu)
{
    struct cache_info info = sites_caches(cpu);
    const struct cache *l2 = cache_of_level(&info, 2);

    return l2 ? l2->size_bytes : L2_BYTES_UNKNOWN;
}

static void add_home(struct exchange *x, uint32_t node)
{
    uint32_t home = sites_nearest_memory(x->bench, node, SITES_NONE);
    uint64_t bytes = min_u64(l2_bytes(x->reader), l2_bytes(x->holder)) / CACHE_SHARE;
    struct span chain;

    if (home == SITES_NONE || (x->n_homes && x->home[0] == home))
        return;
    chain = arrays_chain_in(x->bench, sites_memory(x->bench, home),
                            min_u64(bytes / LINE_SIZE, LINES_MAX) * PAGE_SIZE);
    chain.size = align_down(chain.size, CHASE_STEPS * PAGE_SIZE);
    if (!chain.size)
        return;
    if (!measure_build_chain(x->bench, x->reader, chain, CHASE_LINE_A_PAGE)) {
        unmeasured_send("cache to cache", machine.cpu_node[x->reader], home, FAULTY_CHAIN);
        return;
    }
    x->home[x->n_homes] = home;
    x->chain[x->n_homes++] = chain;
}

static void take_lines(void *ctx, uint32_t which)
{
    struct exchange *x = ctx;
    struct span chain = x->chain[which / STATES];

    x->lines = (struct handover){ direct(chain.base), chain.size, .modified = which % STATES };
    roles_clear();
    role_add_handover(x->reader, x->holder, &x->lines);
}

static void emit(const struct exchange *x, uint32_t which, struct event_stats ns)
{
    if (!unmeasured_has_runs(&ns, "cache to cache", SITES_NONE, SITES_NONE))
        return;
    events_send(&(struct event){
        .type = EVENT_CACHE_TO_CACHE,
        .cache_to_cache = {
            .share = x->share,
            .state = which % STATES ? "modified" : "clean",
            .cpu = x->reader,
            .other_cpu = x->holder,
            .cpu_node = sites_domain(machine.cpu_node[x->reader]),
            .other_node = sites_domain(machine.cpu_node[x->holder]),
            .mem_node = sites_domain(x->home[which / STATES]),
            .size_bytes = chase_count(x->chain[which / STATES].size, CHASE_LINE_A_PAGE) * LINE_SIZE,
            .ns = ns,
            .how = { .prefetch = roles.prefetch },
        },
    });
}

static void measure_pair(struct exchange *x)
{
    struct measured found[HOMES * STATES];
    struct comparison all = { MEASURE_NS, MEASURE_CACHE_US, 0, take_lines, x };

    add_home(x, machine.cpu_node[x->reader]);
    add_home(x, machine.cpu_node[x->holder]);
    all.n = x->n_homes * STATES;
    measure_in_turns(x->bench, &all, found);
    for (uint32_t which = 0; which < all.n; which++)
        emit(x, which, found[which].value);
}

void cache_to_cache_measure(const struct bench *bench)
{
    static uint32_t cpus[SITES_CPUS_MAX];
    static struct cpu_place by_cpu[SITES_CPUS_MAX], place[SITES_CPUS_MAX];
    static struct exchange x;
    struct cpu_pair pairs[CPU_SHARES];
    uint32_t n = list_cpus(bench->shares->plan, cpus);

    cpu_pool_run(cpus, n, (struct cpu_pool_job){ read_place, by_cpu, bench->poll });
    for (uint32_t i = 0; i < n; i++)
        place[i] = by_cpu[cpus[i]];
    cpu_pairs_choose(place, n, pairs);
    if (n == 1)
        unmeasured_send("cache to cache", SITES_NONE, SITES_NONE, ONE_CPU_ALONE);
    for (enum cpu_share share = 0; share < CPU_SHARES && !measure_is_over(); share++) {
        if (pairs[share].first == CPU_PAIR_NONE)
            continue;
        x = (struct exchange){ .bench = bench,
                               .share = cpu_share_name(share),
                               .reader = cpus[pairs[share].first],
                               .holder = cpus[pairs[share].second] };
        measure_pair(&x);
    }
}

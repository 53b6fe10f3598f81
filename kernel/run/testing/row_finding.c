// SPDX-License-Identifier: MIT
#include "testing/hammering.h"

#include "arch/cpu.h"
#include "controller/controllers.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "cpudata/cpu_kind.h"
#include "cpus/cpu_pool.h"
#include "faults/rows_emit.h"
#include "event/notices.h"
#include "event/stop.h"
#include "faults/channels.h"
#include "machine/machine.h"
#include "lib/minmax.h"
#include "rows/pair_latency.h"
#include "rows/row_agreement.h"
#include "testing/read_counting.h"

#define MSR_SYSCFG       0xc0010010
#define MSR_TOP_MEM      0xc001001a
#define SYSCFG_TOP_MEM   (1u << 20) /* MtrrVarDramEn: TOP_MEM counts */
#define ZEN_FAMILY       0x17
#define MEASUREMENTS_MAX 1000000
#define CONFIRM_US       UINT64_C(10000000)
#define PLACES           1000 /* addresses of a node that must have one */

struct finding {
    const struct cpu_poll *poll;
    uint32_t cpu;
    uint64_t began, ticks; /* by the CPU's own counter */
    struct row_question question;
    uint64_t base; /* what the question's addresses are less than physical ones */
    struct row_memory memory;
    struct row_work work;
    struct row_result result;
};

static struct finding finding; /* larger than a stack */

/*
 * What addresses above 4 GiB do without: on AMD's CPUs since Zen all between TOP_MEM and 4 GiB (AMD
 * PPR, MSRC001_001A; the papers in rows/row_map.h); on Intel's what the controller's registers say.
 * Hypervisors do not have the machine's.
 */
static uint64_t address_hole(void)
{
    struct cpu_model cpu = cpu_model_read(cpuid_call, NULL);
    uint64_t top;

    if (cpu.vendor == CPU_VENDOR_INTEL)
        return dram_map_hole(&controllers_get()->decoded.map);
    if ((cpu.vendor != CPU_VENDOR_AMD && cpu.vendor != CPU_VENDOR_HYGON) ||
        cpu.family < ZEN_FAMILY || machine.cpu.hypervisor ||
        !(msr_read(MSR_SYSCFG) & SYSCFG_TOP_MEM))
        return 0;
    top = msr_read(MSR_TOP_MEM);
    return top && top < ROW_HOLE_END ? ROW_HOLE_END - top : 0;
}

/* Bytes of a hole below 4 GiB that all DRAM addresses above do without. */
static uint64_t moved_hole(const struct dram_map *map)
{
    for (const struct dram_move *m = map->move; m < map->move + map->n_moves; m++) {
        if (m->start == ROW_HOLE_END)
            return m->subtract;
    }
    return 0;
}

/* A zone's physical addresses below 4 GiB, or above; without memory that is moved from below the
 * hole to the end. */
static struct span zone_span(const struct dram_map *map, const struct dram_zone *z, bool above)
{
    struct span window = { above ? ROW_HOLE_END : 0, above ? UINT64_MAX : ROW_HOLE_END };

    for (const struct dram_move *m = map->move; m < map->move + map->n_moves && above; m++) {
        if (m->start > ROW_HOLE_END)
            window.size = min_u64(window.size, m->start);
    }
    window.size -= window.base;
    return span_intersect(
        window, (struct span){ z->start + (above ? moved_hole(map) : 0), z->end - z->start });
}

/* Of a span, what a zone has. */
static void add_of_zone(struct row_memory *memory, const struct dram_map *map,
                        const struct dram_zone *z, struct span span)
{
    for (unsigned above = 0; above < 2; above++) {
        struct span s = span_intersect(span, zone_span(map, z, above));

        s.base -= finding.base;
        row_memory_add(memory, s);
    }
}

/* zone: what it has of the span; or NULL: all. */
static void add(struct row_memory *memory, const struct dram_zone *zone, struct span span)
{
    if (zone)
        add_of_zone(memory, &controllers_get()->decoded.map, zone, span);
    else
        row_memory_add(memory, span);
}

/* The node's own memory, of that which is tested; both lists are in order. */
static void list_memory(const struct shares *shares, uint32_t node, const struct dram_zone *zone,
                        struct row_memory *ret)
{
    const struct node *n = &machine.nodes.node[node];

    *ret = (struct row_memory){ 0 };
    for (size_t i = 0; i < n->n_spans; i++) {
        for (size_t k = 0; k < shares->tested.n; k++) {
            add(ret, zone,
                span_intersect(shares->tested.span[k], machine.nodes.span[n->first_span + i]));
        }
    }
}

/* All that is tested, of all nodes. */
static void list_tested(const struct shares *shares, const struct dram_zone *zone,
                        struct row_memory *ret)
{
    *ret = (struct row_memory){ 0 };
    finding.base = 0;
    for (size_t i = 0; i < shares->tested.n; i++)
        add(ret, zone, shares->tested.span[i]);
}

static uint32_t latency(void *ctx, uint64_t phys, uint64_t other)
{
    struct finding *f = ctx;

    cpu_pool_heartbeat(f->cpu);
    if (f->cpu == 0)
        cpu_poll(f->poll);
    if (stop_is_requested() || cpu_pool_is_aborted() || tsc_now() - f->began >= f->ticks)
        return 0;
    return pair_latency(share_slice((struct span){ phys + f->base, LINE_SIZE }).virt,
                        share_slice((struct span){ other + f->base, LINE_SIZE }).virt);
}

/* If the hole leads to no answer, addresses may be counted with it: half of the time is for that.
 */
static void find(void *ctx, uint32_t cpu)
{
    struct finding *f = ctx;
    int tries = f->question.hole ? 2 : 1;

    f->cpu = cpu;
    f->ticks /= (uint64_t)tries;
    for (int i = 0; i < tries; i++) {
        f->began = tsc_now();
        row_search(&f->question, &f->work, &f->result);
        if (f->result.answer == ROWS_FOUND)
            return;
        f->question.hole = 0;
    }
}

/*
 * With QEMU a test may hand over what timing would show of banks, as where each row is closed at
 * once; else there is nothing to time.
 */
static struct row_result handed(uint16_t zone)
{
    struct register_source list = register_list_source(&controllers_get()->registers);
    struct row_result result = { .answer = ROWS_VIRTUAL };
    struct row_map *map = &result.map;
    uint32_t low, high;

    for (uint32_t i = 0; i <= ROW_FUNCTIONS_MAX; i++) {
        uint64_t *to = i ? &map->function[i - 1] : &map->bits;

        if (!list.read(list.ctx, (struct register_id){ REGISTER_TIMING, zone, 2 * i }, &low) ||
            !list.read(list.ctx, (struct register_id){ REGISTER_TIMING, zone, 2 * i + 1 }, &high))
            break;
        *to = (uint64_t)high << 32 | low;
        map->n_functions = i;
    }
    if (map->n_functions)
        result.answer = ROWS_UNCLEAR;
    return result;
}

/* How many zones are timed by themselves: if some differ, and there is one node; else 0. */
static unsigned n_parts(void)
{
    const struct dram_map *map = &controllers_get()->decoded.map;

    return machine.nodes.n_nodes == 1 && dram_map_zones_differ(map) ? map->n_zones : 0;
}

static const struct row_result *banks_of(uint32_t node, unsigned part)
{
    return part ? banks_of_part(part) : banks_of_node(node);
}

static enum row_agreement compare(const struct row_map *measured, unsigned part,
                                  uint64_t *ret_below, const char **ret_reason)
{
    const struct dram_map *map = &controllers_get()->decoded.map;

    return n_parts() ? row_agreement_of_zone(map, &map->zone[part], measured, ret_below, ret_reason)
                     : row_agreement_of(map, measured, ret_below, ret_reason);
}

/* Of a map that timing confirms, neighbours are by the registers. */
static void take_registers(struct row_map *measured, unsigned part)
{
    const struct decoded_controller *decoded = &controllers_get()->decoded;
    const char *reason;
    uint64_t below;

    if (!decoded->family || decoded->unknown || !measured->n_functions ||
        compare(measured, part, &below, &reason) != ROWS_AGREE ||
        !row_agreement_has_rows(&decoded->map, measured, below))
        return;
    measured->registers = &decoded->map;
    measured->below = below;
}

/* zone: of the node's memory; or NULL. False: a stop or a lost CPU ended it. */
static bool search(const struct run *run, uint32_t node, const struct dram_zone *zone, uint32_t cpu,
                   uint64_t us, uint64_t seed)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    uint64_t hole = zone ? moved_hole(map) : address_hole();

    finding.poll = &run->poll;
    finding.ticks = tsc_from_us(us);
    finding.base = zone ? dram_zone_base(zone) : 0;
    if (zone && zone->start >= ROW_HOLE_END - hole) { /* all of it is above */
        finding.base += hole;
        hole = 0;
    }
    finding.question = (struct row_question){ .memory = &finding.memory,
                                              .hole = hole,
                                              .seed = seed,
                                              .n_measurements_max = MEASUREMENTS_MAX,
                                              .latency = latency,
                                              .ctx = &finding };
    list_memory(&run->shares, node, zone, &finding.memory);
    if (machine.cpu.hypervisor)
        finding.result = handed(zone ? (uint16_t)(zone - map->zone) : 0);
    else
        cpu_pool_run_watched(&cpu, 1, (struct cpu_pool_job){ find, &finding, &run->poll });
    finding.result.map.base = zone ? dram_zone_base(zone) : 0;
    finding.result.map.hole += finding.base - finding.result.map.base;
    if (zone)
        finding.result.map.part = (struct span){ zone->start, zone->end - zone->start };
    return !stop_is_requested() && !cpu_pool_has_new_losses();
}

void row_finding_run(const struct run *run, uint32_t node, uint32_t cpu, uint64_t us, uint64_t seed)
{
    const struct dram_zone *zone = n_parts() ? controllers_get()->decoded.map.zone : NULL;
    unsigned n = n_parts() ? n_parts() : 1;

    for (unsigned i = 0; i < n && (i || !rows_are_searched(node)); i++) {
        if (!search(run, node, zone ? zone + i : NULL, cpu, us / n, seed))
            return;
        take_registers(&finding.result.map, i);
        rows_emit(node, i, &finding.result);
    }
}

const struct row_result *row_finding_of(uint32_t node, struct span s)
{
    const struct dram_map *map = &controllers_get()->decoded.map;

    for (unsigned i = 0; i < 2 * n_parts(); i++) {
        if (span_intersect(zone_span(map, &map->zone[i / 2], i % 2), s).size == s.size)
            return banks_of(node, i / 2);
    }
    return n_parts() ? NULL : banks_of_node(node);
}

bool row_finding_has_all(uint32_t node)
{
    bool all = true;

    for (unsigned i = 0; i < n_parts() || !i; i++)
        all &= row_finding_has_rows(banks_of(node, i));
    return all;
}

/* A CPU that has a part of the node's memory; UINT32_MAX: none has. */
static uint32_t cpu_of_node(const struct plan *plan, uint32_t node)
{
    for (uint32_t w = 0; w < plan->n_workers; w++) {
        if (plan->workers[w].node == node)
            return plan->worker_cpus[w];
    }
    return UINT32_MAX;
}

/* Further zones, up to the first that timing does not confirm: only a contradiction ends the proof
 * of those before. */
static enum map_evidence confirm_zones(uint64_t *below, const char **ret_reason)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    enum row_agreement agreement = ROWS_AGREE;
    const char *why = NULL;

    for (unsigned i = 1; i < n_parts() && agreement == ROWS_AGREE && map->zone[i].start <= *below;
         i++) {
        const struct row_result *banks = banks_of_part(i);
        uint64_t shown;

        agreement = banks ? compare(&banks->map, i, &shown, &why) : ROWS_UNCOMPARED;
        if (agreement == ROWS_AGREE)
            *below = max_u64(*below, shown);
    }
    if (agreement == ROWS_CONTRADICT) {
        *ret_reason = why;
        return MAP_CONTRADICTED;
    }
    if (agreement != ROWS_AGREE && !stop_is_requested())
        notice("modules are named only below %s: no measurement confirms the registers above it",
               FMT_SIZE(*below));
    return MAP_BY_TIMING;
}

/* Whether the registers say where the node's memory is. */
static bool has_places(const struct run *run, uint32_t node, uint64_t seed)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    struct dram_place place;
    bool all = true;

    list_memory(&run->shares, node, NULL, &finding.memory);
    for (unsigned i = 0; i < PLACES && all && finding.memory.lines; i++)
        all = dram_map_locate(map, row_memory_any_line(&finding.memory, &seed), &place);
    return all;
}

/* *below becomes lower where timing shows less; the reason, if it does not agree. */
static enum map_evidence confirm_node(const struct run *run, uint32_t node, uint64_t seed,
                                      uint64_t *below, const char **ret_reason)
{
    uint32_t cpu = cpu_of_node(&run->plan, node);
    enum row_agreement agreement;
    uint64_t shown;

    if (!has_places(run, node, seed)) {
        *ret_reason = "they leave out some of the memory";
        return MAP_CONTRADICTED;
    }
    if (cpu != UINT32_MAX && !stop_is_requested())
        row_finding_run(run, node, cpu, CONFIRM_US * max_u64(1, n_parts()), seed);
    if (!banks_of_node(node)) {
        *ret_reason = "timing shows no banks";
        return MAP_BY_REGISTERS;
    }
    agreement = compare(&banks_of_node(node)->map, 0, &shown, ret_reason);
    *below = min_u64(*below, shown);
    if (agreement == ROWS_AGREE)
        return confirm_zones(below, ret_reason);
    switch (agreement) {
    case ROWS_AGREE: return MAP_BY_TIMING;
    case ROWS_CONTRADICT: return MAP_CONTRADICTED;
    default: return MAP_BY_REGISTERS;
    }
}

/* Reads are of a zone's memory; or NULL: of all. */
static bool begin_counting(const struct run *run, uint64_t seed, const struct dram_zone *zone,
                           struct read_counting *ret)
{
    *ret = (struct read_counting){ .poll = &run->poll, .memory = &finding.memory, .random = seed };
    list_tested(&run->shares, zone, &finding.memory);
    return !machine.cpu.hypervisor && finding.memory.lines;
}

/* alone: timing does not agree with the map of each zone, so that each is counted by itself. */
static enum traffic_verdict compare_counts(const struct run *run, struct read_counting *counting,
                                           bool alone)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    enum traffic_verdict verdict = read_counting_compare(counting, NULL);

    for (unsigned i = 0; i < map->n_zones && alone && verdict == TRAFFIC_AGREES; i++) {
        list_tested(&run->shares, &map->zone[i], &finding.memory);
        if (finding.memory.lines)
            verdict = read_counting_compare(counting, &map->zone[i]);
    }
    return verdict;
}

/* by: the evidence so far, which stays if counting does not tell. *ret_reason: if it contradicts.
 */
static enum map_evidence count_reads(const struct run *run, uint64_t seed, enum map_evidence by,
                                     const char **ret_reason)
{
    static const char *const why[] = {
        [TRAFFIC_AGREES] = NULL,
        [TRAFFIC_CONTRADICTS] = "reads were counted at another channel",
        [TRAFFIC_STILL] = "the memory controllers' counters of reads do not count",
        [TRAFFIC_UNCLEAR] = "other reads than okram's are counted, too",
    };
    enum traffic_verdict verdict = TRAFFIC_UNCLEAR;
    enum map_evidence agreed = MAP_BY_COUNT;
    struct read_counting counting;
    const char *unknown = NULL;

    if (!begin_counting(run, seed, NULL, &counting))
        return by;
    if (read_counting_begin(&counting, &unknown)) {
        verdict = compare_counts(run, &counting, by < MAP_BY_TIMING);
        traffic_end(&counting.traffic);
        unknown = why[verdict];
    } else if (!unknown && by == MAP_BY_TIMING) {
        agreed = MAP_BY_GROUPS;
        verdict = read_counting_group(&counting, &unknown);
    }
    if (verdict == TRAFFIC_AGREES)
        return agreed;
    if (verdict == TRAFFIC_CONTRADICTS) {
        *ret_reason = unknown;
        return MAP_CONTRADICTED;
    }
    if (unknown && !stop_is_requested())
        notice("no channel is confirmed by counting: %s", unknown);
    return by;
}

/* Where the registers leave open which controller an address is in: whether it is known now. */
static bool complete_map(const struct run *run, uint64_t seed)
{
    uint32_t cpu = cpu_of_node(&run->plan, 0);
    struct read_counting counting;
    const char *unknown;

    if (machine.cpu.hypervisor)
        return false;
    if (cpu != UINT32_MAX)
        row_finding_run(run, 0, cpu, CONFIRM_US * max_u64(1, n_parts()), seed);
    if (!begin_counting(run, seed, controllers_get()->decoded.map.zone, &counting))
        return false;
    unknown = read_counting_complete(&counting, banks_of_node(0) ? &banks_of_node(0)->map : NULL);
    if (unknown && !stop_is_requested())
        notice("no module is named: %s", unknown);
    return !unknown;
}

void row_finding_confirm(const struct run *run, uint64_t seed)
{
    const struct decoded_controller *decoded = &controllers_get()->decoded;
    enum map_evidence timed = MAP_BY_TIMING, evidence;
    uint64_t below = UINT64_MAX;
    const char *reason = NULL;

    if (!decoded->family || !fault_log_bad_pages(&run->found.log) ||
        (decoded->unknown && (!decoded->map.n_zones || !complete_map(run, seed))))
        return;
    for (uint32_t node = 0; node < machine.nodes.n_nodes && timed == MAP_BY_TIMING; node++)
        timed = confirm_node(run, node, seed, &below, &reason);
    evidence = timed == MAP_CONTRADICTED ? timed : count_reads(run, seed, timed, &reason);
    if (evidence == MAP_BY_COUNT && timed != MAP_BY_TIMING) {
        controllers_keep_channels();
        reason = NULL;
        below = UINT64_MAX;
    }
    if (reason && !stop_is_requested())
        notice("no module is named, because %s the memory controller's registers: %s",
               evidence == MAP_CONTRADICTED ? "a measurement contradicts"
                                            : "no measurement confirms",
               reason);
    channels_set_confirmed((struct map_confirmed){ evidence, below, NULL });
}

// SPDX-License-Identifier: MIT
#include "testing/hammering.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "controller/controllers.h"
#include "cpus/cpu_pool.h"
#include "device/pci.h"
#include "faults/channels.h"
#include "faults/rows_emit.c" /* so that its state can be cleared */
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "lib/gf2.h"
#include "rows/pair_latency.h"
#include "tests/host/row_machine.h"
#include "tests/unit/unit.h"

#define FOREVER 1000000000

struct machine machine;

static struct span tested[4];
static struct run run = { .shares = { .tested = { .span = tested, .max = 4 } } };
static struct row_machine dram[2]; /* of two nodes, the second's memory from 16 GiB on */
static uint64_t n_timed, stop_at;
static uint64_t n_read, stop_at_read; /* lines that are read while something counts */
static unsigned n_events;
static bool is_intels, is_timing;
static struct event last;

/* --- the kernel around it --------------------------------------------------------------------- */

/* Memory controllers: two channels by this function, the counters of two UMCs. */
#define CHANNEL   UINT64_C(0xc3300)
#define MSR_FIRST 0xc0010800u

static struct controllers controllers;
static enum map_evidence evidence;
static uint64_t below;
static uint64_t n_bad_pages;
static char warning[256];
static struct {
    bool are_there, are_exchanged;
    uint64_t msr[4];
    /* Or in Intel's window; each read of controller 0 counts .at_first[0] at it and .at_first[1] at
     * the other. */
    bool are_in_window, are_silent;
    uint64_t window[2], at_first[2], at_second[2];
    uint64_t alone_from; /* if not 0: from there on the second controller has all */
    /* Or in configuration space, of three channels by thirds; `wrong` bytes are all in the first.
     */
    bool are_in_functions, are_frozen;
    struct span wrong;
    uint32_t function[3][64];
} counters;

/* The data fabric of Zen 1 to 3: which lines each of its events counts. */
#define FABRIC_FIRST 0xc0010240u
#define FABRIC_ON    (UINT64_C(1) << 22)

enum counts { NOTHING, FIRST, SECOND, EVERYTHING, HALF };

static struct {
    bool is_there;
    uint8_t counts[8];  /* enum counts, of each event */
    uint64_t function;  /* that selects the first or the second; HALF: by this bit of the address */
    uint64_t others[2]; /* counted everywhere meanwhile, after each odd and even reading */
    unsigned readings;
    unsigned missing; /* this access raises an exception, counted from 1; 0: none does */
    unsigned accesses;
    uint64_t msr[8];
} fabric;

const struct controllers *controllers_get(void)
{
    return &controllers;
}

static bool read_register(void *ctx, struct register_id id, uint32_t *ret_value)
{
    uint64_t count;

    if (id.space == REGISTER_PCI) {
        *ret_value = counters.function[id.unit][id.offset / 4];
        if (id.offset == 0xf4 && counters.are_frozen)
            *ret_value = 0x100;
        return true;
    }
    count = counters.window[id.offset >> 16];

    *ret_value = (uint32_t)(id.offset & 4 ? count >> 32 : count);
    return !counters.are_silent;
}

struct register_source controllers_registers(void)
{
    return (struct register_source){ read_register, NULL };
}

void controllers_set_function(uint64_t function, bool opposite)
{
    controllers.decoded.map.zone[0].function[0] = function;
    controllers.decoded.map.zone[0].removed = function & -function;
    controllers.decoded.map.zone[0].channel[0] = opposite;
    controllers.decoded.map.zone[0].channel[1] = !opposite;
    controllers.decoded.unknown = NULL;
}

static bool only_channels; /* what is in a channel was forgotten */

void controllers_keep_channels(void)
{
    only_channels = true;
}

void controllers_set_unknown(const char *unknown)
{
    controllers.decoded.unknown = unknown;
}

uint64_t fault_log_bad_pages(const struct fault_log *log)
{
    return n_bad_pages;
}

void channels_set_confirmed(struct map_confirmed of)
{
    evidence = of.evidence;
    below = of.below;
}

static void warn(void *ctx, const char *text)
{
    snprintf(warning, sizeof(warning), "%s", text);
}

const struct warnings notices = { .warn = warn };

static bool is_fabrics(uint32_t msr)
{
    return msr >= FABRIC_FIRST && msr < FABRIC_FIRST + 8;
}

/* The event's number; the units are all that transfer data. */
static unsigned fabric_event(uint64_t control)
{
    assert_int_equal(control & ~(0xf000000c0 | FABRIC_ON), 0x3807);
    return (unsigned)(control >> 32 << 2 | (control >> 6 & 3));
}

static bool fabric_counts(unsigned event, uint64_t phys)
{
    bool second = gf2_parity(phys & fabric.function);

    switch (fabric.counts[event]) {
    case FIRST: return !second;
    case SECOND: return second;
    case EVERYTHING: return true;
    case HALF: return fabric.accesses++ & 1;
    default: return false;
    }
}

static void count_in_fabric(uint64_t phys)
{
    for (unsigned i = 0; i < 8; i += 2) {
        if (fabric.msr[i] & FABRIC_ON)
            fabric.msr[i + 1] += fabric_counts(fabric_event(fabric.msr[i]), phys);
    }
}

static bool read_fabric(unsigned msr, uint64_t *ret_value)
{
    *ret_value = fabric.msr[msr];
    if (msr & 1)
        fabric.msr[msr] += fabric.others[fabric.readings++ / 4 & 1]; /* after four are read */
    return ++fabric.accesses != fabric.missing;
}

bool msr_try_read(uint32_t msr, uint64_t *ret_value)
{
    if (is_fabrics(msr))
        return read_fabric(msr - FABRIC_FIRST, ret_value);
    *ret_value = counters.msr[msr - MSR_FIRST];
    return true;
}

bool msr_try_write(uint32_t msr, uint64_t value)
{
    if (is_fabrics(msr) && ++fabric.accesses == fabric.missing)
        return false;
    if (is_fabrics(msr)) {
        fabric.msr[msr - FABRIC_FIRST] = value;
        return true;
    }
    counters.msr[msr - MSR_FIRST] = value;
    return true;
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ device << 3 | number };
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    counters.function[f.address][offset / 4] = value;
}

static bool is_tested(uint64_t phys)
{
    for (size_t i = 0; i < run.shares.tested.n; i++) {
        if (span_contains(tested[i], phys))
            return true;
    }
    return false;
}

/* While controllers count, a line is read. */
struct slice share_slice(struct span span)
{
    static struct line any;

    n_read += !is_timing;
    if (fabric.is_there) {
        count_in_fabric(span.base);
        return (struct slice){ &any, span.base, 1 };
    }
    if (counters.are_there && !is_timing) {
        bool channel = gf2_parity(span.base & CHANNEL) ^ counters.are_exchanged;
        unsigned third = (span.base >> 8) % 3 ^ counters.are_exchanged;

        assert_true(is_tested(span.base));
        if (counters.alone_from && span.base >= counters.alone_from)
            channel = true;
        for (unsigned i = 0; i < 2; i++)
            counters.window[i] += channel ? counters.at_second[i] : counters.at_first[i];
        counters.msr[2 * channel + 1]++;
        if (counters.are_in_functions)
            counters.function[span_contains(counters.wrong, span.base) ? 0 : third % 3][40]++;
        return (struct slice){ &any, span.base, 1 };
    }
    return (struct slice){ (struct line *)span.base, span.base, span.size / LINE_SIZE };
}

/* A virtual address is the physical one here, and nothing is at it. */
uint32_t pair_latency(const void *line, const void *other)
{
    uint64_t a = (uint64_t)line, b = (uint64_t)other, base = a >= 16 * GIB ? 16 * GIB : 0;

    n_timed++;
    assert_true(a - base < 16 * GIB && b - base < 16 * GIB);
    return row_machine_latency(&dram[base != 0], a - base, b - base);
}

void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    assert_int_equal(n, 1);
    assert_ptr_equal(job.poll, &run.poll);
    is_timing = true;
    job.work(job.ctx, numbers[0]);
    is_timing = false;
}

void cpu_pool_heartbeat(uint32_t cpu)
{
}

static void do_nothing(void *ctx)
{
}

bool stop_is_requested(void)
{
    return (stop_at && n_timed >= stop_at) || (stop_at_read && n_read >= stop_at_read);
}

bool cpu_pool_is_aborted(void)
{
    return false;
}

bool cpu_pool_has_new_losses(void)
{
    return false;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us * 10000;
}

void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof(regs[0]));
    if (!leaf && is_intels)
        regs[1] = 0x756e6547; /* "Genu" */
    if (leaf == 0x80000000u)
        regs[0] = fabric.is_there ? 0x80000020u : 0x80000022u;
    if (leaf == 0x80000001u)
        regs[2] = fabric.is_there ? 1u << 24 : 0;
    if (leaf != 0x80000022u)
        return;
    regs[0] = counters.are_there && !counters.are_in_window && !counters.are_in_functions;
    regs[1] = 2u << 16;
    regs[2] = 3;
}

void events_send(struct event *e)
{
    n_events++;
    last = *e;
}

/* --- two nodes -------------------------------------------------------------------------------- */

static void play_memory(void)
{
    for (unsigned i = 0; i < 2; i++)
        tested[i] = (struct span){ i * 16 * GIB, 16 * GIB };
}

int group_set_up(void **state)
{
    machine.nodes.n_nodes = 2;
    play_memory();
    for (uint32_t i = 0; i < 2; i++) {
        machine.nodes.span[i] = (struct span){ i * 16 * GIB, 16 * GIB };
        machine.nodes.node[i] = (struct node){ .domain = 5 + i, .first_span = i, .n_spans = 1 };
        dram[i] = (struct row_machine){ .map = dram_map_find(i ? "coffee-lake" : "skylake"),
                                        .noise = { 0.05, 0.01, 0 },
                                        .random = 1 };
    }
    run.shares.tested.n = 2;
    run.poll.due = do_nothing;
    return 0;
}

TEST(a_stop_is_not_an_answer)
{
    stop_at = 1000;
    row_finding_run(&run, 0, 0, FOREVER, 1);
    stop_at = 0;
    assert_int_equal(n_events, 0);
    assert_false(rows_are_searched(0));
    assert_null(rows_of_node(0));
}

/* Each node has the map of its own memory, and is searched once. */
TEST(each_node_once)
{
    for (uint32_t node = 0; node < 2; node++) {
        row_finding_run(&run, node, node, FOREVER, 1);
        assert_int_equal(n_events, node + 1);
        assert_int_equal(last.type, EVENT_ROWS);
        assert_int_equal(last.rows.node, 5 + node);
        assert_ptr_equal(last.rows.result, rows_of_node(node));
        assert_int_equal(last.rows.result->answer, ROWS_FOUND);
        assert_true(row_machine_has_banks(&dram[node], &last.rows.result->map));
        assert_true(row_machine_has_rows(&dram[node], &last.rows.result->map));
    }
    n_timed = 0;
    row_finding_run(&run, 0, 0, FOREVER, 1);
    assert_int_equal(n_timed, 0);
    assert_int_equal(n_events, 2);
}

TEST(nodes_without_a_map)
{
    row_finding_run(&run, ROW_NODES_MAX, 0, FOREVER, 1);
    assert_int_equal(n_events, 2);
    assert_true(rows_are_searched(ROW_NODES_MAX));
    assert_null(rows_of_node(ROW_NODES_MAX));
    assert_false(rows_are_searched(2));
}

/* In no time there is no answer: said once, and then rows are guessed. */
TEST(without_time)
{
    machine.nodes.n_nodes = 3;
    machine.nodes.node[2] = machine.nodes.node[0];
    row_finding_run(&run, 2, 0, 0, 1);
    assert_int_equal(n_events, 3);
    assert_int_equal(last.rows.result->answer, ROWS_OUT_OF_TIME);
    assert_true(rows_are_searched(2));
    assert_null(rows_of_node(2));
}

/* What timing would find there is not the DRAM. */
TEST(not_in_a_virtual_machine)
{
    machine.cpu.hypervisor = true;
    machine.nodes.n_nodes = 4;
    machine.nodes.node[3] = machine.nodes.node[0];
    n_timed = 0;
    row_finding_run(&run, 3, 0, FOREVER, 1);
    machine.cpu.hypervisor = false;
    assert_int_equal(n_timed, 0);
    assert_int_equal(n_events, 4);
    assert_int_equal(last.rows.result->answer, ROWS_VIRTUAL);
    assert_null(rows_of_node(3));
}

/* --- what memory controllers' registers say, and the first node's memory -----------------------
 */

static void play_controllers(uint64_t function)
{
    controllers.decoded = (struct decoded_controller){
        .family = "played",
        .n_channels = 2,
        .channel = { { .controller = 0, .dimm = { { .bytes = 8 * GIB } } },
                     { .controller = 1, .dimm = { { .bytes = 8 * GIB } } } },
        .map = { .n_zones = 1,
                 .zone = { { .end = 16 * GIB,
                             .n_functions = 1,
                             .function = { function },
                             .channel = { 0, 1 },
                             .removed = 0x100 } },
                 .n_channels = 2,
                 .channel = { { .n_selects = 1, .select = { { .end = 8 * GIB } } },
                              { .n_selects = 1, .select = { { .end = 8 * GIB } } } } },
    };
    machine.nodes.n_nodes = 1;
    evidence = MAP_BY_REGISTERS;
    warning[0] = 0;
    memset(&counters, 0, sizeof(counters));
    memset(&fabric, 0, sizeof(fabric));
}

TEST(timing_agrees_with_the_registers)
{
    play_controllers(CHANNEL);
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_REGISTERS); /* without a bad page nothing is asked */
    n_bad_pages = 1;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_int_equal(below, 16 * GIB);
    controllers.decoded.unknown = "why";
    controllers.decoded.map.n_zones = 0;
    evidence = MAP_BY_REGISTERS;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_REGISTERS);
    assert_string_equal(warning, "");
}

TEST(timing_contradicts_the_registers)
{
    play_controllers(CHANNEL ^ 0x400);
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_CONTRADICTED);
    assert_non_null(strstr(warning,
                           "measurement contradicts the memory controller's registers: a "
                           "function that chooses the module is none of those that timing shows"));
}

/* A sixteenth of the memory is in no channel by the registers, at either end. */
TEST(memory_that_the_registers_leave_out)
{
    static const struct {
        uint64_t start, end;
        enum map_evidence evidence;
    } zone[] = { { GIB, 16 * GIB, MAP_CONTRADICTED },
                 { 0, 15 * GIB, MAP_CONTRADICTED },
                 { 0, 16 * GIB, MAP_BY_TIMING } };

    for (unsigned i = 0; i < COUNT(zone); i++) {
        play_controllers(CHANNEL);
        controllers.decoded.map.zone[0].start = zone[i].start;
        controllers.decoded.map.zone[0].end = zone[i].end;
        row_finding_confirm(&run, 1);
        assert_int_equal(evidence, zone[i].evidence);
        assert_string_equal(warning, i == 2 ? ""
                                            : "no module is named, because a measurement "
                                              "contradicts the memory controller's registers: "
                                              "they leave out some of the memory");
    }
}

/* Where the registers say banks and rows of the first node's memory. */
static void play_banks(void)
{
    static const struct dram_geometry geometry = {
        .n_banks = 4,
        .bank = { 0x2080, 0x24000, 0x48000, 0x90000 },
        .n_rows = 16,
        .row = { 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
        .n_columns = 10,
        .column = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 },
    };

    for (unsigned i = 0; i < 2; i++)
        controllers.decoded.map.channel[i].dimm[0] = geometry;
}

/* What is found for another node of that memory, whose number is new. */
static const struct row_map *find_for(uint32_t node)
{
    machine.nodes.n_nodes = node + 1;
    machine.nodes.node[node] = machine.nodes.node[0];
    row_finding_run(&run, node, 0, FOREVER, 1);
    assert_int_equal(last.rows.result->answer, ROWS_FOUND);
    return &last.rows.result->map;
}

TEST(neighbours_are_by_the_registers)
{
    const struct row_map *map;
    uint64_t next;

    play_controllers(CHANNEL);
    play_banks();
    map = find_for(4);
    assert_ptr_equal(map->registers, &controllers.decoded.map);
    assert_int_equal(map->below, 16 * GIB);
    assert_true(row_map_neighbour(map, 0x40, 1, &next));
    assert_int_equal(next, 0x48140); /* the row's bit is in the channel's function */

    play_controllers(CHANNEL ^ 0x400); /* timing contradicts it */
    play_banks();
    assert_null(find_for(5)->registers);

    play_controllers(CHANNEL);
    play_banks();
    for (unsigned i = 0; i < 2; i++) /* a bit of the row and one of the column are exchanged */
        controllers.decoded.map.channel[i].dimm[0].column[9] = 17,
        controllers.decoded.map.channel[i].dimm[0].row[0] = 12;
    assert_null(find_for(6)->registers);

    play_controllers(CHANNEL); /* the registers say no banks */
    assert_null(find_for(7)->registers);
}

/* A module of 16 banks alone in its channel. */
static const struct published_map alone = {
    .bits = 33,
    .bus_bits = 64,
    .row = 0x1fffe0000,
    .column = 0x3f7f,
    .function = { [DRAM_GROUP] = { 0x2080, 0x24000 }, [DRAM_BANK] = { 0x48000, 0x90000 } }
};

/* Both channels up to 16 GiB; then the second alone. Each part by itself. Nothing is known yet. */
static int play_unequal_channels(void **state)
{
    static struct worker worker;
    static uint32_t cpu;
    struct dram_geometry *g = &controllers.decoded.map.channel[1].dimm[0];

    memset(of_node, 0, sizeof(of_node));
    memset(of_part, 0, sizeof(of_part));
    run.plan = (struct plan){ .workers = &worker, .worker_cpus = &cpu, .n_workers = 1 };
    dram[1].map = &alone;
    play_controllers(CHANNEL);
    play_banks();
    g->row[g->n_rows++] = 33;
    controllers.decoded.map.n_zones = 2;
    controllers.decoded.map.zone[1] = (struct dram_zone){
        .start = 16 * GIB, .end = 24 * GIB, .channel = { 1 }, .subtract = 8 * GIB
    };
    controllers.decoded.map.channel[1].select[0].end = 16 * GIB;
    machine.nodes.node[0].n_spans = 2;
    tested[1].size = 8 * GIB;
    return 0;
}

TEST(unequal_channels, play_unequal_channels)
{
    const struct row_result *part;
    uint64_t next;

    n_events = 0;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_int_equal(below, 24 * GIB);
    assert_int_equal(last.rows.result->map.part.base, 16 * GIB);
    assert_int_equal(last.rows.result->map.part.size, 8 * GIB);
    assert_true(row_machine_has_banks(&dram[1], &last.rows.result->map));
    assert_string_equal(warning, "");
    assert_int_equal(n_events, 2);
    row_finding_confirm(&run, 1); /* each is timed once */
    assert_int_equal(n_events, 2);

    assert_true(row_finding_has_all(0)); /* row hammer knows the rows of both, */
    for (unsigned i = 0; i < 2; i++) {
        part = row_finding_of(0, (struct span){ i * 16 * GIB + GIB, GIB });
        assert_int_equal(part->map.part.base, i * 16 * GIB);
        assert_ptr_equal(part->map.registers, &controllers.decoded.map);
        assert_true(row_map_neighbour(&part->map, i * 16 * GIB + GIB, 1, &next));
        assert_int_equal(next, i * 16 * GIB + GIB + (i ? 0x24000 : 0x48100));
    }
    assert_false(row_map_neighbour(&part->map, 16 * GIB, -1, &next));    /* each in its own part, */
    assert_null(row_finding_of(0, (struct span){ 16 * GIB - 64, 128 })); /* and not in between */
}

/* Memory from below 4 GiB that is moved to the end is in none that was timed. */
TEST(moved_memory_is_in_no_part, play_unequal_channels)
{
    controllers.decoded.map.n_moves = 1;
    controllers.decoded.map.move[0] = (struct dram_move){ 23 * GIB, 25 * GIB, 21 * GIB };
    row_finding_confirm(&run, 1);
    assert_non_null(row_finding_of(0, (struct span){ 22 * GIB, 64 }));
    assert_null(row_finding_of(0, (struct span){ 24 * GIB, 64 }));
}

/* AMD's controllers count all above 4 GiB without the hole. */
TEST(parts_above_a_hole, play_unequal_channels)
{
    const struct row_result *part;
    uint64_t next;

    controllers.decoded.map.n_moves = 2;
    controllers.decoded.map.move[0] = (struct dram_move){ 3 * GIB, 4 * GIB, 4 * GIB };
    controllers.decoded.map.move[1] = (struct dram_move){ 4 * GIB, 25 * GIB, GIB };
    controllers.decoded.map.zone[0].end = controllers.decoded.map.zone[1].start = 15 * GIB;
    controllers.decoded.map.zone[1].subtract = 15 * GIB / 2;
    controllers.decoded.map.zone[1].end = 23 * GIB;
    dram[0].hole = GIB;
    dram[0].addresses_shift = true;
    tested[0].size = 3 * GIB;
    tested[1] = (struct span){ 4 * GIB, 20 * GIB };
    row_finding_confirm(&run, 1);
    dram[0].addresses_shift = false;
    play_memory();
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_int_equal(below, 23 * GIB);
    assert_ptr_equal(row_finding_of(0, (struct span){ 15 * GIB, 64 })->map.registers,
                     &controllers.decoded.map);
    part = row_finding_of(0, (struct span){ 18 * GIB, 64 });
    assert_int_equal(part->map.part.base, 15 * GIB);
    assert_ptr_equal(part->map.registers, &controllers.decoded.map);
    assert_true(row_map_neighbour(&part->map, 18 * GIB, 1, &next));
    assert_int_equal(next, 18 * GIB + 0x24000);
}

TEST(a_part_that_timing_contradicts)
{
    play_unequal_channels(NULL); /* by the registers, two channels take turns there, too */
    controllers.decoded.map.zone[1].n_functions = 1;
    controllers.decoded.map.zone[1].function[0] = 0x100000000;
    controllers.decoded.map.zone[1].channel[0] = 0;
    controllers.decoded.map.zone[1].channel[1] = 1;
    controllers.decoded.map.channel[0].select[0].end = 16 * GIB;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_CONTRADICTED);
    assert_null(row_finding_of(0, (struct span){ 17 * GIB, 64 })->map.registers);
}

TEST(a_part_that_timing_does_not_show, play_unequal_channels)
{
    dram[1].has_no_conflicts = true;
    row_finding_confirm(&run, 1);
    dram[1].has_no_conflicts = false;
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_int_equal(below, 16 * GIB);
    assert_string_equal(warning, "modules are named only below 16 GiB: no measurement confirms "
                                 "the registers above it");
    assert_false(row_finding_has_all(0)); /* rows are guessed there */
    assert_non_null(row_finding_of(0, (struct span){ 15 * GIB, 64 }));
    assert_null(row_finding_of(0, (struct span){ 17 * GIB, 64 }));
}

/* Which of them has a line is counted in memory that is tested, after each part was timed. */
TEST(two_unequal_controllers, play_unequal_channels)
{
    tested[0].size = 8 * GIB;
    controllers.decoded.unknown = "it is searched for";
    controllers.decoded.map.zone[0].function[0] = 0x100;
    for (unsigned i = 0; i < 2; i++)
        controllers.decoded.channel[i].reads_counted =
            (struct register_id){ REGISTER_MCHBAR, 0, 0xd858 + 0x10000 * i };
    counters.are_there = counters.are_in_window = true;
    counters.at_first[0] = counters.at_second[1] = 1;
    counters.alone_from = 16 * GIB;
    row_finding_confirm(&run, 1);
    tested[0].size = 16 * GIB;
    assert_int_equal(controllers.decoded.map.zone[0].function[0], CHANNEL);
    assert_int_equal(evidence, MAP_BY_COUNT);
    assert_string_equal(warning, "");
}

/* What follows is of one part again. */
static void play_one_part(void)
{
    run.plan.n_workers = 0;
    play_memory();
    machine.nodes.node[0].n_spans = 1;
    memset(of_node, 0, sizeof(of_node));
    play_controllers(CHANNEL);
    row_finding_run(&run, 0, 0, FOREVER, 1);
}

/* A stop between two parts is no answer of the second. */
TEST(a_stop_between_parts, play_unequal_channels)
{
    n_timed = 0;
    row_finding_confirm(&run, 1);
    stop_at = n_timed - 1000;
    play_unequal_channels(NULL);
    n_timed = 0;
    row_finding_confirm(&run, 1);
    stop_at = 0;
    assert_int_equal(below, 16 * GIB);
    assert_string_equal(warning, "");
    play_one_part();
}

/* Intel's servers count addresses above 4 GiB without the hole, which their registers say. */
TEST(the_hole_of_intels)
{
    memset(of_node, 0, sizeof(of_node));
    play_controllers(CHANNEL);
    controllers.decoded.map.zone[0].gap = GIB;
    is_intels = dram[0].addresses_shift = true;
    dram[0].hole = GIB;
    row_finding_run(&run, 0, 0, FOREVER, 1);
    is_intels = dram[0].addresses_shift = false;
    assert_int_equal(rows_of_node(0)->map.hole, GIB);
    assert_true(row_machine_has_rows(&dram[0], &rows_of_node(0)->map));
    memset(of_node, 0, sizeof(of_node));
    play_controllers(CHANNEL);
    row_finding_run(&run, 0, 0, FOREVER, 1);
}

TEST(reads_are_counted)
{
    play_controllers(CHANNEL);
    counters.are_there = true;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_COUNT);
    assert_false(only_channels);
    assert_int_equal(counters.msr[0], 0); /* as before */
    assert_int_equal(counters.msr[1], 0);
    counters.are_exchanged = true; /* which timing cannot notice */
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_CONTRADICTED);
    assert_non_null(strstr(warning, "reads were counted at another channel"));
}

static void play_window(void)
{
    for (unsigned i = 0; i < 2; i++)
        controllers.decoded.channel[i].reads_counted =
            (struct register_id){ REGISTER_MCHBAR, 0, 0xd858 + 0x10000 * i };
}

TEST(counters_that_say_nothing)
{
    play_controllers(CHANNEL);
    counters.are_there = counters.are_in_window = true;
    play_window();
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_string_equal(warning, "no channel is confirmed by counting: the memory controllers' "
                                 "counters of reads do not count");
    counters.at_first[0] = counters.at_first[1] = counters.at_second[1] = 1;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_string_equal(warning, "no channel is confirmed by counting: other reads than okram's "
                                 "are counted, too");
}

/* A desktop with two channels: their counters, two that count both's, and four of channels that it
 * does not have. The registers of the counters are somebody's. */
static void play_fabric(uint64_t function)
{
    play_controllers(CHANNEL);
    fabric.is_there = true;
    fabric.function = function;
    memcpy(fabric.counts, (uint8_t[]){ FIRST, SECOND, EVERYTHING, EVERYTHING }, 4);
    for (unsigned i = 0; i < 8; i++)
        fabric.msr[i] = 0x1234 + i;
}

static enum map_evidence confirm_by_fabric(void)
{
    row_finding_confirm(&run, 1);
    for (unsigned i = 0; i < 8; i += 2) /* as before */
        assert_int_equal(fabric.msr[i] & ~FABRIC_ON, 0x1234 + i);
    return evidence;
}

TEST(lines_of_a_channel_are_counted_together)
{
    static const uint8_t others[][8] = {
        { FIRST, SECOND },                               /* each channel has one, */
        { SECOND, FIRST },                               /* which of them is not known, */
        { NOTHING, FIRST, NOTHING, FIRST, SECOND },      /* or two; in both turns; */
        { [5] = EVERYTHING, [6] = FIRST, [7] = SECOND }, /* what counts all tells nothing */
    };

    play_fabric(CHANNEL);
    assert_int_equal(confirm_by_fabric(), MAP_BY_GROUPS);
    assert_int_equal(below, 16 * GIB);
    assert_string_equal(warning, "");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(fabric.msr[i], 0x1234 + i);
    for (unsigned i = 0; i < COUNT(others); i++) {
        play_fabric(CHANNEL);
        memcpy(fabric.counts, others[i], 8);
        assert_int_equal(confirm_by_fabric(), MAP_BY_GROUPS);
    }
    play_fabric(CHANNEL);
    fabric.others[0] = fabric.others[1] = 100000; /* as a picture on the screen is read */
    assert_int_equal(confirm_by_fabric(), MAP_BY_GROUPS);
    assert_string_equal(warning, "");
}

/* The function of a channel and that of a bank are exchanged, which timing cannot notice; or a sum.
 */
TEST(lines_of_a_channel_are_counted_apart)
{
    static const uint64_t function[] = { 0x2080, CHANNEL ^ 0x2080, 0x48000 };

    for (unsigned i = 0; i < COUNT(function); i++) {
        play_fabric(function[i]);
        assert_int_equal(confirm_by_fabric(), MAP_CONTRADICTED);
        assert_string_equal(warning,
                            "no module is named, because a measurement contradicts the memory "
                            "controller's registers: reads of one channel's addresses were "
                            "counted at several channels");
    }
}

#define NOT_KNOWN "no channel is confirmed by counting: the data fabric"

TEST(a_fabric_that_says_nothing)
{
    static const uint8_t nothing[][4] = {
        { EVERYTHING, EVERYTHING }, /* a counter counts both channels, */
        { FIRST },                  /* or one of them alone */
    };

    for (unsigned i = 0; i < COUNT(nothing); i++) {
        play_fabric(CHANNEL);
        memcpy(fabric.counts, nothing[i], 4);
        assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
        assert_string_equal(warning, NOT_KNOWN "'s counters do not distinguish the channels");
    }
    play_fabric(CHANNEL);
    memset(fabric.counts, NOTHING, 4);
    assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
    assert_string_equal(warning, NOT_KNOWN "'s counters do not count");
    play_fabric(CHANNEL);
    fabric.counts[6] = HALF;
    assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
    assert_string_equal(warning, NOT_KNOWN " counts other reads, too, or only a part of okram's");
    play_fabric(CHANNEL);
    fabric.others[0] = 10000; /* now and then */
    assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
    assert_string_equal(warning, NOT_KNOWN " counts other reads, too, or only a part of okram's");
}

TEST(a_fabric_that_is_in_use_or_does_not_answer)
{
    for (unsigned i = 0; i < 8; i += 2) {
        play_fabric(CHANNEL);
        fabric.msr[i] |= FABRIC_ON;
        assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
        assert_string_equal(warning,
                            "no channel is confirmed by counting: the counters of reads are "
                            "in use");
        assert_int_equal(fabric.msr[i], (0x1234 + i) | FABRIC_ON);
    }
    for (unsigned i = 1; i <= 16; i++) { /* two readings, a write and a reading of each */
        play_fabric(CHANNEL);
        fabric.missing = i;
        assert_int_equal(confirm_by_fabric(), MAP_BY_TIMING);
        assert_string_equal(warning, (i - 1) % 4 < 2
                                         ? "no channel is confirmed by counting: a counter of "
                                           "reads does not answer"
                                         : "no channel is confirmed by counting: a counter of "
                                           "reads does not keep what is written to it");
    }
}

/* Nothing is to be shown, or counted here; nothing is written. */
TEST(a_fabric_that_is_not_asked)
{
    play_fabric(CHANNEL);
    controllers.decoded.map.channel[1].n_selects = 0; /* one channel */
    row_finding_confirm(&run, 1);
    assert_int_equal(fabric.accesses, 0);
    play_fabric(CHANNEL);
    controllers.decoded.channel[1].node = 1; /* another socket's */
    row_finding_confirm(&run, 1);
    assert_int_equal(fabric.accesses, 0);
    play_fabric(CHANNEL);
    machine.cpu.hypervisor = true;
    row_finding_confirm(&run, 1);
    machine.cpu.hypervisor = false;
    assert_int_equal(fabric.accesses, 0);
    assert_string_equal(warning, "");
}

/* Two controllers: the registers say the bit that is removed, but not the function. */
static void play_two_controllers(void)
{
    play_controllers(0x100);
    controllers.decoded.unknown = "it is searched for";
    counters.are_there = counters.are_in_window = true;
    play_window();
    counters.at_first[0] = counters.at_second[1] = 1;
}

TEST(the_function_is_found_by_counting)
{
    for (unsigned exchanged = 0; exchanged < 2; exchanged++) {
        const struct dram_zone *zone = controllers.decoded.map.zone;

        play_two_controllers();
        counters.at_first[0] = counters.at_second[1] = !exchanged;
        counters.at_first[1] = counters.at_second[0] = exchanged;
        row_finding_confirm(&run, 1);
        assert_null(controllers.decoded.unknown);
        assert_int_equal(zone->function[0], CHANNEL);
        assert_int_equal(zone->channel[0], exchanged);
        assert_int_equal(zone->channel[1], !exchanged);
        assert_int_equal(evidence, MAP_BY_COUNT);
        assert_string_equal(warning, "");
    }
}

#define NOT_PUBLIC "the function that selects the controller is not public, and "

static void assert_not_found(const char *why)
{
    char want[256];

    row_finding_confirm(&run, 1);
    assert_string_equal(controllers.decoded.unknown, why);
    snprintf(want, sizeof(want), "no module is named: %s", why);
    assert_string_equal(warning, want);
    assert_int_equal(evidence, MAP_BY_REGISTERS);
}

TEST(the_function_is_not_found)
{
    play_two_controllers();
    counters.at_first[0] = counters.at_second[1] = 0;
    assert_not_found(NOT_PUBLIC "the counters of its reads do not count");
    play_two_controllers();
    counters.at_first[1] = counters.at_second[0] = 1; /* each counts the other's, too */
    assert_not_found(NOT_PUBLIC "reads of a line are not counted at one controller alone");
    play_two_controllers();
    counters.at_second[0] = 1; /* all is counted at one, */
    counters.at_second[1] = 0;
    assert_not_found(NOT_PUBLIC "by no function that timing shows reads are counted");
    play_two_controllers();
    controllers.decoded.map.zone[0].removed = 0; /* it is not known */
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_COUNT);
    play_two_controllers();
    controllers.decoded.map.zone[0].removed = 0x80; /* another bit is removed, by the registers */
    assert_not_found(NOT_PUBLIC "by no function that timing shows reads are counted");
    play_two_controllers();
    counters.window[1] = UINT64_MAX;
    assert_not_found(NOT_PUBLIC "no counter of its reads answers");
    play_two_controllers();
    counters.are_silent = true;
    assert_not_found(NOT_PUBLIC "no counter of its reads answers");
}

/* A small part of the memory is of both controllers. */
TEST(a_function_of_few_lines, play_unequal_channels)
{
    tested[0].size = GIB / 4;
    controllers.decoded.unknown = "it is searched for";
    controllers.decoded.map.zone[0].function[0] = 0x100;
    play_window();
    counters.are_there = counters.are_in_window = true;
    counters.at_first[0] = counters.at_second[1] = 1;
    counters.alone_from = 16 * GIB;
    row_finding_confirm(&run, 1);
    assert_null(controllers.decoded.unknown);
    assert_int_equal(controllers.decoded.map.zone[0].function[0], CHANNEL);
    play_one_part();
}

/* Without a function there is no zone either: something else is missing. */
TEST(other_reasons_stay)
{
    play_two_controllers();
    controllers.decoded.map.n_zones = 0;
    row_finding_confirm(&run, 1);
    assert_string_equal(controllers.decoded.unknown, "it is searched for");
    play_two_controllers();
    machine.cpu.hypervisor = true;
    row_finding_confirm(&run, 1);
    machine.cpu.hypervisor = false;
    assert_string_equal(controllers.decoded.unknown, "it is searched for");
}

/* A server of two nodes, whose channels take turns by thirds, in two zones: timing cannot tell. */
static void play_thirds(void)
{
    static const struct dram_zone zone = { .thirds = 8, .channel = { 0, 1, 2 } };
    struct decoded_controller *c = &controllers.decoded;

    play_controllers(0);
    c->n_channels = c->map.n_channels = 3;
    c->map.n_zones = 2;
    for (unsigned i = 0; i < 3; i++) {
        c->channel[i] = (struct decoded_channel){
            .number = (uint8_t)i,
            .dimm = { { .bytes = 16 * GIB } },
            .reads_counted = { REGISTER_PCI, (uint16_t)i, 0xa0 },
        };
        c->map.channel[i] = c->map.channel[0];
        c->map.channel[i].select[0].end = 16 * GIB;
    }
    for (unsigned i = 0; i < 2; i++) {
        c->map.zone[i] = zone;
        c->map.zone[i].start = i * GIB;
        c->map.zone[i].end = i ? 32 * GIB : GIB;
    }
    counters.are_there = counters.are_in_functions = true;
    machine.nodes.n_nodes = 2;
}

#define NOT_LINEAR                                                                                 \
    "no module is named, because no measurement confirms the memory controller's registers: "      \
    "timing shows only XORs of address bits, and not every module is chosen by such"

TEST(counting_alone)
{
    play_thirds();
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_COUNT);
    assert_int_equal(below, UINT64_MAX);
    assert_true(only_channels);
    assert_string_equal(warning, "");
    for (unsigned i = 0; i < 3; i++) { /* as before */
        assert_int_equal(counters.function[i][0xd8 / 4], 0);
        assert_int_equal(counters.function[i][0xa0 / 4], 0);
    }
    play_thirds();
    counters.are_exchanged = true;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_CONTRADICTED);
    assert_non_null(strstr(warning, "reads were counted at another channel"));
    play_thirds(); /* a small zone is another way */
    counters.wrong = (struct span){ 0, GIB };
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_CONTRADICTED);
}

/* A stop at any time: the counters get their old values back, and no warning is given. */
TEST(a_stop_while_reads_are_counted)
{
    for (uint64_t at = 1; at < 500000; at = at * 3 + 1) {
        play_controllers(CHANNEL);
        counters.are_there = true;
        n_read = 0;
        stop_at_read = at;
        row_finding_confirm(&run, 1);
        assert_int_equal(counters.msr[0] | counters.msr[2], 0);
        assert_int_equal(counters.msr[1] | counters.msr[3], 0);
        assert_string_equal(warning, "");
        play_fabric(CHANNEL);
        n_read = 0;
        confirm_by_fabric();
        if (at < 100000)
            assert_int_equal(evidence, MAP_BY_TIMING);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(fabric.msr[i], 0x1234 + i);
        assert_string_equal(warning, "");
        play_thirds();
        n_read = 0;
        row_finding_confirm(&run, 1);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(counters.function[i][0xd8 / 4] | counters.function[i][0xa0 / 4], 0);
        stop_at_read = 0;
    }
}

TEST(counters_that_cannot_be_used)
{
    play_thirds();
    counters.are_frozen = true;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_REGISTERS);
    assert_string_equal(warning, NOT_LINEAR);
    play_thirds();
    machine.cpu.hypervisor = true;
    row_finding_confirm(&run, 1);
    machine.cpu.hypervisor = false;
    assert_int_equal(evidence, MAP_BY_REGISTERS);
    play_controllers(CHANNEL);
    for (unsigned i = 0; i < 2; i++)
        controllers.decoded.channel[i].reads_counted =
            (struct register_id){ REGISTER_PCI, (uint16_t)i, 0xa0 };
    counters.are_there = counters.are_in_functions = counters.are_frozen = true;
    row_finding_confirm(&run, 1);
    assert_int_equal(evidence, MAP_BY_TIMING);
    assert_string_equal(warning,
                        "no channel is confirmed by counting: a counter of reads is frozen");
}

TEST(a_node_without_an_answer)
{
    play_controllers(CHANNEL);
    machine.nodes.n_nodes = 3; /* the third's rows were not found */
    row_finding_confirm(&run, 1);
    assert_true(evidence < MAP_BY_TIMING);
    assert_non_null(strstr(warning, "registers: "));
}

// SPDX-License-Identifier: MIT
#include "facts/machine_emit.h"

#include "acpi/madt.h"
#include "arch/tsc.h"
#include "calibration/speeds.h"
#include "controller/controllers.h"
#include "cpus/survey.h"
#include "event/events.h"
#include "event/notices.h"
#include "io/cpu_random.h"
#include "io/ports.h"
#include "lib/date.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/inventory.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "saved/saved.h"
#include "sign/hmac.h"

void machine_emit_start(const struct boot_info *boot, const char *cmdline)
{
    events_send(&(struct event){
        .type = EVENT_START,
        .start = {
            .version = OKRAM_VERSION,
            .boot = boot->firmware == BOOT_UEFI ? "uefi" : "bios",
            .loader = boot->loader,
            .cmdline = cmdline,
        },
    });
    notices_emit();
}

_Static_assert(IDENTITY_MAC_BYTES == BOOT_MAC_BYTES, "a network card's address");

#define PORT_B  0x61 /* reading it takes a device's time, never exactly as long */
#define TIMINGS 64

/* What no two runs have in common. A missing source is 0. */
struct sources {
    uint64_t rdseed[4], rdrand[4];
    uint64_t timing[TIMINGS];
    int64_t date;
    char uuid[SMBIOS_UUID_MAX];
};

static void make_run_id(char ret_id[RUN_ID_SIZE])
{
    struct sources s;

    memset(&s, 0, sizeof(s));
    for (size_t i = 0; i < 4; i++) {
        s.rdseed[i] = cpu_has_rdseed() ? cpu_rdseed() : 0;
        s.rdrand[i] = cpu_has_rdrand() ? cpu_rdrand() : 0;
    }
    for (size_t i = 0; i < TIMINGS; i++) {
        io_in8(PORT_B);
        s.timing[i] = tsc_now();
    }
    s.date = board.started;
    string_copy(s.uuid, board.names.uuid, sizeof(s.uuid));
    run_id_make(&s, sizeof(s), ret_id);
}

void machine_emit_identity(const struct boot_info *boot, enum option_identity identity)
{
    bool is_full = identity == OPTION_IDENTITY_FULL;
    char run[RUN_ID_SIZE], date[SAVED_DATE_MAX] = "";
    struct fmt_buffer b = fmt_buffer_make(date, sizeof(date));

    if (identity == OPTION_IDENTITY_OFF)
        return;
    make_run_id(run);
    if (board.started)
        date_append(&b, board.started);
    events_send(&(struct event){
        .type = EVENT_IDENTITY,
        .identity = {
            .run = run,
            .date = date,
            .names = &board.names,
            .full = is_full,
            .mac = boot->mac,
            .n_macs = is_full ? boot->n_macs : 0,
        },
    });
}

static void emit_node(const struct plan *plan, uint32_t n)
{
    static uint32_t cpus[MADT_CPUS_MAX + 1], speed_percent[MADT_CPUS_MAX + 1];
    const struct node *node = &machine.nodes.node[n];
    size_t n_cpus = 0;

    for (uint32_t i = 0; i < machine.n_online; i++) {
        if (machine.cpu_node[machine.online[i]] != n)
            continue;
        speed_percent[n_cpus] = speeds_percent(plan, machine.online[i]);
        cpus[n_cpus++] = machine.online[i];
    }
    events_send(&(struct event){
        .type = EVENT_NODE,
        .node = {
            .node = node->domain,
            .cpus = cpus,
            .n_cpus = n_cpus,
            .ram_bytes = node->ram_bytes,
            .spans = &machine.nodes.span[node->first_span],
            .n_spans = node->n_spans,
            .speed_percent = speed_percent,
        },
    });
}

/* Lists the CPUs of a kind in cpus. Returns how many there are. */
static size_t make_kind(const struct plan *plan, enum cpu_kind kind, uint32_t *cpus,
                        struct event_cpu_kind *ret)
{
    uint32_t speeds = 0, n_speeds = 0;

    *ret = (struct event_cpu_kind){ .kind = cpu_kind_name(kind), .cpus = cpus };
    for (uint32_t i = 0; i < machine.n_online; i++) {
        uint32_t cpu = machine.online[i];
        const struct survey_cpu *s = survey_of(cpu);

        if (s->id.kind != kind)
            continue;
        if (!ret->n_cpus)
            ret->microcode = s->microcode;
        cpus[ret->n_cpus++] = cpu;
        ret->threads_per_core = max_u64(ret->threads_per_core, s->threads);
        speeds += speeds_percent(plan, cpu);
        n_speeds += speeds_percent(plan, cpu) != 0;
    }
    ret->speed_percent = n_speeds ? speeds / n_speeds : 0;
    return ret->n_cpus;
}

static size_t list_kinds(const struct plan *plan, struct event_cpu_kind ret[CPU_KINDS])
{
    static uint32_t cpus[MADT_CPUS_MAX + 1];
    size_t n_kinds = 0, at = 0;

    for (enum cpu_kind kind = 0; kind < CPU_KINDS; kind++) {
        size_t n = make_kind(plan, kind, cpus + at, &ret[n_kinds]);

        n_kinds += n != 0;
        at += n;
    }
    return n_kinds;
}

static uint64_t bytes_of(enum boot_region_kind kind)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (machine.map.region[i].kind == kind)
            bytes += machine.map.region[i].span.size;
    }
    return bytes;
}

static void emit_modules(void)
{
    const struct modules *modules = &inventory_get()->modules;

    for (size_t i = 0; i < modules->n; i++)
        events_send(&(struct event){ .type = EVENT_MODULE, .module = { modules, i } });
}

static void emit_controllers(void)
{
    static struct board_slots slots;
    const struct controllers *c = controllers_get();

    if (board.slots)
        board_slots_find(&c->decoded, board.slots, &slots);
    if (c->decoded.family || c->registers.n)
        events_send(&(struct event){
            .type = EVENT_CONTROLLER,
            .controller = { &c->decoded, &c->registers, board.slots ? &slots : NULL } });
}

void machine_emit(const struct run *run)
{
    struct event e = { .type = EVENT_MACHINE };
    struct event_cpu_kind kinds[CPU_KINDS];

    e.machine = (struct event_machine){
        .cpu = machine.cpu.brand,
        .cpus = machine.n_online,
        .nodes = machine.nodes.n_nodes,
        .ram_bytes = machine.ram_bytes,
        .testable_bytes = run->plan.tested_bytes,
        .installed_bytes = board.installed_bytes,
        .isa = run->selection.ops->name,
        .encryption = encryption_name(machine.encryption),
        .tsc_hz = tsc_hz(),
        .slots = board.slots,
        .kinds = kinds,
        .n_kinds = list_kinds(&run->plan, kinds),
    };
    e.machine.ecc = board.ecc;
    e.machine.repair = board.repair;
    e.machine.side_cache = platform.side_cache;
    e.machine.specific_bytes = bytes_of(BOOT_REGION_SPECIFIC);
    e.machine.n_warnings = notices_list(&e.machine.warnings);
    events_send(&e);
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++)
        emit_node(&run->plan, n);
    emit_modules();
    emit_controllers();
}

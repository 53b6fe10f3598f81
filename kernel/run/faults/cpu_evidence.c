// SPDX-License-Identifier: MIT
#include "faults/cpu_evidence.h"

#include <stdatomic.h>

#include "acpi/madt.h"
#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpus/smp.h"
#include "arch/tsc.h"
#include "cpudata/cpu_kind.h"
#include "event/notices.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "plan/share.h"
#include "self/self_check.h"
#include "sweep/line_ops.h"
#include "sweep/unit_check.h"

#define AT_ONCE 4 /* CPUs that check themselves */

#define EXAMINE_US  1000000
#define EXAMINE_MAX 50000 /* checks, some 20 us each */

#define FINE 512 /* parts of a zone, each with its last writer */

#define WAIT_US     UINT64_C(20000)
#define WAIT_ALL_US UINT64_C(500000)

enum { ASK_NONE, ASK_MADE, ASK_TAKEN, ASK_ANSWERED };

static struct {
    struct kind_cpu *cpu; /* by number */
    struct line *lines;   /* of AT_ONCE checks */
    uint64_t zone_bytes;
    _Atomic uint16_t *writer; /* of KIND_CPU_ZONES * FINE parts, and 1; 0: none yet */
    struct kind_cpu_work *work;
    struct {
        _Atomic uint32_t state;
        _Atomic bool has_asker;
        uint32_t core;
        uint64_t phys, word;
        _Atomic uint64_t waited_us; /* by all, in the run */
    } ask;
} evidence;

/* --- checks of themselves --------------------------------------------------------------------- */

struct checks {
    uint32_t n, cpu[AT_ONCE];
    const char *unit[AT_ONCE]; /* that failed */
};

static void check_itself(void *ctx, uint32_t cpu)
{
    struct checks *checks = ctx;
    struct cpu_features f = cpu_features_read();
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n = line_ops_list((struct line_features){ f.avx512, f.avx2, f.clflushopt }, ops);
    uint32_t i = 0;

    while (checks->cpu[i] != cpu)
        i++;
    checks->unit[i] = unit_check(ops, n, evidence.lines + i * UNIT_CHECK_LINES);
    evidence.cpu[cpu].core =
        machine.cpus[cpu]->apic_id >> cpu_identity_read(cpuid_call, NULL).thread_bits;
    evidence.cpu[cpu].checks++;
    evidence.cpu[cpu].failed += checks->unit[i] != NULL;
}

/* found: called for each that fails. */
static void check_all(void (*found)(uint32_t cpu, const char *unit))
{
    struct checks checks;

    for (uint32_t i = 0; i < machine.n_online;) {
        checks = (struct checks){ 0 };
        for (; checks.n < AT_ONCE && i < machine.n_online; i++) {
            if (!cpu_pool_detached() || machine.online[i] != cpu_pool_detached())
                checks.cpu[checks.n++] = machine.online[i];
        }
        if (checks.n)
            cpu_pool_run(checks.cpu, checks.n,
                         (struct cpu_pool_job){ check_itself, &checks, NULL });
        for (uint32_t k = 0; k < checks.n; k++) {
            if (checks.unit[k])
                found(checks.cpu[k], checks.unit[k]);
        }
    }
}

static void warn_at_start(uint32_t cpu, const char *unit)
{
    notice("cpu %u (APIC ID %u) computes wrong: its check of the %s unit failed: %s", cpu,
           machine.cpus[cpu]->apic_id, unit,
           cpu ? "it is left out of the run"
               : "it is the boot CPU, which cannot be left out; what is found may be its fault");
}

static void warn_later(uint32_t cpu, const char *unit)
{
    if (evidence.cpu[cpu].failed == 1)
        notice("cpu %u (APIC ID %u) computes wrong: its check of the %s unit failed during the "
               "run: what is found may be its fault",
               cpu, machine.cpus[cpu]->apic_id, unit);
}

void cpu_evidence_start(void)
{
    uint32_t n = 0;

    evidence.cpu = arena_alloc(machine.n_cpus * sizeof(*evidence.cpu));
    evidence.writer = arena_alloc(KIND_CPU_ZONES * FINE * sizeof(*evidence.writer));
    evidence.work = arena_alloc(sizeof(*evidence.work));
    evidence.lines = arena_alloc(AT_ONCE * UNIT_CHECK_LINES * sizeof(*evidence.lines));
    for (uint32_t i = 0; i < machine.n_cpus; i++)
        evidence.cpu[i].core = KIND_CPU_ABSENT;
    check_all(warn_at_start);
    for (uint32_t i = 0; i < machine.n_online; i++) {
        uint32_t cpu = machine.online[i];

        if (!cpu || !evidence.cpu[cpu].failed) {
            machine.online[n++] = cpu;
            continue;
        }
        smp_expel(machine.cpus[cpu], false);
        evidence.cpu[cpu].is_left_out = true;
    }
    machine.n_online = n;
}

void cpu_evidence_check(void)
{
    check_all(warn_later);
}

bool cpu_evidence_examine(uint32_t cpu, struct fmt_buffer *text)
{
    static struct line lines[UNIT_CHECK_LINES];
    struct cpu_features f = cpu_features_read();
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = line_ops_list((struct line_features){ f.avx512, f.avx2, f.clflushopt }, ops);
    uint64_t end = tsc_now() + tsc_from_us(EXAMINE_US);
    const char *failed = NULL, *unit;
    unsigned n = 0, n_failed = 0;

    do {
        unit = unit_check(ops, n_ops, lines);
        failed = unit ? unit : failed;
        n_failed += unit != NULL;
    } while (++n < EXAMINE_MAX && tsc_now() < end);
    if (failed)
        fmt_append(text,
                   "cpu %u computes wrong: its check of the %s unit failed in %u of %u tries; the "
                   "reason is this CPU, its settings, heat or power\n",
                   cpu, failed, n_failed, n);
    return failed != NULL;
}

/* --- exceptions, machine checks ----------------------------------------------------------------
 */

const char *cpu_evidence_explain(uint32_t cpu, const struct cpu_failure *failure)
{
    bool is_intact;
    const char *why = self_check_explain(cpu, failure, &is_intact);

    if (evidence.cpu)
        evidence.cpu[cpu].exceptions += is_intact && failure->is_flipped;
    return why;
}

void cpu_evidence_panic(bool is_flipped)
{
    if (evidence.cpu)
        evidence.cpu[0].exceptions += is_flipped;
}

void cpu_evidence_machine_check(const struct mca_record *r)
{
    if (r->cpu < machine.n_cpus && r->of_core && !r->from_before)
        evidence.cpu[r->cpu].errors += r->count;
}

/* --- who has read and written what ------------------------------------------------------------ */

void cpu_evidence_begin(const struct plan *plan, const struct id_set *cpus)
{
    uint64_t end = 0;

    for (uint32_t i = 1; i < machine.n_cpus; i++) /* the boot CPU controls the run */
        evidence.cpu[i].is_unused = !id_set_contains(cpus, i);

    for (size_t i = 0; i < plan->ram.n; i++)
        end = max_u64(end, span_end(plan->ram.piece[i].span));
    evidence.zone_bytes = align_up(end / KIND_CPU_ZONES + 1, FINE * PAGE_SIZE);
}

static void note_writer(uint32_t cpu, struct span s)
{
    uint64_t fine = evidence.zone_bytes / FINE;

    for (uint64_t i = s.base / fine; i * fine < span_end(s); i++)
        atomic_store_explicit(&evidence.writer[i], (uint16_t)(cpu + 1), memory_order_relaxed);
}

uint16_t cpu_evidence_writer(uint64_t phys, uint32_t cpu)
{
    uint64_t i = evidence.zone_bytes ? phys / (evidence.zone_bytes / FINE) : UINT64_MAX;
    uint16_t writer = 0;

    if (i < KIND_CPU_ZONES * FINE)
        writer = atomic_load_explicit(&evidence.writer[i], memory_order_relaxed);
    return writer ? writer - 1 : (uint16_t)cpu;
}

/* --- lines read again ------------------------------------------------------------------------- */

struct line cpu_evidence_read_line(uint64_t phys)
{
    struct slice slice = share_slice((struct span){ phys, sizeof(struct line) });
    struct line_run run = { .first = slice.virt, .phys = phys, .n_lines = 1 };

    line_ops_fence();
    line_ops_flush(&run, machine.cpu.clflushopt);
    return *slice.virt;
}

static uint64_t read_word(uint64_t phys)
{
    return cpu_evidence_read_line(align_down(phys, LINE_SIZE))
        .word[phys % LINE_SIZE / sizeof(uint64_t)];
}

static void answer(uint32_t cpu)
{
    uint32_t made = ASK_MADE;

    if (evidence.cpu[cpu].core == evidence.ask.core ||
        !atomic_compare_exchange_strong(&evidence.ask.state, &made, ASK_TAKEN))
        return;
    evidence.ask.word = read_word(evidence.ask.phys);
    atomic_store(&evidence.ask.state, ASK_ANSWERED);
}

void cpu_evidence_swept(uint32_t cpu, struct span slice, uint32_t n_ops, bool writes)
{
    struct kind_cpu *own = &evidence.cpu[cpu];

    for (struct span s = slice, part; s.size; s.base += part.size, s.size -= part.size) {
        uint64_t zone = s.base / evidence.zone_bytes;

        part = (struct span){ s.base, min_u64(s.size, (zone + 1) * evidence.zone_bytes - s.base) };
        own->bytes[zone] += part.size * n_ops;
    }
    if (writes)
        note_writer(cpu, slice);
    if (atomic_load_explicit(&evidence.ask.state, memory_order_relaxed) == ASK_MADE)
        answer(cpu);
}

/* True: another CPU has answered. One that took the question and was lost ends all questions. */
static bool wait_for_answer(void)
{
    uint64_t began = tsc_now(), end = began + tsc_from_us(WAIT_US);
    uint32_t made = ASK_MADE;

    while (tsc_now() < end && atomic_load(&evidence.ask.state) != ASK_ANSWERED)
        cpu_relax();
    atomic_fetch_add(&evidence.ask.waited_us,
                     tsc_elapsed_us_at(tsc_now()) - tsc_elapsed_us_at(began));
    if (atomic_load(&evidence.ask.state) == ASK_ANSWERED) {
        atomic_store(&evidence.ask.state, ASK_NONE);
        return true;
    }
    atomic_compare_exchange_strong(&evidence.ask.state, &made, ASK_NONE);
    return false;
}

/* False: nobody has answered. One question at a time. */
static bool ask_other(uint32_t cpu, uint64_t phys, uint64_t *ret_word)
{
    bool none = false, answered;

    if (machine.n_online < 2 || atomic_load(&evidence.ask.waited_us) > WAIT_ALL_US ||
        !atomic_compare_exchange_strong(&evidence.ask.has_asker, &none, true))
        return false;
    evidence.ask.core = evidence.cpu[cpu].core;
    evidence.ask.phys = phys;
    none = atomic_load(&evidence.ask.state) == ASK_NONE;
    if (none)
        atomic_store(&evidence.ask.state, ASK_MADE);
    answered = none && wait_for_answer();
    *ret_word = evidence.ask.word;
    atomic_store(&evidence.ask.has_asker, false);
    return answered;
}

/* An element that reads and writes has written the line before the fault is reported. */
enum fault_again cpu_evidence_read_again(uint32_t cpu, const struct fault *f)
{
    uint64_t own = read_word(f->addr), other;

    if (own == f->expected)
        return FAULT_AGAIN_RIGHT;
    if (own != f->found)
        return FAULT_AGAIN_UNKNOWN;
    if (ask_other(cpu, f->addr, &other) && other == f->expected)
        return FAULT_AGAIN_OTHER_RIGHT;
    return FAULT_AGAIN_WRONG;
}

/* --- what it comes to ------------------------------------------------------------------------- */

void cpu_evidence_others(uint32_t cpu, uint32_t nth, uint32_t ret_cpu[2])
{
    uint32_t n = 0;

    ret_cpu[0] = ret_cpu[1] = cpu;
    for (uint32_t i = 0; i < machine.n_online && n < 2; i++) {
        uint32_t other = machine.online[(nth + i) % machine.n_online];

        if (evidence.cpu[other].core == evidence.cpu[cpu].core ||
            (n && evidence.cpu[other].core == evidence.cpu[ret_cpu[0]].core) ||
            other == cpu_pool_detached())
            continue;
        ret_cpu[n++] = other;
    }
    if (n == 1)
        ret_cpu[1] = ret_cpu[0];
}

const struct kind_cpu *cpu_evidence_of(uint32_t cpu)
{
    return &evidence.cpu[cpu];
}

void cpu_evidence_find(struct kind_cpu_input *in, struct kind_cause_verdict *ret)
{
    const struct footprint *own = arena_footprint();

    in->cpu = evidence.cpu;
    in->n_cpus = machine.n_cpus;
    in->zone_bytes = evidence.zone_bytes;
    in->own_part = (double)(own->data.bytes + own->tables.bytes) / (double)machine.ram_bytes;
    kind_cpu_find(evidence.work, in, ret);
}

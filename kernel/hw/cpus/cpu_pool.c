// SPDX-License-Identifier: MIT
#include "cpus/cpu_pool.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/firmware_call.h"
#include "arch/lapic.h"
#include "arch/smp.h"
#include "arch/trap.h"
#include "arch/tsc.h"
#include "cpus/barrier.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/idle.h"
#include "lib/gap.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "memory/arena.h"

#define GROUP_CPUS_MAX 16
#define NO_GROUP       UINT32_MAX

#define IDLE_EVERY_US 20000
#define SPIN_US       100 /* a wait for another's section; a CPU that waits longer halts */

/* If the whole machine stood still (a debugger, firmware), no CPU is at fault. */
#define LOOK_COUNTS_US 1000000

enum cpu_pool_state {
    CPU_POOL_IDLE,
    CPU_POOL_WORKING,
    CPU_POOL_FAILED, /* by an exception, during work */
    CPU_POOL_FAILED_IDLE,
    CPU_POOL_LOST,
};

/* One or more cache lines for each CPU, so that waiting CPUs do not disturb working ones. */
struct cpu_slot {
    _Alignas(64) _Atomic bool given;
    _Atomic bool halted; /* at the barrier */
    _Atomic uint32_t state;
    _Atomic uint64_t awaited; /* the number of the step that it waits for at the barrier */
    _Atomic bool waiting;     /* for that step */
    _Atomic uint64_t beats;
    uint32_t barriers;              /* at which it has arrived, in the current work */
    uint32_t group, next;           /* of the barrier; the group's next CPU, in a ring */
    bool detached;                  /* written by the boot CPU while this one is idle */
    struct cpu_failure failure;     /* written by the CPU before it counts as failed */
    uint64_t seen_beats, silent_us; /* the boot CPU's */
};

static struct percpu **cpu_pool_cpus;
static uint32_t n_cpus_known;
static struct cpu_slot *slots;
static void (*cpu_pool_idle)(void);
static cpu_pool_explain explain;
static uint32_t n_lost, n_accepted;

/* The current work: written by the boot CPU before the slots are assigned. */
static cpu_pool_work current_work;
static void *current_ctx;
static uint32_t *current_cpus;
static uint32_t n_current;
static uint64_t current_hang_us; /* the longest time without a heartbeat */
static _Atomic uint32_t working; /* of current_cpus */
static _Atomic bool aborted;
static uint64_t last_look;

/* The work of a CPU that is detached. */
static cpu_pool_work detached_work;
static void *detached_ctx;
static uint32_t detached_cpu; /* or was; 0: none yet */
static uint64_t detached_hang_us;

/* A group is of one node. */
static struct barrier barrier;
static uint32_t *group_first;       /* CPU */
static _Atomic uint32_t n_at_halts; /* CPUs that halt at the barrier */

static bool give_up(const struct trap_frame *frame)
{
    uint32_t cpu = percpu_self()->number, at_work = CPU_POOL_WORKING;
    struct cpu_slot *mine;

    if (cpu == 0 || !slots)
        return false;
    mine = &slots[cpu];
    mine->failure = (struct cpu_failure){ frame->vector, frame->rip, cr2_read() };
    if (atomic_compare_exchange_strong(&mine->state, &at_work, CPU_POOL_FAILED))
        atomic_store(&aborted, true); /* the boot CPU may be waiting for it in its own work */
    else if (at_work == CPU_POOL_IDLE)
        atomic_store(&mine->state, CPU_POOL_FAILED_IDLE);
    lapic_send_wake(cpu_pool_cpus[0]->apic_id);
    return true;
}

void cpu_pool_poll(void)
{
    cpu_pool_idle();
}

void cpu_pool_init(struct percpu **cpus, uint32_t n_cpus, void (*idle)(void),
                   cpu_pool_explain explain_failure)
{
    explain = explain_failure;
    cpu_pool_cpus = cpus;
    n_cpus_known = n_cpus;
    cpu_pool_idle = idle;
    slots = arena_alloc(n_cpus * sizeof(*slots));
    current_cpus = arena_alloc(n_cpus * sizeof(*current_cpus));
    group_first = arena_alloc(n_cpus * sizeof(*group_first));
    barrier.group = arena_alloc(n_cpus * sizeof(*barrier.group));
    trap_set_give_up(give_up);
    mca_prepare(n_cpus);
}

/* False: given up as lost meanwhile. */
static bool end_work(uint32_t cpu)
{
    uint32_t at_work = CPU_POOL_WORKING;
    bool counts = !slots[cpu].detached;

    if (!atomic_compare_exchange_strong(&slots[cpu].state, &at_work, CPU_POOL_IDLE))
        return false;
    if (counts)
        atomic_fetch_sub(&working, 1);
    return true;
}

void cpu_pool_serve(struct percpu *cpu)
{
    struct cpu_slot *mine = &slots[cpu->number];

    mca_enable();
    for (;;) {
        while (!atomic_load(&mine->given))
            cpu_halt_until_interrupt();
        atomic_store(&mine->given, false);
        cpu_pool_heartbeat(cpu->number);
        if (mine->detached)
            detached_work(detached_ctx, cpu->number);
        else
            current_work(current_ctx, cpu->number);
        if (!end_work(cpu->number))
            cpu_stop();
        if (!atomic_load(&working))
            lapic_send_wake(cpu_pool_cpus[0]->apic_id);
    }
}

void cpu_pool_heartbeat(uint32_t cpu)
{
    struct cpu_slot *mine = &slots[cpu];

    if (atomic_load_explicit(&mine->state, memory_order_relaxed) == CPU_POOL_LOST)
        cpu_stop();
    /* Only this CPU writes it. */
    atomic_store_explicit(&mine->beats,
                          atomic_load_explicit(&mine->beats, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    mca_poll();
}

bool cpu_pool_is_aborted(void)
{
    return atomic_load_explicit(&aborted, memory_order_relaxed);
}

void cpu_pool_acknowledge_lost(void)
{
    n_accepted = n_lost;
    atomic_store(&aborted, false);
}

bool cpu_pool_has_lost(uint32_t cpu)
{
    return atomic_load(&slots[cpu].state) == CPU_POOL_LOST;
}

uint32_t cpu_pool_count_lost(void)
{
    return n_lost;
}

bool cpu_pool_has_new_losses(void)
{
    return n_lost != n_accepted;
}

static void wake_halted(uint32_t self)
{
    for (uint32_t i = 0; i < n_current; i++) {
        if (current_cpus[i] != self && atomic_load(&slots[current_cpus[i]].halted))
            lapic_send_wake(cpu_pool_cpus[current_cpus[i]]->apic_id);
    }
}

static void warn_of_loss(uint32_t cpu, uint32_t state)
{
    const struct cpu_failure *f = &slots[cpu].failure;

    if (state == CPU_POOL_WORKING)
        notice("cpu %u (APIC ID %u): no progress for %lu s: disabled; its work is redistributed",
               cpu, cpu_pool_cpus[cpu]->apic_id, (unsigned long)(slots[cpu].silent_us / 1000000));
    else
        notice("cpu %u (APIC ID %u): exception %lu (%s) at rip 0x%lx, cr2 0x%lx, %s: disabled; "
               "its work is redistributed",
               cpu, cpu_pool_cpus[cpu]->apic_id, f->vector, trap_name(f->vector), f->rip,
               f->address, explain(cpu, f));
}

/* Takes a CPU out for good, unless it has just ended its work. */
static void lose(uint32_t cpu, uint32_t state)
{
    struct cpu_slot *its = &slots[cpu];
    uint32_t was = state;

    if (!atomic_compare_exchange_strong(&its->state, &was, CPU_POOL_LOST))
        return;
    smp_expel(cpu_pool_cpus[cpu], firmware_call_is_of(cpu_pool_cpus[cpu]));
    n_lost++;
    atomic_store(&aborted, true);
    if (state != CPU_POOL_FAILED_IDLE && !its->detached)
        atomic_fetch_sub(&working, 1);
    wake_halted(0);
    trace_send(&(struct event_trace){
        .what = OPTION_TRACE_CPUS,
        .state = state == CPU_POOL_WORKING ? "hung" : "failed",
        .cpu = cpu,
        .apic_id = cpu_pool_cpus[cpu]->apic_id,
    });
    warn_of_loss(cpu, state);
}

static uint64_t hang_us_of(struct cpu_slot *its)
{
    if (atomic_load(&its->given))
        return CPU_POOL_HANG_US;
    return its->detached ? detached_hang_us : current_hang_us;
}

static bool is_silent(struct cpu_slot *its, uint64_t us)
{
    uint64_t beats = atomic_load(&its->beats);
    bool waits = atomic_load(&its->waiting) &&
                 barrier_done(&barrier, its->group) <= atomic_load(&its->awaited);

    if (waits || beats != its->seen_beats) {
        its->seen_beats = beats;
        its->silent_us = 0;
        return false;
    }
    its->silent_us += us;
    return its->silent_us >= hang_us_of(its);
}

/* Finds CPUs that have failed or make no progress. */
static void watchdog(void)
{
    uint64_t most = tsc_from_us(LOOK_COUNTS_US);
    uint64_t us = gap_counted(&last_look, tsc_now(), most) * LOOK_COUNTS_US / most;

    for (uint32_t cpu = 0; cpu < n_cpus_known; cpu++) {
        uint32_t state = atomic_load(&slots[cpu].state);

        if (state == CPU_POOL_FAILED || state == CPU_POOL_FAILED_IDLE ||
            (cpu != 0 && state == CPU_POOL_WORKING && is_silent(&slots[cpu], us)))
            lose(cpu, state);
    }
}

void cpu_pool_wait(uint32_t cpu)
{
    cpu_pool_heartbeat(cpu);
    if (cpu == 0 && tsc_now() - last_look >= tsc_from_us(IDLE_EVERY_US))
        watchdog();
}

/* What the boot CPU does each time before it waits. */
static void while_waiting(void)
{
    watchdog();
    mca_poll();
    cpu_pool_idle();
}

static uint32_t node_of(uint32_t cpu)
{
    return machine.cpu_node ? machine.cpu_node[cpu] : 0; /* not known yet */
}

/* Puts a CPU into the latest group of its node, or into a new one. */
static void join_group(uint32_t cpu, uint32_t parts, uint32_t *latest, uint32_t *n_groups)
{
    uint32_t *group = &latest[node_of(cpu)];

    if (*group == NO_GROUP || barrier.group[*group].n_members == parts * GROUP_CPUS_MAX) {
        *group = (*n_groups)++;
        barrier.group[*group].n_members = 0;
        group_first[*group] = cpu;
        slots[cpu].next = cpu;
    }
    barrier.group[*group].n_members += parts;
    slots[cpu].group = *group;
    slots[cpu].next = slots[group_first[*group]].next;
    slots[group_first[*group]].next = cpu;
}

static void make_groups(uint32_t parts)
{
    uint32_t latest[NODES_MAX], n_groups = 0;

    for (uint32_t node = 0; node < NODES_MAX; node++)
        latest[node] = NO_GROUP;
    for (uint32_t i = 0; i < n_current; i++)
        join_group(current_cpus[i], parts, latest, &n_groups);
    barrier_begin(&barrier, n_groups);
    atomic_store(&n_at_halts, 0);
}

/* Lists the CPUs that can work, and makes them count as working. */
static void assign(const uint32_t *numbers, uint32_t n, uint32_t parts)
{
    last_look = tsc_now();
    n_current = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct cpu_slot *its = &slots[numbers[i]];
        uint32_t idle = CPU_POOL_IDLE;

        if (!atomic_compare_exchange_strong(&its->state, &idle, CPU_POOL_WORKING)) {
            ASSERT(idle != CPU_POOL_WORKING);
            if (idle == CPU_POOL_FAILED_IDLE)
                lose(numbers[i], idle);
            continue;
        }
        atomic_store(&its->waiting, false);
        its->barriers = 0;
        its->detached = false;
        its->seen_beats = atomic_load(&its->beats);
        its->silent_us = 0;
        current_cpus[n_current++] = numbers[i];
    }
    make_groups(parts);
    atomic_store(&working, n_current);
}

/* By the CPUs that work was assigned to. */
static void run(cpu_pool_work work, void *ctx, uint64_t hang_us)
{
    bool boot_cpu_too = false;

    current_work = work;
    current_ctx = ctx;
    current_hang_us = hang_us;
    for (uint32_t i = 0; i < n_current; i++) {
        uint32_t cpu = current_cpus[i];

        if (cpu == 0) {
            boot_cpu_too = true;
            continue;
        }
        atomic_store(&slots[cpu].given, true);
        lapic_send_wake(cpu_pool_cpus[cpu]->apic_id);
    }
    if (boot_cpu_too) {
        work(ctx, 0);
        end_work(0);
    }
    while (atomic_load(&working)) {
        while_waiting();
        if (atomic_load(&working)) /* its end wakes us: interrupts are off until we halt */
            idle_wait(IDLE_EVERY_US);
    }
    if (cpu_pool_is_aborted() && !cpu_pool_has_new_losses())
        watchdog(); /* a detached CPU has failed */
    /* Aborted work must never pass as done. */
    ASSERT(!cpu_pool_is_aborted() || cpu_pool_has_new_losses());
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, cpu_pool_work work, void *ctx)
{
    assign(numbers, n, 1);
    run(work, ctx, CPU_POOL_STEP_US);
}

void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, cpu_pool_work work, void *ctx)
{
    assign(numbers, n, 1);
    run(work, ctx, CPU_POOL_HANG_US);
}

void cpu_pool_run_steps(const uint32_t *numbers, uint32_t n, uint32_t parts, cpu_pool_work work,
                        void *ctx)
{
    assign(numbers, n, parts);
    run(work, ctx, CPU_POOL_HANG_US);
}

void cpu_pool_detach(uint32_t cpu, uint64_t hang_us, cpu_pool_work work, void *ctx)
{
    struct cpu_slot *its = &slots[cpu];
    uint32_t idle = CPU_POOL_IDLE;

    ASSERT(cpu != 0 && !cpu_pool_detached());
    if (!atomic_compare_exchange_strong(&its->state, &idle, CPU_POOL_WORKING))
        return; /* it has failed, and will be lost */
    detached_work = work;
    detached_ctx = ctx;
    detached_cpu = cpu;
    detached_hang_us = hang_us;
    atomic_store(&its->waiting, false);
    its->detached = true;
    its->seen_beats = atomic_load(&its->beats);
    its->silent_us = 0;
    atomic_store(&its->given, true);
    lapic_send_wake(cpu_pool_cpus[cpu]->apic_id);
}

uint32_t cpu_pool_detached(void)
{
    const struct cpu_slot *its = &slots[detached_cpu];
    uint32_t state = atomic_load(&its->state);

    return its->detached && (state == CPU_POOL_WORKING || state == CPU_POOL_FAILED) ? detached_cpu
                                                                                    : 0;
}

static bool is_held(const struct cpu_slot *mine, uint64_t number)
{
    return barrier_done(&barrier, mine->group) <= number && !atomic_load(&aborted);
}

static void wait_for_interrupt(uint32_t cpu)
{
    if (cpu == 0)
        idle_wait(IDLE_EVERY_US);
    else
        cpu_halt_until_interrupt();
}

static void wait_for_others(uint32_t cpu, uint64_t number)
{
    struct cpu_slot *mine = &slots[cpu];
    uint64_t spin_end = tsc_now() + tsc_from_us(SPIN_US);

    while (is_held(mine, number) && tsc_now() < spin_end)
        cpu_relax();
    if (!is_held(mine, number))
        return;
    atomic_fetch_add(&n_at_halts, 1);
    atomic_store(&mine->halted, true);
    while (is_held(mine, number)) {
        if (cpu == 0)
            while_waiting();
        if (is_held(mine, number)) /* the release wakes us: interrupts are off until we halt */
            wait_for_interrupt(cpu);
    }
    atomic_store(&mine->halted, false);
    atomic_fetch_sub(&n_at_halts, 1);
}

bool cpu_pool_count_step(uint32_t of, uint32_t step)
{
    return barrier_arrive(&barrier, slots[of].group, barrier.first + step);
}

void cpu_pool_release_step(uint32_t cpu, uint32_t step)
{
    barrier_release(&barrier, barrier.first + step);
    if (atomic_load(&n_at_halts))
        wake_halted(cpu);
}

uint32_t cpu_pool_steps_done(uint32_t cpu)
{
    return (uint32_t)(barrier_done(&barrier, slots[cpu].group) - barrier.first);
}

void cpu_pool_wait_step(uint32_t cpu, uint32_t step)
{
    struct cpu_slot *mine = &slots[cpu];

    cpu_pool_heartbeat(cpu);
    atomic_store(&mine->awaited, barrier.first + step);
    atomic_store(&mine->waiting, true);
    wait_for_others(cpu, barrier.first + step);
    atomic_store(&mine->waiting, false);
}

uint32_t cpu_pool_next_of_group(uint32_t cpu)
{
    return slots[cpu].next;
}

void cpu_pool_barrier(uint32_t cpu)
{
    uint32_t step = slots[cpu].barriers++;

    cpu_pool_heartbeat(cpu);
    if (cpu_pool_is_aborted())
        return;
    if (cpu_pool_count_step(cpu, step))
        cpu_pool_release_step(cpu, step);
    else
        cpu_pool_wait_step(cpu, step);
}

// SPDX-License-Identifier: MIT
#include "cpus/cpu_pool.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/firmware_call.h"
#include "arch/image.h"
#include "arch/lapic.h"
#include "arch/paging.h"
#include "arch/trap.h"
#include "arch/tsc.h"
#include "cpus/smp.h"
#include "cpus/steps.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/idle.h"
#include "kind/kind_cpu.h"
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
    _Atomic bool halted; /* at the barrier, or held */
    _Atomic bool held;
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

/* The work of a CPU that is detached. */
struct detached {
    cpu_pool_work work;
    void *ctx;
    uint32_t cpu; /* or was; 0: none yet */
    uint64_t hang_us;
};

static struct {
    struct barrier barrier; /* a group is of one node */
    struct percpu **cpus;   /* by number */
    uint32_t n_cpus;
    struct cpu_slot *slots; /* by CPU; NULL: before cpu_pool_init */
    cpu_pool_explain explain;
    uint32_t n_lost, n_accepted;
    uint64_t last_look;
    struct detached detached;

    /* The current job: written by the boot CPU before the slots are assigned. */
    struct cpu_pool_job job;
    uint32_t *numbers; /* of the CPUs that do it */
    uint32_t n;
    uint64_t hang_us;         /* the longest time without a heartbeat */
    _Atomic uint32_t working; /* of these CPUs */
    _Atomic bool aborted;
    _Atomic bool is_held;

    uint32_t *group_first;       /* the first CPU of each group */
    _Atomic uint32_t n_at_halts; /* CPUs that halt at the barrier */
} pool;

#define VECTOR_PAGE_FAULT 14
#define CANONICAL_BITS    48

static bool is_canonical(uint64_t address)
{
    uint64_t high = address >> (CANONICAL_BITS - 1);

    return !high || high == UINT64_MAX >> (CANONICAL_BITS - 1);
}

/* A page fault's is in CR2; one that is not canonical is in a register. */
static bool has_flipped_address(const struct trap_frame *f)
{
    const struct span own[] = {
        { (uint64_t)image_start, (uint64_t)(image_end - image_start) },
        { ARENA_BASE, arena_footprint()->data.bytes },
    };
    const uint64_t held[] = { f->rax, f->rbx, f->rcx, f->rdx, f->rsi, f->rdi, f->rbp, f->r8, f->r9,
                              f->r10, f->r11, f->r12, f->r13, f->r14, f->r15, f->rip, f->rsp };

    if (f->vector == VECTOR_PAGE_FAULT)
        return kind_cpu_is_flipped(cr2_read(), own, 2);
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        if (!is_canonical(held[i]) && kind_cpu_is_flipped(held[i], own, 2))
            return true;
    }
    return false;
}

static bool give_up(const struct trap_frame *frame)
{
    uint32_t cpu = percpu_self()->number, at_work = CPU_POOL_WORKING;
    struct cpu_slot *mine;

    if (!pool.slots)
        return false;
    mine = &pool.slots[cpu];
    mine->failure =
        (struct cpu_failure){ frame->vector, frame->rip, cr2_read(), has_flipped_address(frame) };
    if (cpu == 0)
        return false;
    if (atomic_compare_exchange_strong(&mine->state, &at_work, CPU_POOL_FAILED))
        atomic_store(&pool.aborted, true); /* the boot CPU may be waiting for it in its own work */
    else if (at_work == CPU_POOL_IDLE)
        atomic_store(&mine->state, CPU_POOL_FAILED_IDLE);
    lapic_send_wake(pool.cpus[0]->apic_id);
    return true;
}

void cpu_pool_init(struct percpu **cpus, uint32_t n_cpus, cpu_pool_explain explain)
{
    pool.explain = explain;
    pool.cpus = cpus;
    pool.n_cpus = n_cpus;
    pool.slots = arena_alloc(n_cpus * sizeof(*pool.slots));
    pool.numbers = arena_alloc(n_cpus * sizeof(*pool.numbers));
    pool.group_first = arena_alloc(n_cpus * sizeof(*pool.group_first));
    pool.barrier.group = arena_alloc(n_cpus * sizeof(*pool.barrier.group));
    trap_set_give_up(give_up);
    mca_prepare(n_cpus);
}

/* False: given up as lost meanwhile. */
static bool end_work(uint32_t cpu)
{
    uint32_t at_work = CPU_POOL_WORKING;
    bool counts = !pool.slots[cpu].detached;

    if (!atomic_compare_exchange_strong(&pool.slots[cpu].state, &at_work, CPU_POOL_IDLE))
        return false;
    if (counts)
        atomic_fetch_sub(&pool.working, 1);
    return true;
}

void cpu_pool_serve(struct percpu *cpu)
{
    struct cpu_slot *mine = &pool.slots[cpu->number];

    mca_enable();
    for (;;) {
        while (!atomic_load(&mine->given))
            cpu_halt_until_interrupt();
        atomic_store(&mine->given, false);
        cpu_pool_heartbeat(cpu->number);
        if (mine->detached)
            pool.detached.work(pool.detached.ctx, cpu->number);
        else
            pool.job.work(pool.job.ctx, cpu->number);
        if (!end_work(cpu->number))
            cpu_stop();
        if (!atomic_load(&pool.working))
            lapic_send_wake(pool.cpus[0]->apic_id);
    }
}

void cpu_pool_heartbeat(uint32_t cpu)
{
    struct cpu_slot *mine = &pool.slots[cpu];

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
    return atomic_load_explicit(&pool.aborted, memory_order_relaxed);
}

void cpu_pool_acknowledge_lost(void)
{
    pool.n_accepted = pool.n_lost;
    atomic_store(&pool.aborted, false);
}

bool cpu_pool_has_lost(uint32_t cpu)
{
    return atomic_load(&pool.slots[cpu].state) == CPU_POOL_LOST;
}

uint32_t cpu_pool_count_lost(void)
{
    return pool.n_lost;
}

const struct cpu_failure *cpu_pool_boot_failure(void)
{
    return pool.slots && pool.slots[0].failure.rip ? &pool.slots[0].failure : NULL;
}

bool cpu_pool_has_new_losses(void)
{
    return pool.n_lost != pool.n_accepted;
}

static void wake_halted(uint32_t self)
{
    for (uint32_t i = 0; i < pool.n; i++) {
        if (pool.numbers[i] != self && atomic_load(&pool.slots[pool.numbers[i]].halted))
            lapic_send_wake(pool.cpus[pool.numbers[i]]->apic_id);
    }
}

static void warn_of_loss(uint32_t cpu, uint32_t state)
{
    const struct cpu_failure *f = &pool.slots[cpu].failure;

    if (state == CPU_POOL_WORKING)
        notice("cpu %u (APIC ID %u): no progress for %lu s: disabled; its work is redistributed",
               cpu, pool.cpus[cpu]->apic_id, (unsigned long)(pool.slots[cpu].silent_us / 1000000));
    else
        notice("cpu %u (APIC ID %u): exception %lu (%s) at rip 0x%lx, cr2 0x%lx, %s: disabled; "
               "its work is redistributed",
               cpu, pool.cpus[cpu]->apic_id, f->vector, trap_name(f->vector), f->rip, f->address,
               pool.explain(cpu, f));
}

/* Takes a CPU out for good, unless it has just ended its work. */
static void lose(uint32_t cpu, uint32_t state)
{
    struct cpu_slot *its = &pool.slots[cpu];
    uint32_t was = state;

    if (!atomic_compare_exchange_strong(&its->state, &was, CPU_POOL_LOST))
        return;
    smp_expel(pool.cpus[cpu], firmware_call_is_of(pool.cpus[cpu]));
    pool.n_lost++;
    atomic_store(&pool.aborted, true);
    if (state != CPU_POOL_FAILED_IDLE && !its->detached)
        atomic_fetch_sub(&pool.working, 1);
    wake_halted(0);
    trace_send(&(struct event_trace){
        .what = OPTION_TRACE_CPUS,
        .state = state == CPU_POOL_WORKING ? "hung" : "failed",
        .cpu = cpu,
        .apic_id = pool.cpus[cpu]->apic_id,
    });
    warn_of_loss(cpu, state);
}

static uint64_t hang_us_of(struct cpu_slot *its)
{
    if (atomic_load(&its->given))
        return CPU_POOL_HANG_US;
    return its->detached ? pool.detached.hang_us : pool.hang_us;
}

static bool is_silent(struct cpu_slot *its, uint64_t us)
{
    uint64_t beats = atomic_load(&its->beats);
    bool waits = atomic_load(&its->held) ||
                 (atomic_load(&its->waiting) &&
                  barrier_done(&pool.barrier, its->group) <= atomic_load(&its->awaited));

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
    uint64_t us = gap_counted(&pool.last_look, tsc_now(), most) * LOOK_COUNTS_US / most;

    for (uint32_t cpu = 0; cpu < pool.n_cpus; cpu++) {
        uint32_t state = atomic_load(&pool.slots[cpu].state);

        if (state == CPU_POOL_FAILED || state == CPU_POOL_FAILED_IDLE ||
            (cpu != 0 && state == CPU_POOL_WORKING && is_silent(&pool.slots[cpu], us)))
            lose(cpu, state);
    }
}

void cpu_pool_wait(uint32_t cpu)
{
    cpu_pool_heartbeat(cpu);
    if (cpu == 0 && tsc_now() - pool.last_look >= tsc_from_us(IDLE_EVERY_US))
        watchdog();
}

/* What the boot CPU does each time before it waits. */
static void while_waiting(void)
{
    watchdog();
    mca_poll();
    if (pool.job.poll)
        cpu_poll(pool.job.poll);
}

static uint32_t node_of(uint32_t cpu)
{
    return machine.cpu_node ? machine.cpu_node[cpu] : 0; /* not known yet */
}

/* Puts a CPU into the latest group of its node, or into a new one. */
static void join_group(uint32_t cpu, uint32_t parts, uint32_t *latest, uint32_t *n_groups)
{
    uint32_t *group = &latest[node_of(cpu)];

    if (*group == NO_GROUP || pool.barrier.group[*group].n_members == parts * GROUP_CPUS_MAX) {
        *group = (*n_groups)++;
        pool.barrier.group[*group].n_members = 0;
        pool.group_first[*group] = cpu;
        pool.slots[cpu].next = cpu;
    }
    pool.barrier.group[*group].n_members += parts;
    pool.slots[cpu].group = *group;
    pool.slots[cpu].next = pool.slots[pool.group_first[*group]].next;
    pool.slots[pool.group_first[*group]].next = cpu;
}

static void make_groups(uint32_t parts)
{
    uint32_t latest[NODES_MAX], n_groups = 0;

    for (uint32_t node = 0; node < NODES_MAX; node++)
        latest[node] = NO_GROUP;
    for (uint32_t i = 0; i < pool.n; i++)
        join_group(pool.numbers[i], parts, latest, &n_groups);
    barrier_begin(&pool.barrier, n_groups);
    atomic_store(&pool.n_at_halts, 0);
}

/* Lists the CPUs that can work, and makes them count as working. */
static void assign(const uint32_t *numbers, uint32_t n, uint32_t parts)
{
    pool.last_look = tsc_now();
    pool.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct cpu_slot *its = &pool.slots[numbers[i]];
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
        pool.numbers[pool.n++] = numbers[i];
    }
    make_groups(parts);
    atomic_store(&pool.working, pool.n);
}

/* By the CPUs that work was assigned to. */
static void run(struct cpu_pool_job job, uint64_t hang_us)
{
    bool boot_cpu_too = false;

    pool.job = job;
    pool.hang_us = hang_us;
    for (uint32_t i = 0; i < pool.n; i++) {
        uint32_t cpu = pool.numbers[i];

        if (cpu == 0) {
            boot_cpu_too = true;
            continue;
        }
        atomic_store(&pool.slots[cpu].given, true);
        lapic_send_wake(pool.cpus[cpu]->apic_id);
    }
    if (boot_cpu_too) {
        job.work(job.ctx, 0);
        end_work(0);
    }
    while (atomic_load(&pool.working)) {
        while_waiting();
        if (atomic_load(&pool.working)) /* its end wakes us: interrupts are off until we halt */
            idle_wait(IDLE_EVERY_US);
    }
    if (cpu_pool_is_aborted() && !cpu_pool_has_new_losses())
        watchdog(); /* a detached CPU has failed */
    /* Aborted work must never pass as done. */
    ASSERT(!cpu_pool_is_aborted() || cpu_pool_has_new_losses());
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    assign(numbers, n, 1);
    run(job, CPU_POOL_STEP_US);
}

void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    assign(numbers, n, 1);
    run(job, CPU_POOL_HANG_US);
}

void cpu_pool_run_steps(const uint32_t *numbers, uint32_t n, uint32_t parts,
                        struct cpu_pool_job job)
{
    assign(numbers, n, parts);
    run(job, CPU_POOL_HANG_US);
}

void cpu_pool_detach(uint32_t cpu, uint64_t hang_us, cpu_pool_work work, void *ctx)
{
    struct cpu_slot *its = &pool.slots[cpu];
    uint32_t idle = CPU_POOL_IDLE;

    ASSERT(cpu != 0 && !cpu_pool_detached());
    if (!atomic_compare_exchange_strong(&its->state, &idle, CPU_POOL_WORKING))
        return; /* it has failed, and will be lost */
    pool.detached = (struct detached){ work, ctx, cpu, hang_us };
    atomic_store(&its->waiting, false);
    its->detached = true;
    its->seen_beats = atomic_load(&its->beats);
    its->silent_us = 0;
    atomic_store(&its->given, true);
    lapic_send_wake(pool.cpus[cpu]->apic_id);
}

uint32_t cpu_pool_detached(void)
{
    const struct cpu_slot *its = &pool.slots[pool.detached.cpu];
    uint32_t state = atomic_load(&its->state);

    return its->detached && (state == CPU_POOL_WORKING || state == CPU_POOL_FAILED)
               ? pool.detached.cpu
               : 0;
}

static bool is_held(const struct cpu_slot *mine, uint64_t number)
{
    return barrier_done(&pool.barrier, mine->group) <= number && !atomic_load(&pool.aborted);
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
    struct cpu_slot *mine = &pool.slots[cpu];
    uint64_t spin_end = tsc_now() + tsc_from_us(SPIN_US);

    while (is_held(mine, number) && tsc_now() < spin_end)
        cpu_relax();
    if (!is_held(mine, number))
        return;
    atomic_fetch_add(&pool.n_at_halts, 1);
    atomic_store(&mine->halted, true);
    while (is_held(mine, number)) {
        if (cpu == 0)
            while_waiting();
        if (is_held(mine, number)) /* the release wakes us: interrupts are off until we halt */
            wait_for_interrupt(cpu);
    }
    atomic_store(&mine->halted, false);
    atomic_fetch_sub(&pool.n_at_halts, 1);
}

bool cpu_pool_count_step(uint32_t of, uint32_t step)
{
    return barrier_arrive(&pool.barrier, pool.slots[of].group, pool.barrier.first + step);
}

void cpu_pool_release_step(uint32_t cpu, uint32_t step)
{
    barrier_release(&pool.barrier, pool.barrier.first + step);
    if (atomic_load(&pool.n_at_halts))
        wake_halted(cpu);
}

uint32_t cpu_pool_steps_done(uint32_t cpu)
{
    return (uint32_t)(barrier_done(&pool.barrier, pool.slots[cpu].group) - pool.barrier.first);
}

void cpu_pool_wait_step(uint32_t cpu, uint32_t step)
{
    struct cpu_slot *mine = &pool.slots[cpu];

    cpu_pool_heartbeat(cpu);
    atomic_store(&mine->awaited, pool.barrier.first + step);
    atomic_store(&mine->waiting, true);
    wait_for_others(cpu, pool.barrier.first + step);
    atomic_store(&mine->waiting, false);
}

void cpu_pool_hold(bool is_held)
{
    atomic_store(&pool.is_held, is_held);
    if (!is_held)
        wake_halted(0);
}

static bool must_stay(void)
{
    return atomic_load(&pool.is_held) && !atomic_load(&pool.aborted);
}

void cpu_pool_pass(uint32_t cpu)
{
    struct cpu_slot *mine = &pool.slots[cpu];

    if (!atomic_load_explicit(&pool.is_held, memory_order_relaxed))
        return;
    atomic_store(&mine->held, true);
    atomic_store(&mine->halted, true);
    while (must_stay()) {
        if (cpu == 0)
            while_waiting();
        if (must_stay()) /* the end of it wakes us: interrupts are off until we halt */
            wait_for_interrupt(cpu);
    }
    atomic_store(&mine->halted, false);
    atomic_store(&mine->held, false);
    cpu_pool_heartbeat(cpu);
}

uint32_t cpu_pool_next_of_group(uint32_t cpu)
{
    return pool.slots[cpu].next;
}

void cpu_pool_barrier(uint32_t cpu)
{
    uint32_t step = pool.slots[cpu].barriers++;

    cpu_pool_heartbeat(cpu);
    if (cpu_pool_is_aborted())
        return;
    if (cpu_pool_count_step(cpu, step))
        cpu_pool_release_step(cpu, step);
    else
        cpu_pool_wait_step(cpu, step);
}

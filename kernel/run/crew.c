#include "run/crew.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/lapic.h"
#include "arch/tsc.h"
#include "memory/arena.h"

#define IDLE_EVERY_US 20000
#define SPIN_US       200 /* a barrier's usual wait; whoever waits longer halts */

/* One cache line a CPU, so that waiting CPUs do not disturb working ones. */
struct order {
    _Alignas(64) _Atomic bool given;
    _Atomic bool halted; /* at the barrier */
};

static struct percpu **crew_cpus;
static struct order *orders;
static void (*crew_idle)(void);

/* The work at hand: written by the boot CPU before the orders are given. */
static crew_work current_work;
static void *current_ctx;
static const uint32_t *current_cpus;
static uint32_t n_current;
static _Atomic uint32_t working;

/* Of the work at hand. */
static _Atomic uint32_t barrier_arrived, barrier_round;

void crew_init(struct percpu **cpus, uint32_t n_cpus, void (*idle)(void))
{
    crew_cpus = cpus;
    crew_idle = idle;
    orders = arena_alloc(n_cpus * sizeof(*orders));
}

void crew_serve(struct percpu *cpu)
{
    struct order *mine = &orders[cpu->number];

    for (;;) {
        while (!atomic_load(&mine->given))
            cpu_halt_until_interrupt();
        atomic_store(&mine->given, false);
        current_work(current_ctx, cpu->number);
        if (atomic_fetch_sub(&working, 1) == 1)
            lapic_send_wake(crew_cpus[0]->apic_id);
    }
}

/* What the boot CPU does each time before it halts. */
static void watch_over(void)
{
    crew_idle();
    lapic_timer_in_us(IDLE_EVERY_US);
}

void crew_run(const uint32_t *numbers, uint32_t n, crew_work work, void *ctx)
{
    bool boot_cpu_too = false;

    current_work = work;
    current_ctx = ctx;
    current_cpus = numbers;
    n_current = n;
    atomic_store(&working, n);
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] == 0) {
            boot_cpu_too = true;
            continue;
        }
        atomic_store(&orders[numbers[i]].given, true);
        lapic_send_wake(crew_cpus[numbers[i]]->apic_id);
    }
    if (boot_cpu_too) {
        work(ctx, 0);
        atomic_fetch_sub(&working, 1);
    }
    while (atomic_load(&working)) {
        watch_over();
        if (atomic_load(&working)) /* its end wakes us: interrupts are off until we halt */
            cpu_halt_until_interrupt();
    }
}

static void wake_halted(uint32_t self)
{
    for (uint32_t i = 0; i < n_current; i++) {
        if (current_cpus[i] != self && atomic_load(&orders[current_cpus[i]].halted))
            lapic_send_wake(crew_cpus[current_cpus[i]]->apic_id);
    }
}

void crew_barrier(uint32_t cpu)
{
    uint32_t round = atomic_load(&barrier_round);
    uint64_t spin_end;

    if (atomic_fetch_add(&barrier_arrived, 1) + 1 == n_current) {
        atomic_store(&barrier_arrived, 0);
        atomic_store(&barrier_round, round + 1);
        wake_halted(cpu);
        return;
    }
    spin_end = tsc_now() + tsc_from_us(SPIN_US);
    while (atomic_load(&barrier_round) == round && tsc_now() < spin_end)
        cpu_relax();
    atomic_store(&orders[cpu].halted, true);
    while (atomic_load(&barrier_round) == round) {
        if (cpu == 0)
            watch_over();
        if (atomic_load(&barrier_round) == round) /* as above */
            cpu_halt_until_interrupt();
    }
    atomic_store(&orders[cpu].halted, false);
}

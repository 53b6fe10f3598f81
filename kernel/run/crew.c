#include "run/crew.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/lapic.h"
#include "memory/arena.h"

#define IDLE_EVERY_US 20000

/* One cache line a CPU, so that waiting CPUs do not disturb working ones. */
struct order {
    _Alignas(64) _Atomic bool given;
};

static struct percpu **crew_cpus;
static struct order *orders;
static void (*crew_idle)(void);

/* The work at hand: written by the boot CPU before the orders are given. */
static crew_work current_work;
static void *current_ctx;
static _Atomic uint32_t working;

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

void crew_run(const uint32_t *numbers, uint32_t n, crew_work work, void *ctx)
{
    bool boot_cpu_too = false;

    current_work = work;
    current_ctx = ctx;
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
        crew_idle();
        lapic_timer_in_us(IDLE_EVERY_US);
        if (atomic_load(&working)) /* its end wakes us: interrupts are off until we halt */
            cpu_halt_until_interrupt();
    }
}

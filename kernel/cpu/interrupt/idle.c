// SPDX-License-Identifier: MIT
#include "interrupt/idle.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/lapic.h"
#include "arch/tsc.h"
#include "lib/minmax.h"

#define LEAF_POWER 6
#define POWER_ARAT (1u << 2) /* EAX */
#define SPIN_US    50        /* polling interval while waiting for another CPU */

static bool timer_runs_in_halt;

static bool has_arat(void)
{
    return cpuid(0, 0).eax >= LEAF_POWER && cpuid(LEAF_POWER, 0).eax & POWER_ARAT;
}

void idle_begin(void)
{
    bool counts = lapic_timer_calibrate();

    timer_runs_in_halt = counts && (has_arat() || cpu_features_read().hypervisor);
}

static void spin(uint64_t us)
{
    uint64_t end = tsc_now() + tsc_from_us(us);

    while (tsc_now() < end)
        cpu_relax();
    cpu_let_interrupts_in();
}

void idle_wait(uint32_t most_us)
{
    if (!timer_runs_in_halt) {
        spin(min_u64(most_us, SPIN_US));
        return;
    }
    lapic_timer_in_us(most_us);
    cpu_halt_until_interrupt();
}

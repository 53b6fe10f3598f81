#include "arch/tsc.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/io.h"

#define PIT_HZ       1193182u
#define PM_TIMER_HZ  3579545u
#define PM_TIMER_24  0xffffffu /* 24 bits are always there (ACPI 6.5, 4.8.2.1) */
#define MEASURE_US   20000u
#define POLLS_MAX    2000000u /* a clock that stands still is given up */

#define PIT_CHANNEL2 0x42
#define PIT_COMMAND  0x43
#define PORT_B       0x61 /* bit 0: gate of channel 2, bit 1: speaker, bit 5: its output */

/* Written once by the boot CPU before other CPUs start. */
static uint64_t start, hz = 1000000000;

void tsc_start(void)
{
    start = tsc_now();
}

/* Intel SDM vol. 2A, CPUID leaf 15H: crystal clock and ratio. */
static uint64_t hz_from_cpuid(void)
{
    struct cpuid_regs r;

    if (cpuid(0, 0).eax < 0x15)
        return 0;
    r = cpuid(0x15, 0);
    return r.eax ? (uint64_t)r.ecx * r.ebx / r.eax : 0;
}

static uint64_t hz_from_base_frequency(void)
{
    return cpuid(0, 0).eax >= 0x16 ? (cpuid(0x16, 0).eax & 0xffff) * UINT64_C(1000000) : 0;
}

/* Channel 2 counts down once; its output rises when it reaches zero. */
static uint64_t hz_from_pit(void)
{
    uint16_t count = (uint16_t)((uint64_t)PIT_HZ * MEASURE_US / 1000000);
    uint64_t begin, end;
    uint32_t polls = 0;

    io_out8(PORT_B, (io_in8(PORT_B) & ~2) | 1);
    io_out8(PIT_COMMAND, 0xb0); /* channel 2, both bytes, mode 0 */
    io_out8(PIT_CHANNEL2, (uint8_t)count);
    io_out8(PIT_CHANNEL2, count >> 8);
    begin = tsc_now();
    while (!(io_in8(PORT_B) & 0x20)) {
        if (++polls == POLLS_MAX)
            return 0;
    }
    end = tsc_now();
    return polls < 10 ? 0 : (end - begin) * PIT_HZ / count;
}

static uint64_t hz_from_pm_timer(uint16_t port)
{
    uint32_t wanted = (uint32_t)((uint64_t)PM_TIMER_HZ * MEASURE_US / 1000000);
    uint32_t first = io_in32(port) & PM_TIMER_24, passed = 0;
    uint64_t begin = tsc_now();

    for (uint32_t polls = 0; passed < wanted; polls++) {
        if (polls == POLLS_MAX)
            return 0;
        passed = ((io_in32(port) & PM_TIMER_24) - first) & PM_TIMER_24;
    }
    return (tsc_now() - begin) * PM_TIMER_HZ / passed;
}

static bool take(uint64_t found)
{
    if (found < 1000000)
        return false;
    hz = found;
    return true;
}

const char *tsc_calibrate(uint16_t pm_timer_port)
{
    if (take(hz_from_cpuid()))
        return "CPUID";
    if (take(hz_from_pit()))
        return "PIT";
    if (pm_timer_port && take(hz_from_pm_timer(pm_timer_port)))
        return "PM timer";
    if (take(hz_from_base_frequency()))
        return "CPUID base frequency";
    return "a guess";
}

uint64_t tsc_hz(void)
{
    return hz;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us / 1000000 * hz + us % 1000000 * hz / 1000000;
}

/* Whole seconds and the rest apart, so that no product overflows. */
uint64_t tsc_elapsed_us(void)
{
    uint64_t ticks = tsc_now() - start;

    return ticks / hz * 1000000 + ticks % hz * 1000000 / hz;
}

void tsc_wait_us(uint64_t us)
{
    uint64_t end = tsc_now() + tsc_from_us(us);

    while (tsc_now() < end)
        cpu_relax();
}

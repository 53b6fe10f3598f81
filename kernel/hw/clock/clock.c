// SPDX-License-Identifier: MIT
#include "clock/clock.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "cpudata/cpu_kind.h"
#include "event/notices.h"
#include "io/ports.h"
#include "lib/rate.h"

/* The time stamp counter's frequency in Hz as CPUID reports it; 0: not reported, or impossible. */

#define MSR_HYPER_V_TSC_HZ 0x40000022

struct tsc_cpuid {
    /* Intel SDM vol. 2A, CPUID leaf 15H: crystal and ratio; many CPUs report no crystal. */
    uint64_t crystal_hz;

    /* Leaf 16H: the CPU's base frequency; usually, but not always, close to the counter's. */
    uint64_t base_hz;

    /* Leaf 4000_0010H of hypervisors: VMware, KVM as QEMU sets it up, bhyve. */
    uint64_t hypervisor_hz;

    /* Whether the MSR above may be read (Hyper-V TLFS, 2.4.4, AccessFrequencyMsrs). */
    bool has_hyper_v_msr;
};

#define LEAF_CRYSTAL    0x15u
#define LEAF_BASE       0x16u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_INTERFACE  0x40000001u
#define LEAF_HYPER_V    0x40000003u
#define LEAF_TIMING     0x40000010u
#define LEAF_PAST       0x40010000u /* more leaves than any hypervisor has: not a hypervisor's answer */

#define HYPERVISOR        (1u << 31)  /* leaf 1, ECX */
#define HYPER_V_INTERFACE 0x31237648u /* "Hv#1" */
#define HYPER_V_MAY_READ  (1u << 11)  /* EAX */
#define HYPER_V_HAS_MSRS  (1u << 8)   /* EDX */

#define HZ_MIN UINT64_C(1000000)

enum { EAX, EBX, ECX, EDX };

struct asked {
    cpuid_fn *call;
    void *ctx;
};

struct answer {
    uint32_t regs[4];
};

static struct answer ask(const struct asked *a, uint32_t leaf)
{
    struct answer answer;

    a->call(a->ctx, leaf, 0, answer.regs);
    return answer;
}

/* The frequency, or 0 if it is outside the range of real counters. */
static uint64_t tsc_cpuid_possible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= TSC_HZ_MAX ? hz : 0;
}

static uint64_t crystal_hz(const struct asked *a)
{
    struct answer r = ask(a, LEAF_CRYSTAL);

    if (!r.regs[EAX])
        return 0;
    return tsc_cpuid_possible((uint64_t)r.regs[ECX] * r.regs[EBX] / r.regs[EAX]);
}

static void ask_hypervisor(const struct asked *a, struct tsc_cpuid *ret)
{
    uint32_t top = ask(a, LEAF_HYPERVISOR).regs[EAX];

    if (top >= LEAF_PAST)
        return;
    if (top >= LEAF_TIMING)
        ret->hypervisor_hz = tsc_cpuid_possible((uint64_t)ask(a, LEAF_TIMING).regs[EAX] * 1000);
    if (top >= LEAF_HYPER_V && ask(a, LEAF_INTERFACE).regs[EAX] == HYPER_V_INTERFACE) {
        struct answer r = ask(a, LEAF_HYPER_V);

        ret->has_hyper_v_msr = r.regs[EAX] & HYPER_V_MAY_READ && r.regs[EDX] & HYPER_V_HAS_MSRS;
    }
}

static struct tsc_cpuid tsc_cpuid_read(cpuid_fn *call, void *ctx)
{
    struct asked a = { call, ctx };
    struct tsc_cpuid found = { 0 };
    uint32_t top = ask(&a, 0).regs[EAX];

    if (top >= LEAF_CRYSTAL)
        found.crystal_hz = crystal_hz(&a);
    if (top >= LEAF_BASE)
        found.base_hz =
            tsc_cpuid_possible((ask(&a, LEAF_BASE).regs[EAX] & 0xffff) * UINT64_C(1000000));
    if (ask(&a, 1).regs[ECX] & HYPERVISOR)
        ask_hypervisor(&a, &found);
    return found;
}

#define HZ_GUESS 1000000000

#define PIT_HZ      1193182
#define PIT_MASK    0xffffu
#define PM_TIMER_HZ 3579545
#define PM_TIMER_24 0xffffffu

#define PIT_CHANNEL2       0x42
#define PIT_COMMAND        0x43
#define PIT_LATCH_CHANNEL2 0x80
#define PIT_CHANNEL2_ONCE  0xb0 /* both bytes, mode 0: down from a start value, and round again */
#define PORT_B             0x61 /* bit 0: gate of channel 2, bit 1: speaker, bit 5: its output */

/* Offsets of registers, in 32-bit words. */
#define HPET_PERIOD  (0x04 / 4)
#define HPET_CONFIG  (0x10 / 4)
#define HPET_COUNTER (0xf0 / 4)

#define HPET_ENABLE     1u
#define HPET_PERIOD_MIN 1000000u   /* fs: 1 GHz */
#define HPET_PERIOD_MAX 100000000u /* fs: 10 MHz (2.3.4) */

/* In order of preference. */
enum source {
    SOURCE_CPUID,
    SOURCE_HYPERVISOR,
    SOURCE_HPET,
    SOURCE_PM_TIMER,
    SOURCE_PIT,
    N_SOURCES,
};

static const char *const names[N_SOURCES] = {
    [SOURCE_CPUID] = "CPUID", [SOURCE_HYPERVISOR] = "hypervisor",
    [SOURCE_HPET] = "HPET",   [SOURCE_PM_TIMER] = "PM timer",
    [SOURCE_PIT] = "PIT",
};

static struct rate found[N_SOURCES]; /* 0 to 0: nothing */
static uint64_t base_hz;             /* by CPUID; 0: nothing */
static const char *source_name = "none, a guess";
static bool hpet_is_hidden, hpet_turned_on, pit_is_stopped;

/* The latch keeps what the counter shows at that moment, however long reading it takes. */
static void look_at_pit(void *ctx, struct rate_look *ret_look)
{
    uint32_t low;

    ret_look->before = tsc_now_in_order();
    io_out8(PIT_COMMAND, PIT_LATCH_CHANNEL2);
    ret_look->after = tsc_now_in_order();
    low = io_in8(PIT_CHANNEL2);
    ret_look->count = ~(low | (uint32_t)io_in8(PIT_CHANNEL2) << 8) & PIT_MASK; /* it counts down */
}

/* The 8254's channel 2, restarted: 16 bits. Where there is none it does not count. */
static struct rate_clock start_pit(void)
{
    io_out8(PORT_B, (io_in8(PORT_B) & ~2) | 1);
    io_out8(PIT_COMMAND, PIT_CHANNEL2_ONCE);
    io_out8(PIT_CHANNEL2, 0xff);
    io_out8(PIT_CHANNEL2, 0xff);
    return (struct rate_clock){ .hz = PIT_HZ, .mask = PIT_MASK, .look = look_at_pit };
}

static void look_at_port(void *ctx, struct rate_look *ret_look)
{
    ret_look->before = tsc_now_in_order();
    ret_look->count = io_in32((uint16_t)(uintptr_t)ctx);
    ret_look->after = tsc_now_in_order();
}

static void look_at_register(void *ctx, struct rate_look *ret_look)
{
    ret_look->before = tsc_now_in_order();
    ret_look->count = *(const volatile uint32_t *)ctx;
    ret_look->after = tsc_now_in_order();
}

/* ACPI 6.5, 4.8.3.3. Its low 24 bits, which each has: not all have 32 where the FADT says so. */
static struct rate_clock pm_timer(uint16_t port, const volatile uint32_t *registers)
{
    return (struct rate_clock){
        .hz = PM_TIMER_HZ,
        .mask = PM_TIMER_24,
        .look = registers ? look_at_register : look_at_port,
        .ctx = registers ? (void *)registers : (void *)(uintptr_t)port,
    };
}

/* Whether nothing is where an HPET should be: its chipset does not decode these addresses. */
static bool is_hidden(const volatile uint32_t *registers)
{
    uint32_t period_fs = registers[HPET_PERIOD];

    return period_fs == 0 || period_fs == UINT32_MAX;
}

/*
 * The HPET's main counter, of which the low 32 bits are always there (IA-PC HPET Specification
 * 1.0a, 2.3), turned on if it was off. STATUS_INVALID: it reports a period that no HPET has;
 * *ret_period_fs is written then, too.
 */
static enum status start_hpet(volatile uint32_t *registers, struct rate_clock *ret_clock,
                              uint32_t *ret_period_fs)
{
    uint32_t period_fs = registers[HPET_PERIOD];

    *ret_period_fs = period_fs;
    if (period_fs < HPET_PERIOD_MIN || period_fs > HPET_PERIOD_MAX)
        return STATUS_INVALID;
    hpet_turned_on = !(registers[HPET_CONFIG] & HPET_ENABLE);
    if (hpet_turned_on)
        registers[HPET_CONFIG] = registers[HPET_CONFIG] | HPET_ENABLE;
    *ret_clock = (struct rate_clock){
        .hz = 1e15 / period_fs,
        .mask = UINT32_MAX,
        .look = look_at_register,
        .ctx = (void *)&registers[HPET_COUNTER],
    };
    return STATUS_OK;
}

/* Turns it off again, if it was off. */
static void end_hpet(volatile uint32_t *registers)
{
    if (hpet_turned_on)
        registers[HPET_CONFIG] = registers[HPET_CONFIG] & ~HPET_ENABLE;
    hpet_turned_on = false;
}

static void note_reported(enum source source, uint64_t hz)
{
    if (hz)
        found[source] = rate_reported((double)hz);
}

static enum status note_measured(enum source source, const struct rate_clock *clock)
{
    struct rate r;
    enum status s = rate_measure(clock, &r);

    if (s == STATUS_OK && !tsc_cpuid_possible((uint64_t)rate_middle(r)))
        s = STATUS_INVALID;
    if (s == STATUS_OK)
        found[source] = r;
    return s;
}

/* A clock that firmware reports. */
static void note_of_firmware(enum source source, const struct rate_clock *clock)
{
    enum status s = note_measured(source, clock);

    if (s == STATUS_TIMEOUT)
        notice("the %s reported by firmware is stopped, or nearly; it is not used", names[source]);
    else if (s != STATUS_OK)
        notice("the %s reported by firmware does not count steadily; it is not used",
               names[source]);
}

static void note_hpet(volatile uint32_t *registers)
{
    struct rate_clock clock;
    uint32_t period_fs;

    hpet_is_hidden = is_hidden(registers);
    if (hpet_is_hidden)
        return;
    if (start_hpet(registers, &clock, &period_fs) != STATUS_OK) {
        notice("the HPET reports an impossible period of %u fs; it is not used", period_fs);
        return;
    }
    note_of_firmware(SOURCE_HPET, &clock);
}

/* Lists those that have found something, the preferred first. */
static size_t list_found(struct rate *ret_rates, enum source *ret_sources)
{
    size_t n = 0;

    for (enum source s = 0; s < N_SOURCES; s++) {
        if (found[s].high == 0)
            continue;
        ret_rates[n] = found[s];
        ret_sources[n++] = s;
    }
    return n;
}

/* False: none has found anything. */
static bool use_best(enum source *ret_used)
{
    struct rate rates[N_SOURCES];
    enum source sources[N_SOURCES];
    size_t n = list_found(rates, sources);

    if (!n)
        return false;
    *ret_used = sources[rate_choose(rates, n)];
    tsc_set_hz((uint64_t)rate_middle(found[*ret_used]));
    source_name = names[*ret_used];
    return true;
}

void clock_begin(void)
{
    struct tsc_cpuid reported = tsc_cpuid_read(cpuid_call, NULL);
    struct rate_clock pit = start_pit();
    enum source used;

    note_reported(SOURCE_CPUID, reported.crystal_hz);
    note_reported(SOURCE_HYPERVISOR, reported.has_hyper_v_msr
                                         ? tsc_cpuid_possible(msr_read(MSR_HYPER_V_TSC_HZ))
                                         : reported.hypervisor_hz);
    base_hz = reported.base_hz;
    pit_is_stopped = note_measured(SOURCE_PIT, &pit) == STATUS_TIMEOUT;
    use_best(&used);
}

static void warn_of_differences(enum source used)
{
    for (enum source s = 0; s < N_SOURCES; s++) {
        if (found[s].high == 0 || rate_agrees(found[s], found[used]))
            continue;
        notice("the time stamp counter runs at %.3f GHz by the %s, but at %.3f GHz by the %s, "
               "which is used",
               rate_middle(found[s]) / 1e9, names[s], rate_middle(found[used]) / 1e9, names[used]);
    }
}

void clock_calibrate(const struct clock_firmware *firmware)
{
    enum source used;

    if (firmware->hpet)
        note_hpet(firmware->hpet);
    if (firmware->pm_timer_port || firmware->pm_timer_registers) {
        struct rate_clock clock = pm_timer(firmware->pm_timer_port, firmware->pm_timer_registers);

        note_of_firmware(SOURCE_PM_TIMER, &clock);
    }
    if (firmware->hpet && !hpet_is_hidden)
        end_hpet(firmware->hpet);
    if (use_best(&used)) {
        warn_of_differences(used);
        return;
    }
    tsc_set_hz(base_hz ? base_hz : HZ_GUESS);
    notice("no clock to measure the time stamp counter by: %s, %.3f GHz, is assumed, and all "
           "times may be wrong",
           base_hz ? "CPUID's base frequency" : "a guess", (double)tsc_hz() / 1e9);
}

const char *clock_absent(void)
{
    return hpet_is_hidden && pit_is_stopped ? "HPET hidden, PIT stopped"
           : hpet_is_hidden                 ? "HPET hidden"
           : pit_is_stopped                 ? "PIT stopped"
                                            : "";
}

const char *clock_source(void)
{
    return source_name;
}

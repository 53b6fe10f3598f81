// SPDX-License-Identifier: MIT
#include "clock/clock.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "clock/pc_clocks.h"
#include "clock/tsc_cpuid.h"
#include "event/notices.h"
#include "lib/rate.h"

#define HZ_GUESS 1000000000

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
static bool hpet_is_hidden, pit_is_stopped;

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

    hpet_is_hidden = clock_hpet_is_hidden(registers);
    if (hpet_is_hidden)
        return;
    if (clock_hpet_begin(registers, &clock, &period_fs) != STATUS_OK) {
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
    struct rate_clock pit = clock_pit();
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
        struct rate_clock clock =
            clock_pm_timer(firmware->pm_timer_port, firmware->pm_timer_registers);

        note_of_firmware(SOURCE_PM_TIMER, &clock);
    }
    if (firmware->hpet && !hpet_is_hidden)
        clock_hpet_end(firmware->hpet);
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

#include "arch/tsc.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/io.h"

#define PIT_HZ      1193182u
#define PM_TIMER_HZ 3579545u
#define PM_TIMER_24 0xffffffu /* 24 bits are always there (ACPI 6.5, 4.8.2.1) */
#define MEASURE_US  10000u
#define LOOKS       5
#define POLLS_MAX   100000u /* a clock that stands still is given up */

#define PIT_CHANNEL2       0x42
#define PIT_COMMAND        0x43
#define PIT_LATCH_CHANNEL2 0x80
#define PIT_CHANNEL2_ONCE  0xb0 /* both bytes, mode 0: down from a start value */
#define PORT_B             0x61 /* bit 0: gate of channel 2, bit 1: speaker, bit 5: its output */

/* Written once by the boot CPU before other CPUs start. */
static uint64_t start, hz = 1000000000;
static bool known;

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

/* A clock of known speed: what it shows, counting up, in so many bits. */
struct clock {
    uint32_t (*read)(uint16_t port);
    uint16_t port;
    uint32_t hz, mask;
};

static uint32_t read_pit(uint16_t port)
{
    uint32_t low;

    io_out8(PIT_COMMAND, PIT_LATCH_CHANNEL2);
    low = io_in8(PIT_CHANNEL2);
    return ~(low | (uint32_t)io_in8(PIT_CHANNEL2) << 8); /* it counts down */
}

static uint32_t read_pm_timer(uint16_t port)
{
    return io_in32(port);
}

struct moment {
    uint64_t tsc;
    uint32_t clock;
};

/* Both clocks at one moment: the closest of several looks, for any may be interrupted. */
static struct moment look(const struct clock *c)
{
    struct moment best = { 0 };
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < LOOKS; i++) {
        uint64_t before = tsc_now();
        uint32_t clock = c->read(c->port);
        uint64_t took = tsc_now() - before;

        if (took < shortest) {
            shortest = took;
            best = (struct moment){ before + took / 2, clock };
        }
    }
    return best;
}

static uint64_t hz_from_clock(const struct clock *c)
{
    uint32_t wanted = c->hz / (1000000 / MEASURE_US), passed;
    struct moment first = look(c), last;
    uint32_t polls = 0;

    do {
        if (++polls == POLLS_MAX)
            return 0;
        last = look(c);
        passed = (last.clock - first.clock) & c->mask;
    } while (passed < wanted);
    return (last.tsc - first.tsc) * c->hz / passed;
}

static uint64_t hz_from_pit(void)
{
    static const struct clock pit = { read_pit, 0, PIT_HZ, 0xffff };

    io_out8(PORT_B, (io_in8(PORT_B) & ~2) | 1);
    io_out8(PIT_COMMAND, PIT_CHANNEL2_ONCE);
    io_out8(PIT_CHANNEL2, 0xff);
    io_out8(PIT_CHANNEL2, 0xff);
    return hz_from_clock(&pit);
}

static uint64_t hz_from_pm_timer(uint16_t port)
{
    return hz_from_clock(&(struct clock){ read_pm_timer, port, PM_TIMER_HZ, PM_TIMER_24 });
}

static bool take(uint64_t found)
{
    if (found < 1000000)
        return false;
    hz = found;
    known = true;
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

bool tsc_source_is_guess(void)
{
    return !known;
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

// SPDX-License-Identifier: MIT
#include "clock/pc_clocks.h"

#include "arch/tsc.h"
#include "io/ports.h"

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

struct rate_clock clock_pit(void)
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

struct rate_clock clock_pm_timer(uint16_t port, const volatile uint32_t *registers)
{
    return (struct rate_clock){
        .hz = PM_TIMER_HZ,
        .mask = PM_TIMER_24,
        .look = registers ? look_at_register : look_at_port,
        .ctx = registers ? (void *)registers : (void *)(uintptr_t)port,
    };
}

bool clock_hpet_is_hidden(const volatile uint32_t *registers)
{
    uint32_t period_fs = registers[HPET_PERIOD];

    return period_fs == 0 || period_fs == UINT32_MAX;
}

static bool hpet_turned_on;

enum status clock_hpet_begin(volatile uint32_t *registers, struct rate_clock *ret_clock,
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

void clock_hpet_end(volatile uint32_t *registers)
{
    if (hpet_turned_on)
        registers[HPET_CONFIG] = registers[HPET_CONFIG] & ~HPET_ENABLE;
    hpet_turned_on = false;
}

// SPDX-License-Identifier: MIT
/*
 * The watchdog of AMD's chipsets, from SP5100 to the FCH in today's processors, and of Hygon's. Two
 * registers in memory: control and count (SB600 Register Reference Manual, 46155, 2.3.4; the same
 * in BKDG of family 16h, 52740, and PPR of family 17h, 55570). Where they are, and what a count is,
 * is in PM registers, behind the ports 0xcd6 and 0xcd7 or at 0xfed80300, of which there are three
 * kinds, distinguished by the SMBus function's device and revision, as Linux does
 * (drivers/watchdog/sp5100_tco.c):
 *
 * - SP5100, SB7x0: PM 69h, 6Ch; decoded by bit 3 of configuration register 41h
 * - SB800 and the first of Hudson: PM 48h, 4Ch
 * - later ones: at 0xfeb00000, if DecodeEn (PM 00h) says so
 *
 * Where they are not decoded there, they may be in the block of memory that all the chipset's
 * registers are in, at 0xb00.
 */
#include "watchdog/kinds.h"

#include <stddef.h>

#include "device/pci.h"
#include "io/ports.h"

/* Of the SMBus function. */
#define SB600_ID       0x43851002u
#define HUDSON_ID      0x780b1022u
#define FCH_ID         0x790b1022u
#define HYGON_ID       0x790b1d94u
#define SB800_REVISION 0x40u /* the first of each that is of that kind */
#define HUDSON_NEW     0x41u
#define FCH_NEW        0x49u
#define FCH_IN_MEMORY  0x51u /* its PM registers */
#define MISC           0x40
#define MISC_DECODES   (1u << 11) /* bit 3 of 41h */
#define RESOURCES      0x9c

#define PM_INDEX  0xcd6
#define PM_DATA   0xcd7
#define PM_MEMORY UINT64_C(0xfed80300)
#define PM_BYTES  0x100

#define SP5100_CONTROL     0x69
#define SP5100_OFF         (1u << 0)
#define SP5100_UNIT        1 /* the first of two bits */
#define SP5100_BASE        0x6c
#define SB800_RESOURCES    0x24
#define SB800_BASE         0x48
#define SB800_DECODES      (1u << 0)
#define SB800_OFF          (1u << 1)
#define SB800_CONFIG       0x4c
#define BASE_ADDRESS       UINT32_C(0xfffffff8)
#define DECODE_EN          0x00
#define DECODE_EN_ON       (UINT32_C(1) << 7)
#define DECODE_EN_UNIT     24
#define DECODE_EN_MODE     0x03 /* its last byte */
#define DECODE_EN_SECONDS  0x03u
#define DECODE_EN_DISABLED 0x0cu
#define DECODED_AT         UINT64_C(0xfeb00000)
#define ISA_CONTROL        0x04
#define ISA_MEMORY         (1u << 1)
#define FCH_RESOURCES      UINT32_C(0xfed80001) /* what ISA_MEMORY stands for */

/* The block of all registers. */
#define RESOURCES_KIND   3u
#define RESOURCES_MEMORY 1u
#define RESOURCES_BASE   UINT32_C(0xfffff000)
#define TIMER_AT         0xb00

/* Control and count. */
#define TIMER_BYTES 8
#define RUNS        (1u << 0)
#define FIRED       (1u << 1) /* writing 1 clears it */
#define POWERS_OFF  (1u << 2)
#define DISABLED    (1u << 3)
#define TRIGGER     (1u << 7)
#define COUNT       0xffffu

static const uint32_t units_us[] = { 32, 10000, 100000, 1000000 };

struct search {
    watchdog_map *map;
    bool is_over;
    bool switches_on;     /* a timer that firmware has switched off */
    volatile uint8_t *pm; /* NULL: behind ports */
    uint64_t timer;       /* 0: it is off */
    uint32_t unit_us;
};

static uint8_t read_pm(const struct search *s, uint8_t reg)
{
    if (s->pm)
        return s->pm[reg];
    io_out8(PM_INDEX, reg);
    return io_in8(PM_DATA);
}

static void write_pm(const struct search *s, uint8_t reg, uint8_t value)
{
    if (s->pm) {
        s->pm[reg] = value;
        return;
    }
    io_out8(PM_INDEX, reg);
    io_out8(PM_DATA, value);
}

static uint32_t read_pm32(const struct search *s, uint8_t reg)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)read_pm(s, (uint8_t)(reg + i)) << i * 8;
    return value;
}

/* By what a register says of the block of all registers. */
static uint64_t timer_in(uint32_t resources)
{
    return (resources & RESOURCES_KIND) == RESOURCES_MEMORY
               ? (resources & RESOURCES_BASE) + (uint64_t)TIMER_AT
               : 0;
}

static void look_at_sp5100(struct search *s, struct pci_function f)
{
    uint8_t control = read_pm(s, SP5100_CONTROL);

    if (control & SP5100_OFF)
        return;
    s->unit_us = units_us[control >> SP5100_UNIT & 3];
    if (pci_read(f, MISC) & MISC_DECODES)
        s->timer = read_pm32(s, SP5100_BASE) & BASE_ADDRESS;
    if (!s->timer)
        s->timer = timer_in(pci_read(f, RESOURCES));
}

static void look_at_sb800(struct search *s)
{
    uint32_t base = read_pm32(s, SB800_BASE);

    if (base & SB800_OFF)
        return;
    s->unit_us = units_us[read_pm(s, SB800_CONFIG) & 3];
    if (base & SB800_DECODES)
        s->timer = base & BASE_ADDRESS;
    if (!s->timer)
        s->timer = timer_in(read_pm32(s, SB800_RESOURCES));
}

/* Decoded, not disabled, one count a second. */
static void switch_on(const struct search *s)
{
    uint8_t mode = read_pm(s, DECODE_EN_MODE);

    write_pm(s, DECODE_EN, (uint8_t)(read_pm(s, DECODE_EN) | DECODE_EN_ON));
    write_pm(s, DECODE_EN_MODE, (uint8_t)((mode & ~DECODE_EN_DISABLED) | DECODE_EN_SECONDS));
}

static void look_at_fch(struct search *s)
{
    uint32_t decode = read_pm32(s, DECODE_EN);

    if (s->switches_on && decode != UINT32_MAX) {
        switch_on(s);
        decode = read_pm32(s, DECODE_EN);
    }
    if (decode == UINT32_MAX || !(decode & DECODE_EN_ON))
        return; /* which turns the timer off, too */
    s->unit_us = units_us[decode >> DECODE_EN_UNIT & 3];
    s->timer = read_pm(s, ISA_CONTROL) & ISA_MEMORY ? timer_in(FCH_RESOURCES) : DECODED_AT;
}

static void look_at(void *ctx, struct pci_function f)
{
    struct search *s = ctx;
    uint32_t id = pci_read(f, PCI_ID), revision = pci_read(f, PCI_CLASS) & 0xff;

    if (s->is_over || (id != SB600_ID && id != HUDSON_ID && id != FCH_ID && id != HYGON_ID))
        return;
    s->is_over = true;
    if (id == FCH_ID && revision >= FCH_IN_MEMORY) {
        s->pm = s->map(PM_MEMORY, PM_BYTES);
        if (!s->pm)
            return;
    }
    if (id == SB600_ID && revision < SB800_REVISION)
        look_at_sp5100(s, f);
    else if (id == HYGON_ID || (id == HUDSON_ID && revision >= HUDSON_NEW) ||
             (id == FCH_ID && revision >= FCH_NEW))
        look_at_fch(s);
    else
        look_at_sb800(s);
}

struct watchdog_found fch_stop(watchdog_map *map)
{
    struct watchdog_found found = { .has_time = true };
    struct search s = { .map = map };
    volatile uint32_t *timer;
    uint32_t control, count;

    pci_for_each(look_at, &s);
    timer = s.timer ? map(s.timer, TIMER_BYTES) : NULL;
    control = timer ? timer[0] : 0;
    if (control == UINT32_MAX || control & DISABLED || !(control & RUNS))
        return found;
    count = timer[1] & COUNT;
    found.effect = control & POWERS_OFF ? "switch the machine off" : "reset the machine";
    found.seconds_left = (uint32_t)((uint64_t)count * s.unit_us / 1000000);
    timer[0] = control & ~(RUNS | FIRED | TRIGGER);
    if (count) /* else it has not begun */
        found.state = timer[0] & RUNS ? WATCHDOG_RUNS : WATCHDOG_STOPPED;
    return found;
}

static void feed(const struct watchdog_timer *timer)
{
    timer->regs[0] |= TRIGGER;
}

static void stop(const struct watchdog_timer *timer)
{
    timer->regs[0] &= ~(RUNS | FIRED | TRIGGER);
}

bool fch_start(watchdog_map *map, uint32_t seconds, struct watchdog_timer *ret_timer)
{
    struct search s = { .map = map, .switches_on = true };
    struct watchdog_timer timer = { .feed = feed, .stop = stop };
    uint64_t count;

    pci_for_each(look_at, &s);
    timer.regs = s.timer ? map(s.timer, TIMER_BYTES) : NULL;
    count = s.timer ? (uint64_t)seconds * 1000000 / s.unit_us : 0;
    if (!timer.regs || count > COUNT || timer.regs[0] == UINT32_MAX || timer.regs[0] & DISABLED)
        return false;
    stop(&timer);
    timer.regs[1] = (uint32_t)count;
    timer.regs[0] = (timer.regs[0] & ~(POWERS_OFF | FIRED | TRIGGER)) | RUNS;
    feed(&timer); /* a write of its own */
    if (!(timer.regs[0] & RUNS))
        return false;
    *ret_timer = timer;
    return true;
}

// SPDX-License-Identifier: MIT
/* Intel's TCO timer, in a configuration space and on ports that the test plays. */
#include "watchdog/kinds.h"

#include "dma/fake_pci.h"

#define RCBA_PHYS UINT64_C(0xfed1c000)
#define PMC_PHYS  UINT64_C(0xfed03000)

enum {
    LPC = 0x060100,
    SMBUS = 0x0c0500,
    ACPI_PORTS = 0x400,
    TCO_OF_LPC = 0x460,
    TCO_OF_SMBUS = 0x800,
    HALT = 1 << 11,
    NMI_NOW = 1 << 8,
    NO_REBOOT = 1 << 0,
    TIMEOUT = 1 << 3,
};

static struct {
    uint16_t base, count, status, control, timer;
    bool stays; /* HALT cannot be set */
    int writes;
    bool may_start; /* other registers are written to, too */
    int reloads;
} timer;

static uint64_t register_phys; /* of NO_REBOOT; 0: nothing can be mapped */
static volatile uint32_t memory;

uint16_t io_in16(uint16_t port)
{
    switch (port - timer.base) {
    case 0x00: return timer.count;
    case 0x04: return timer.status;
    case 0x08: return timer.control;
    case 0x12: return timer.timer;
    default: fail_msg("port 0x%x", port); return 0;
    }
}

/* What starts it. The bits of a status are cleared by writing 1. */
static void write_more(uint16_t at, uint16_t value)
{
    switch (at) {
    case 0x00:
        timer.count = timer.timer;
        timer.reloads++;
        break;
    case 0x04: timer.status &= (uint16_t)~value; break;
    case 0x06: assert_int_equal(value, 6); break;
    case 0x12:
        assert_true(timer.control & HALT);
        timer.timer = value;
        break;
    default: fail_msg("register 0x%x", at);
    }
}

void io_out16(uint16_t port, uint16_t value)
{
    if (timer.may_start && port != timer.base + 8) {
        write_more((uint16_t)(port - timer.base), value);
        return;
    }
    assert_int_equal(port, timer.base + 8);
    assert_false(value & NMI_NOW); /* which would be cleared by that */
    timer.writes++;
    timer.control = timer.stays ? value & ~HALT : value;
}

static volatile void *map(uint64_t phys, uint64_t bytes)
{
    assert_int_equal(bytes, 4);
    if (!register_phys)
        return NULL;
    assert_int_equal(phys, register_phys);
    return &memory;
}

static int set_up(void **state)
{
    memset(&timer, 0, sizeof(timer));
    timer.base = TCO_OF_LPC;
    timer.count = 50;
    timer.timer = 100;
    memory = 0;
    register_phys = RCBA_PHYS + 0x3410;
    return pci_reset(state);
}

/* ICH6 to 9 series. */
static uint32_t *add_lpc(uint16_t device)
{
    uint32_t *config = pci_add(0, 31, 0, LPC, 7);

    config[0] = (uint32_t)device << 16 | 0x8086;
    config[0x40 / 4] = ACPI_PORTS | 1;
    config[0x44 / 4] = 0x80;
    config[0xf0 / 4] = (uint32_t)RCBA_PHYS | 1;
    return config;
}

static void expect(enum watchdog_state state, uint32_t seconds)
{
    struct watchdog_found found = tco_stop(map);

    assert_int_equal(found.state, state);
    if (state == WATCHDOG_OFF)
        return;
    assert_true(found.has_time);
    assert_int_equal(found.seconds_left, seconds);
    assert_string_equal(found.effect, "reset the machine");
}

TEST(it_is_halted, set_up)
{
    add_lpc(0x2918);
    timer.control = NMI_NOW | 0x200;
    expect(WATCHDOG_STOPPED, (50 + 100) * 6 / 10);
    assert_int_equal(timer.control, HALT | 0x200);
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.writes, 1);
}

/* It has counted down once: the next time is the last. */
TEST(the_second_time, set_up)
{
    add_lpc(0x2918);
    timer.status = TIMEOUT;
    expect(WATCHDOG_STOPPED, 30);
}

TEST(without_a_reset_it_is_left_alone, set_up)
{
    add_lpc(0x2918);
    memory = 1u << 5;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.writes, 0);
    register_phys = 0; /* it cannot be read: it may reset the machine */
    expect(WATCHDOG_STOPPED, 90);
}

TEST(seconds_of_bay_trail, set_up)
{
    uint32_t *config = add_lpc(0x0f1c);

    register_phys = PMC_PHYS + 8;
    config[0x40 / 4] = ACPI_PORTS | 3;
    config[0x44 / 4] = (uint32_t)PMC_PHYS | 2;
    expect(WATCHDOG_STOPPED, 150);
    timer.control = 0;
    memory = 1u << 4;
    expect(WATCHDOG_OFF, 0);
    config[0x40 / 4] = ACPI_PORTS | 1; /* not decoded */
    memory = 0;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.writes, 1);
}

TEST(behind_the_smbus, set_up)
{
    uint32_t *lpc = pci_add(0, 31, 0, LPC, 7), *smbus = pci_add(0, 31, 4, SMBUS, 3);

    lpc[0x0c / 4] = 1u << 23; /* it has several functions */
    smbus[0x50 / 4] = TCO_OF_SMBUS | 1;
    smbus[0x54 / 4] = 1u << 8;
    timer.base = TCO_OF_SMBUS;
    timer.control = 0x1000;
    expect(WATCHDOG_STOPPED, 90);
    assert_int_equal(timer.control, HALT | 0x1000);
    timer.control = NO_REBOOT;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.control, NO_REBOOT);
    smbus[0x54 / 4] = 0;
    timer.control = 0;
    expect(WATCHDOG_OFF, 0);
}

/* Not running, and no TCO at all. */
TEST(nothing_to_stop, set_up)
{
    uint32_t *lpc = add_lpc(0x2918);

    timer.count = 0;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.control, HALT); /* should it be about to begin */
    timer.control = 0xffff;
    expect(WATCHDOG_OFF, 0);
    timer.control = 0;
    timer.count = 50;
    lpc[0x44 / 4] = 0;
    expect(WATCHDOG_OFF, 0);
    lpc[0x44 / 4] = 0x80;
    lpc[0] = 0x790e1022;
    expect(WATCHDOG_OFF, 0);
    lpc[0] = 0x29188086;
    lpc[0x40 / 4] = UINT32_MAX;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(timer.writes, 1);
}

TEST(one_that_does_not_obey, set_up)
{
    add_lpc(0x2918);
    timer.stays = true;
    expect(WATCHDOG_RUNS, 90);
}

static void expect_started(uint32_t seconds, unsigned ticks)
{
    struct watchdog_timer started;

    timer.may_start = true;
    timer.count = timer.timer = 0;
    timer.status = TIMEOUT;
    timer.control = NMI_NOW;
    timer.reloads = 0;
    assert_true(tco_start(map, seconds, &started));
    assert_int_equal(timer.timer, ticks);
    assert_int_equal(timer.control, 0);
    assert_int_equal(timer.status, 0);
    timer.status = TIMEOUT;
    started.feed(&started);
    assert_int_equal(timer.reloads, 2);
    assert_int_equal(timer.status, 0);
    started.stop(&started);
    assert_int_equal(timer.control, HALT);
}

/* It counts down twice. */
TEST(it_is_started, set_up)
{
    add_lpc(0x2918);
    memory = 1u << 5 | 1; /* the rest stays */
    expect_started(60, 50);
    assert_int_equal(memory, 1);
    expect_started(600, 500);
    expect_started(1300, 0x3ff);
    expect_started(0, 4);
}

TEST(it_is_started_on_bay_trail, set_up)
{
    uint32_t *config = add_lpc(0x0f1c);

    register_phys = PMC_PHYS + 8;
    config[0x40 / 4] = ACPI_PORTS | 3;
    config[0x44 / 4] = (uint32_t)PMC_PHYS | 2;
    memory = 1u << 4;
    expect_started(600, 300);
    assert_int_equal(memory, 0);
}

static void expect_not_started(void)
{
    struct watchdog_timer started = { .ports = 7 };

    timer.may_start = true;
    assert_false(tco_start(map, 600, &started));
    assert_int_equal(started.ports, 7);
}

TEST(what_cannot_be_started, set_up)
{
    uint32_t *lpc;

    expect_not_started(); /* there is none */
    lpc = add_lpc(0x2918);
    register_phys = 0; /* whether it may reset the machine is in a register that cannot be had */
    expect_not_started();
    register_phys = RCBA_PHYS + 0x3410;
    timer.control = 0xffff; /* nothing answers */
    expect_not_started();
    lpc[0x44 / 4] = 0;
    expect_not_started();
}

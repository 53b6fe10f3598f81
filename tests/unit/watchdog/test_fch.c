// SPDX-License-Identifier: MIT
/* The timer of AMD's chipsets, in a configuration space, behind ports and in memory of the test. */
#include "watchdog/kinds.h"

#include "dma/fake_pci.h"

#define AT_FEB00000 UINT64_C(0xfeb00000)
#define IN_BLOCK    UINT64_C(0xfed80b00)
#define PM_MEMORY   UINT64_C(0xfed80300)

enum { RUNS = 1, FIRED = 2, POWERS_OFF = 4, DISABLED = 8, TRIGGER = 0x80, SMBUS = 0x0c0500 };

static struct {
    uint8_t pm[256], index;
    bool ports_are_gone, in_memory;
    bool may_start;    /* registers of PM are written to, too */
    uint64_t timer_at; /* 0: nothing is there */
    volatile uint32_t timer[2];
} chipset;

uint8_t io_in8(uint16_t port)
{
    assert_int_equal(port, 0xcd7);
    return chipset.ports_are_gone ? 0xff : chipset.pm[chipset.index];
}

void io_out8(uint16_t port, uint8_t value)
{
    if (chipset.may_start && port == 0xcd7) {
        chipset.pm[chipset.index] = value;
        return;
    }
    assert_int_equal(port, 0xcd6); /* none of these registers is written to */
    chipset.index = value;
}

static volatile void *map(uint64_t phys, uint64_t bytes)
{
    if (phys == PM_MEMORY && bytes == 0x100)
        return chipset.in_memory ? chipset.pm : NULL;
    assert_int_equal(bytes, 8);
    assert_int_equal(phys, chipset.timer_at);
    return chipset.timer;
}

static int set_up(void **state)
{
    memset(&chipset, 0, sizeof(chipset));
    chipset.timer[0] = RUNS;
    chipset.timer[1] = 90;
    return pci_reset(state);
}

static uint32_t *add(uint32_t id, uint8_t revision)
{
    uint32_t *config = pci_add(0, 0x14, 0, SMBUS, 3);

    config[0] = id;
    config[2] |= revision;
    return config;
}

static void put32(uint8_t reg, uint32_t value)
{
    memcpy(chipset.pm + reg, &value, 4);
}

static void expect(enum watchdog_state state, uint32_t seconds)
{
    struct watchdog_found found = fch_stop(map);

    assert_int_equal(found.state, state);
    if (state == WATCHDOG_OFF)
        return;
    assert_true(found.has_time);
    assert_int_equal(found.seconds_left, seconds);
}

/* All of FCH, of which the resolution is a second. */
static uint32_t *add_fch(uint32_t id, uint8_t revision)
{
    put32(0, 0x03000080);
    chipset.timer_at = AT_FEB00000;
    return add(id, revision);
}

TEST(fch_by_ports, set_up)
{
    static const struct {
        uint32_t id;
        uint8_t revision;
    } functions[] = { { 0x780b1022, 0x41 }, { 0x790b1022, 0x49 }, { 0x790b1d94, 0x00 } };

    for (size_t i = 0; i < 3; i++) {
        set_up(state);
        add_fch(functions[i].id, functions[i].revision);
        expect(WATCHDOG_STOPPED, 90);
        assert_int_equal(chipset.timer[0], 0);
        expect(WATCHDOG_OFF, 0);
    }
}

TEST(fch_in_memory, set_up)
{
    add_fch(0x790b1022, 0x51);
    chipset.ports_are_gone = chipset.in_memory = true;
    expect(WATCHDOG_STOPPED, 90);
    chipset.in_memory = false;
    chipset.timer[0] = RUNS;
    expect(WATCHDOG_OFF, 0);
}

TEST(fch_in_the_block, set_up)
{
    add_fch(0x790b1022, 0x61);
    chipset.in_memory = true;
    chipset.pm[4] = 2;
    chipset.timer_at = IN_BLOCK;
    expect(WATCHDOG_STOPPED, 90);
}

TEST(fch_that_is_off, set_up)
{
    add_fch(0x790b1022, 0x49);
    chipset.pm[0] = 0x7f;
    expect(WATCHDOG_OFF, 0);
    put32(0, UINT32_MAX); /* nothing answers */
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(chipset.timer[0], RUNS);
}

TEST(resolutions, set_up)
{
    static const uint32_t seconds[] = { 2, 655, 6553, 65535 };

    add_fch(0x790b1022, 0x49);
    for (uint8_t i = 0; i < 4; i++) {
        chipset.pm[3] = i;
        chipset.timer[0] = RUNS;
        chipset.timer[1] = 0xffff;
        expect(WATCHDOG_STOPPED, seconds[i]);
    }
}

TEST(sb800, set_up)
{
    add(0x43851002, 0x40);
    put32(0x48, 0xfec000f0 | 1);
    chipset.pm[0x4c] = 2;
    chipset.timer_at = 0xfec000f0;
    expect(WATCHDOG_STOPPED, 9);

    /* Not decoded there: in the block, if that is in memory. */
    chipset.timer[0] = RUNS;
    put32(0x48, 0xfec000f0);
    expect(WATCHDOG_OFF, 0);
    put32(0x24, 0xfed80001);
    chipset.timer_at = IN_BLOCK;
    expect(WATCHDOG_STOPPED, 9);
    chipset.timer[0] = RUNS;
    put32(0x24, 0xfed80003);
    expect(WATCHDOG_OFF, 0);
    put32(0x48, 0xfec000f0 | 3);
    chipset.timer_at = 0xfec000f0;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(chipset.timer[0], RUNS);
}

TEST(first_hudson, set_up)
{
    add(0x780b1022, 0x14);
    put32(0x48, 0xfec000f0 | 1);
    chipset.pm[0x4c] = 3;
    chipset.timer_at = 0xfec000f0;
    expect(WATCHDOG_STOPPED, 90);
}

TEST(sp5100, set_up)
{
    uint32_t *config = add(0x43851002, 0x3c);

    config[0x40 / 4] = 1u << 11;
    chipset.pm[0x69] = 3 << 1;
    put32(0x6c, 0xfec000f7);
    chipset.timer_at = 0xfec000f0;
    expect(WATCHDOG_STOPPED, 90);

    chipset.timer[0] = RUNS;
    config[0x40 / 4] = 0;
    expect(WATCHDOG_OFF, 0);
    config[0x9c / 4] = 0xfe000001;
    chipset.timer_at = 0xfe000b00;
    chipset.pm[0x69] = 1 << 1;
    expect(WATCHDOG_STOPPED, 0);
    chipset.timer[0] = RUNS;
    chipset.pm[0x69] |= 1;
    expect(WATCHDOG_OFF, 0);
}

/* What it says of the last restart stays, and it is not started again. */
TEST(what_is_written, set_up)
{
    add_fch(0x790b1022, 0x49);
    chipset.timer[0] = RUNS | FIRED | POWERS_OFF | TRIGGER | 0x100;
    assert_string_equal(fch_stop(map).effect, "switch the machine off");
    assert_int_equal(chipset.timer[0], POWERS_OFF | 0x100);
    chipset.timer[0] = RUNS;
    assert_string_equal(fch_stop(map).effect, "reset the machine");
}

TEST(what_does_not_count, set_up)
{
    add_fch(0x790b1022, 0x49);
    chipset.timer[0] = RUNS | DISABLED;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(chipset.timer[0], RUNS | DISABLED);
    chipset.timer[0] = UINT32_MAX;
    expect(WATCHDOG_OFF, 0);
    assert_int_equal(chipset.timer[0], UINT32_MAX);
    chipset.timer[0] = RUNS;
    chipset.timer[1] = 0;
    expect(WATCHDOG_OFF, 0); /* it was not triggered */
    assert_int_equal(chipset.timer[0], 0);
}

TEST(other_chipsets, set_up)
{
    add(0x29188086, 2);
    add(0x43721002, 0x80);
    expect(WATCHDOG_OFF, 0);
}

static void expect_started(uint32_t count)
{
    struct watchdog_timer started;

    chipset.may_start = true;
    assert_true(fch_start(map, 600, &started));
    assert_int_equal(chipset.timer[0], RUNS | TRIGGER);
    assert_int_equal(chipset.timer[1], count);
    chipset.timer[0] = RUNS; /* TRIGGER is not kept by the hardware */
    started.feed(&started);
    assert_int_equal(chipset.timer[0], RUNS | TRIGGER);
    started.stop(&started);
    assert_int_equal(chipset.timer[0], 0);
}

/* Also where firmware has it switched off, with another resolution and another action. */
TEST(it_is_started, set_up)
{
    add_fch(0x790b1022, 0x51);
    chipset.in_memory = true;
    put32(0, 0x0c00007f);
    chipset.timer[0] = POWERS_OFF | FIRED;
    expect_started(600);
    assert_int_equal(chipset.pm[0], 0xff);
    assert_int_equal(chipset.pm[3], 3);
}

TEST(it_is_started_by_ports, set_up)
{
    add_fch(0x790b1022, 0x49);
    expect_started(600);
}

TEST(what_cannot_be_started, set_up)
{
    struct watchdog_timer started = { .ports = 7 };

    chipset.may_start = true;
    assert_false(fch_start(map, 600, &started)); /* there is none */
    add_fch(0x790b1022, 0x51);
    assert_false(fch_start(map, 600, &started)); /* its registers cannot be had */
    chipset.in_memory = true;
    chipset.timer[0] = DISABLED;
    assert_false(fch_start(map, 600, &started));
    chipset.timer[0] = UINT32_MAX;
    assert_false(fch_start(map, 600, &started));
    assert_int_equal(started.ports, 7);
}

/* Its resolution is too fine for so long, or it lasts. */
TEST(an_older_one, set_up)
{
    struct watchdog_timer started;

    add(0x43851002, 0x40);
    put32(0x48, 0xfec000f0 | 1);
    chipset.timer_at = 0xfec000f0;
    chipset.may_start = true;
    assert_false(fch_start(map, 600, &started));
    chipset.pm[0x4c] = 2;
    expect_started(6000);
}

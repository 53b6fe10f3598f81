// SPDX-License-Identifier: MIT
/* The WDAT's accesses, on ports and registers that the test plays. */
#include "watchdog/kinds.h"

#include "io/ports.h"
#include "tests/unit/unit.h"

enum { PORT = 0x468, RUNS = 1 << 3 };

static uint8_t port8;
static bool obeys;
static int accesses, no_memory;
static volatile uint32_t control, count;

uint8_t io_in8(uint16_t port)
{
    assert_int_equal(port, PORT);
    accesses++;
    return port8;
}

void io_out8(uint16_t port, uint8_t value)
{
    assert_int_equal(port, PORT);
    accesses++;
    if (obeys)
        port8 = value;
}

static uint16_t port16;

uint16_t io_in16(uint16_t port)
{
    return port16;
}

void io_out16(uint16_t port, uint16_t value)
{
    port16 = value;
}

uint32_t io_in32(uint16_t port)
{
    return port16;
}

void io_out32(uint16_t port, uint32_t value)
{
    port16 = (uint16_t)value;
}

#define CONTROL_PHYS UINT64_C(0xfed80000)
#define COUNT_PHYS   UINT64_C(0xfed80004)

static volatile void *map(uint64_t phys, uint64_t bytes)
{
    if (no_memory)
        return NULL;
    return phys == COUNT_PHYS ? &count : &control;
}

static struct wdat_step step(enum wdat_instruction instruction, uint8_t space, uint64_t address,
                             unsigned bytes)
{
    return (struct wdat_step){ .instruction = instruction,
                               .preserve = true,
                               .reg = { .space = space, .bit_offset = 3, .address = address },
                               .bytes = bytes,
                               .mask = 1 };
}

static struct wdat make(uint8_t space, uint64_t address, unsigned bytes)
{
    struct wdat w = { .period_ms = 600 };

    for (unsigned a = 0; a < WDAT_ACTIONS; a++)
        w.action[a].n = 1;
    w.action[WDAT_IS_RUNNING].step[0] = step(WDAT_READ_VALUE, space, address, bytes);
    w.action[WDAT_IS_RUNNING].step[0].value = 1;
    w.action[WDAT_STOP].step[0] = step(WDAT_WRITE_VALUE, space, address, bytes);
    w.action[WDAT_COUNTDOWN].step[0] = step(WDAT_READ_COUNTDOWN, ACPI_SPACE_MEMORY, COUNT_PHYS, 4);
    w.action[WDAT_COUNTDOWN].step[0].mask = 0xff;
    return w;
}

static int set_up(void **state)
{
    port8 = RUNS | 0x41;
    port16 = RUNS;
    control = RUNS | 0xff00;
    count = 100 << 3;
    obeys = true;
    accesses = no_memory = 0;
    return 0;
}

static void expect(const struct wdat *w, enum watchdog_state state)
{
    struct watchdog_found found;

    assert_int_equal(wdat_stop(w, map, &found), STATUS_OK);
    assert_int_equal(found.state, state);
    if (state == WATCHDOG_OFF)
        return;
    assert_true(found.has_time);
    assert_int_equal(found.seconds_left, 60);
}

TEST(by_a_port, set_up)
{
    struct wdat w = make(ACPI_SPACE_IO, PORT, 1);

    expect(&w, WATCHDOG_STOPPED);
    assert_int_equal(port8, 0x41); /* the rest is kept */
    expect(&w, WATCHDOG_OFF);
}

TEST(by_wider_ports, set_up)
{
    for (unsigned bytes = 2; bytes <= 4; bytes += 2) {
        struct wdat w = make(ACPI_SPACE_IO, PORT, bytes);

        set_up(state);
        expect(&w, WATCHDOG_STOPPED);
        assert_int_equal(port16, 0);
    }
}

TEST(by_memory, set_up)
{
    for (unsigned bytes = 1; bytes <= 4; bytes *= 2) {
        struct wdat w = make(ACPI_SPACE_MEMORY, CONTROL_PHYS, bytes);

        set_up(state);
        expect(&w, WATCHDOG_STOPPED);
        assert_int_equal(control, 0xff00);
    }
}

TEST(without_a_countdown, set_up)
{
    struct wdat w = make(ACPI_SPACE_IO, PORT, 1);
    struct watchdog_found found;

    w.action[WDAT_COUNTDOWN].n = 0;
    assert_int_equal(wdat_stop(&w, map, &found), STATUS_OK);
    assert_int_equal(found.state, WATCHDOG_STOPPED);
    assert_false(found.has_time);
}

TEST(one_that_does_not_obey, set_up)
{
    struct wdat w = make(ACPI_SPACE_IO, PORT, 1);

    obeys = false;
    expect(&w, WATCHDOG_RUNS);
}

/* Nothing is touched, not even what could be. */
TEST(registers_where_memory_is, set_up)
{
    struct wdat w = make(ACPI_SPACE_IO, PORT, 1), askew = make(ACPI_SPACE_MEMORY, 0xfed80002, 4);
    struct watchdog_found found;

    no_memory = 1;
    assert_int_equal(wdat_stop(&w, map, &found), STATUS_INVALID);
    no_memory = 0;
    assert_int_equal(wdat_stop(&askew, map, &found), STATUS_INVALID);
    assert_int_equal(accesses, 0);
}

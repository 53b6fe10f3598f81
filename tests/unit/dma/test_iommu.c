// SPDX-License-Identifier: MIT
/* IOMMUs that are turned off, with registers that behave as theirs. */
#include "dma/dma.h"

#include <pthread.h>

#include "../firmware/builder.h"
#include "arch/tsc.h"

#define VTD_AT 0xfed90000u
#define AMD_AT 0xfeb80000u

enum { COMMAND = 0x18 / 4, STATUS = 0x1c / 4, PROTECTED = 0x64 / 4 };

static struct {
    volatile uint32_t registers[1024];
    _Atomic bool ends;
    pthread_t hardware;
} unit;
static bool unreachable;

static volatile uint32_t *map(uint64_t phys, uint64_t bytes)
{
    assert_true(phys == VTD_AT || phys == AMD_AT);
    assert_true(bytes <= sizeof(unit.registers));
    return unreachable ? NULL : unit.registers;
}

/* The status follows the command, of a unit that obeys. */
static void *follow_commands(void *arg)
{
    while (!unit.ends) {
        if (unit.registers[COMMAND] != UINT32_MAX)
            unit.registers[STATUS] = unit.registers[COMMAND];
    }
    return NULL;
}

static void run(const char *signature, uint64_t address)
{
    uint8_t vtd[16] = { 0, 0, 16, 0, 1 }, amd[24] = { 0x10, 0, 24 };
    struct warnings warnings = fresh_warnings();
    FREED_BY(fake_free) struct fake_memory memory = { 0 };
    bool is_vtd = strcmp(signature, "DMAR") == 0;
    struct {
        struct acpi_header header;
        uint32_t entry;
    } __attribute__((packed)) root;
    struct acpi acpi = { .reader = fake_reader(&memory), .n_entries = 1, .entry_size = 4 };
    struct builder b;

    builder_begin(&b, signature, 1, 48);
    memcpy((is_vtd ? vtd : amd) + 8, &address, 8);
    builder_add(&b, is_vtd ? vtd : amd, is_vtd ? sizeof(vtd) : sizeof(amd));
    seal_table(b.bytes, b.length);
    fake_add(&memory, 0x1000, b.bytes, b.length);
    root.entry = 0x1000;
    acpi.entries = (const uint8_t *)&root.entry;
    iommus_turn_off(&acpi, map, &warnings);
}

static int set_up(void **state)
{
    memset((void *)unit.registers, 0, sizeof(unit.registers));
    unit.registers[COMMAND] = UINT32_MAX; /* it cannot be read */
    unreachable = false;
    tsc_set_hz(1000000); /* what is waited for passes in a moment */
    return 0;
}

static int set_up_that_obeys(void **state)
{
    set_up(state);
    tsc_set_hz(UINT64_C(1000000000000)); /* until the thread has its turn, on a busy host, too */
    unit.ends = false;
    return pthread_create(&unit.hardware, NULL, follow_commands, NULL);
}

static int tear_down(void **state)
{
    unit.ends = true;
    return pthread_join(unit.hardware, NULL);
}

TEST(vtd_is_turned_off, set_up_that_obeys, tear_down)
{
    unit.registers[STATUS] = 0xc6800000; /* and the root's address is set, once */
    unit.registers[PROTECTED] = 0x80000000;
    run("DMAR", VTD_AT);
    assert_int_equal(log_.n, 0);
    assert_int_equal(unit.registers[STATUS] & 0xc6000000, 0);
    assert_int_equal(unit.registers[COMMAND], 0x00800000); /* other bits stay, one-shots do not */
    assert_int_equal(unit.registers[PROTECTED], 0);
}

TEST(vtd_that_is_off_stays_as_it_is, set_up_that_obeys, tear_down)
{
    unit.registers[STATUS] = 0x40000000;
    run("DMAR", VTD_AT);
    assert_int_equal(log_.n, 0);
    assert_int_equal(unit.registers[COMMAND], UINT32_MAX);
}

TEST(vtd_that_stays_on, set_up)
{
    unit.registers[STATUS] = 0x80000000;
    run("DMAR", VTD_AT);
    assert_warned(&log_, 1, "the IOMMU at 0xfed90000 cannot be turned off");
}

TEST(amd_is_turned_off, set_up)
{
    unit.registers[COMMAND] = 0x10003007 | 0x20000; /* on, logs, queue, another bit */
    run("IVRS", AMD_AT);
    assert_int_equal(log_.n, 0);
    assert_int_equal(unit.registers[COMMAND], 0x20002);
}

TEST(amd_that_is_off_stays_as_it_is, set_up)
{
    unit.registers[COMMAND] = 0x20002;
    run("IVRS", AMD_AT);
    assert_int_equal(unit.registers[COMMAND], 0x20002);
}

TEST(absent_units, set_up)
{
    unit.registers[STATUS] = UINT32_MAX;
    run("DMAR", VTD_AT);
    run("IVRS", AMD_AT);
    assert_int_equal(log_.n, 0);
    assert_int_equal(unit.registers[COMMAND], UINT32_MAX);
    unreachable = true;
    unit.registers[STATUS] = 0x80000000;
    run("DMAR", VTD_AT);
    assert_int_equal(log_.n, 0);
}

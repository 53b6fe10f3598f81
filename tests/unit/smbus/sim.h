// SPDX-License-Identifier: MIT
/*
 * A chipset's SMBus controller with memory modules on its bus, as their data sheets describe them,
 * behind I/O ports and PCI configuration space. A microsecond passes when a port is read, and when
 * the clock is. What is written to a device is recorded; a write that is not the selection of a
 * page, or that would change or protect an EEPROM, fails the test.
 */
#pragma once

#include "arch/tsc.h"
#include "io/ports.h"
#include "smbus/eeprom.h"
#include "smbus/smbus.h"
#include "tests/unit/unit.h"

#define SIM_PORTS   0xb00u
#define SIM_FOREVER UINT64_MAX

enum sim_kind {
    SIM_EEPROM, /* of modules before DDR4 */
    SIM_EE1004,
    SIM_HUB,
    SIM_QEMU, /* 256 bytes, whatever the module is */
};

struct sim_device {
    enum sim_kind kind;
    uint8_t memory[1024];
    uint8_t reg[128];    /* of a hub */
    uint16_t sensor[16]; /* of a chip at 0x18 to 0x1f, if has_sensor */
    bool is_there, has_sensor;
};

static struct sim {
    uint64_t now;

    /* PCI: one function, 00:14.0. */
    uint32_t config[64], config_address;
    uint32_t bridge[64]; /* configuration space of 00:00.0; [0] 0: it is not there */
    uint8_t pm[256], pm_index;
    bool has_pm_ports, pm_is_in_memory;

    /* The controller. */
    enum smbus_kind kind;
    uint8_t status, control, command, address, data0, data1, slave_control;
    bool semaphore;          /* i801: INUSE_STS */
    uint64_t others_have_it; /* until then, in microseconds */
    uint64_t busy_until;     /* with a transaction of others */
    unsigned slow;           /* looks at the status that a transaction takes */
    unsigned left;           /* until the current one ends */
    unsigned collisions;     /* transactions that will collide */
    unsigned dies_after;     /* after how many transactions of all devices; 0: never */
    uint8_t hangs_at;        /* an address that holds the clock */
    bool blocks_writes;      /* the controller: no answer */
    bool ignores_writes;     /* the hub: its page stays */
    bool is_hung;

    struct sim_device device[8];
    unsigned page; /* of all EE1004 */

    unsigned transactions, page_writes, takes, gives;
} sim;

uint64_t tsc_now(void)
{
    return sim.now++;
}

uint64_t tsc_from_us(uint64_t us)
{
    return us;
}

void tsc_wait_us(uint64_t us)
{
    sim.now += us;
}

static inline void sim_load(unsigned slot, enum sim_kind kind, const char *name)
{
    struct sim_device *d = &sim.device[slot];
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "tests/data/rebuilt/%s.spd", name);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(fread(d->memory, 1, sizeof(d->memory), f) > 0);
    fclose(f);
    d->kind = kind;
    d->is_there = true;
    if (kind == SIM_HUB) {
        d->reg[0] = 0x51;
        d->reg[1] = 0x18;
        d->reg[5] = 0x03; /* a hub with a sensor */
    }
}

static inline void sim_function(uint32_t id, uint32_t class_code, unsigned revision)
{
    sim.config[0] = id;
    sim.config[1] = 1; /* ports */
    sim.config[2] = class_code << 8 | revision;
}

static inline void sim_begin(enum smbus_kind kind)
{
    memset(&sim, 0, sizeof(sim));
    memset(sim.pm, 0xff, sizeof(sim.pm));
    sim.kind = kind;
    sim.slow = 3;
    switch (kind) {
    case SMBUS_I801:
        sim_function(0x29308086, 0x0c0500, 2);
        sim.config[0x20 / 4] = SIM_PORTS | 1;
        sim.config[0x40 / 4] = 1;
        break;
    case SMBUS_PIIX4:
        sim_function(0x71138086, 0x068000, 3);
        sim.config[0x90 / 4] = SIM_PORTS | 1;
        sim.config[0xd0 / 4] = 1 << 16;
        break;
    case SMBUS_FCH:
        sim_function(0x790b1022, 0x0c0500, 0x4b);
        sim.has_pm_ports = true;
        sim.pm[0] = 0x10;
        sim.pm[1] = SIM_PORTS >> 8;
        sim.pm[2] = 0x08; /* another bus is selected */
        break;
    }
}

static inline volatile void *sim_map(uint64_t phys, uint64_t bytes)
{
    assert_int_equal(phys, 0xfed80300);
    assert_int_equal(bytes, sizeof(sim.pm));
    return sim.pm_is_in_memory ? sim.pm : NULL;
}

/* --- devices -----------------------------------------------------------------------------------
 */

static inline struct sim_device *sim_device_at(uint8_t address)
{
    struct sim_device *d = &sim.device[address & 7];

    /* On the first of FCH's buses alone. */
    if (sim.kind == SMBUS_FCH && sim.pm[2] & 0x18)
        return NULL;
    if (address >> 3 == 0x50 >> 3)
        return d->is_there ? d : NULL;
    return address >> 3 == 0x18 >> 3 && d->has_sensor ? d : NULL;
}

/* What the device returns for a read from `at` on, one byte after the other. */
static inline uint8_t sim_read(const struct sim_device *d, uint8_t address, uint8_t at, unsigned i)
{
    if (address < 0x20)
        return (uint8_t)(i ? d->sensor[at] : d->sensor[at] >> 8);
    at = (uint8_t)(at + i);
    switch (d->kind) {
    case SIM_EEPROM:
    case SIM_QEMU: return d->memory[at];
    case SIM_EE1004: return d->memory[256 * sim.page + at];
    default: return at & 0x80 ? d->memory[128 * (d->reg[11] & 7) + (at & 0x7f)] : d->reg[at];
    }
}

/* Whether it takes the byte. EEPROMs without pages know 0x30 to 0x37 as commands that protect. */
static inline bool sim_write(uint8_t address, uint8_t control)
{
    struct sim_device *d = sim_device_at(address);
    bool has_ee1004 = false;

    sim.page_writes++;
    if (address == 0x36 || address == 0x37) {
        assert_int_equal(control, 0x04);
        for (unsigned i = 0; i < 8; i++) {
            if (sim.device[i].is_there && sim.device[i].kind == SIM_EEPROM)
                fail_msg("an EEPROM is told to protect itself");
            has_ee1004 = has_ee1004 || (sim.device[i].is_there && sim.device[i].kind == SIM_EE1004);
        }
        if (has_ee1004)
            sim.page = address & 1;
        return has_ee1004;
    }
    assert_non_null(d);
    assert_int_equal(d->kind, SIM_HUB);
    assert_int_equal(control, 0x08);
    assert_int_equal(sim.command, 11);
    assert_true(sim.data0 < 8);
    if (!sim.blocks_writes && !sim.ignores_writes)
        d->reg[11] = sim.data0;
    return !sim.blocks_writes;
}

/* --- the controller ------------------------------------------------------------------------------
 */

static inline void sim_end_transaction(void)
{
    uint8_t address = sim.address >> 1, control = sim.control & 0x1c;
    struct sim_device *d = sim_device_at(address);
    bool answers;

    sim.transactions++;
    if (sim.dies_after && sim.transactions > sim.dies_after) {
        sim.status |= 0x04;
        return;
    }
    if (sim.collisions) {
        sim.collisions--;
        sim.status |= 0x08;
        return;
    }
    if (!(sim.address & 1)) {
        answers = sim_write(address, control);
    } else {
        answers = d;
        if (answers) {
            sim.data0 = sim_read(d, address, sim.command, 0);
            if (control == 0x0c)
                sim.data1 = sim_read(d, address, sim.command, 1);
            else
                assert_int_equal(control, 0x08);
        }
    }
    sim.status |= answers ? 0x02 : 0x04;
}

static inline uint8_t sim_status(void)
{
    uint8_t status;

    if (sim.busy_until > sim.now)
        return sim.status | 0x01;
    if (sim.left && !sim.is_hung && --sim.left == 0)
        sim_end_transaction();
    status = sim.status | (sim.left ? 0x01 : 0);
    if (sim.kind == SMBUS_I801) {
        if (sim.semaphore || sim.others_have_it > sim.now)
            return status | 0x40;
        sim.semaphore = true;
        sim.takes++;
    }
    return status;
}

static inline void sim_write_status(uint8_t value)
{
    sim.status &= (uint8_t) ~(value & 0x1e);
    if (sim.kind == SMBUS_I801 && value & 0x40) {
        assert_true(sim.semaphore);
        sim.semaphore = false;
        sim.gives++;
    }
}

static inline bool sim_is_taken(void)
{
    return sim.kind == SMBUS_PIIX4 || (sim.kind == SMBUS_I801 && sim.semaphore) ||
           (sim.kind == SMBUS_FCH && sim.slave_control & 0x10);
}

static inline void sim_start(uint8_t value)
{
    sim.control = value & (uint8_t)~0x40;
    if (value & 0x02) { /* kill */
        sim.left = 0;
        sim.is_hung = false;
        sim.status |= 0x10;
    } else if (value & 0x40) {
        assert_true(sim_is_taken());
        assert_int_equal(sim.left, 0);
        assert_int_equal(sim.status & 0x1e, 0); /* not cleared: the end would be seen too early */
        sim.left = sim.slow;
        sim.is_hung = sim.hangs_at && sim.hangs_at == sim.address >> 1;
    }
}

static inline void sim_write_slave_control(uint8_t value)
{
    if (value & 0x20) {
        assert_true(sim.slave_control & 0x10);
        sim.slave_control &= (uint8_t)~0x10;
        sim.gives++;
    } else if (value & 0x10 && sim.others_have_it <= sim.now) {
        sim.takes += !(sim.slave_control & 0x10);
        sim.slave_control |= 0x10;
    }
}

uint8_t io_in8(uint16_t port)
{
    sim.now++;
    if (port == 0xcd7) {
        assert_true(sim.has_pm_ports);
        return sim.pm[sim.pm_index];
    }
    switch (port - SIM_PORTS) {
    case 0: return sim_status();
    case 2: return sim.control;
    case 5: return sim.data0;
    case 6: return sim.data1;
    case 8: return sim.slave_control;
    default: fail_msg("port 0x%x is read", port); return 0;
    }
}

void io_out8(uint16_t port, uint8_t value)
{
    if (port == 0xcd6 || port == 0xcd7) {
        assert_true(sim.has_pm_ports);
        if (port == 0xcd6)
            sim.pm_index = value;
        else
            sim.pm[sim.pm_index] = value;
        return;
    }
    switch (port - SIM_PORTS) {
    case 0: sim_write_status(value); break;
    case 2: sim_start(value); break;
    case 3: sim.command = value; break;
    case 4: sim.address = value; break;
    case 5: sim.data0 = value; break;
    case 8: sim_write_slave_control(value); break;
    default: fail_msg("0x%x is written to port 0x%x", value, port);
    }
}

uint32_t io_in32(uint16_t port)
{
    if (port == 0xcf8)
        return sim.config_address;
    assert_int_equal(port, 0xcfc);
    if (!(sim.config_address & 0xffff00) && sim.bridge[0])
        return sim.bridge[(sim.config_address & 0xff) / 4];
    return (sim.config_address & 0xffff00) == 0xa000 ? sim.config[(sim.config_address & 0xff) / 4]
                                                     : UINT32_MAX;
}

void io_out32(uint16_t port, uint32_t value)
{
    assert_int_equal(port, 0xcf8); /* configuration space is only read */
    sim.config_address = value;
}

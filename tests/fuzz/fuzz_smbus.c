// SPDX-License-Identifier: MIT
/*
 * An SMBus controller and modules that answer anything: what is read of ports comes from the input,
 * byte by byte; where that has ended, nothing answers and the bus is free. The input begins with
 * the kind of controller and what its write protection is. Nothing but the selection of a page may
 * be written to a module, and of it only what the data sheets know; and all of it ends.
 */
#include "smbus/eeprom.h"

#include <stdlib.h>
#include <string.h>

#include "fake_clock.h"
#include "fuzz.h"
#include "io/ports.h"

#define PORTS 0xb00u
#define LOOKS_MAX                                                                                  \
    (UINT64_C(1) << 22) /* 8 modules, each of which may keep the bus for half a second */

#define STATUS   0
#define CONTROL  2
#define COMMAND  3
#define ADDRESS  4
#define DATA     5
#define START    0x40
#define NO_REPLY 0x04

static struct {
    struct fuzz_input in;
    uint8_t port[16];
    bool blocks_writes;
    uint8_t pm[256];
} host;

/* Whether the modules' addresses, and the ways to select a page, are all that is written to. */
static void check_write(uint8_t control)
{
    uint8_t address = host.port[ADDRESS] >> 1;

    if (host.port[ADDRESS] & 1)
        return;
    if (address == 0x36 || address == 0x37) {
        CHECK((control & 0x1c) == 0x04);
        return;
    }
    CHECK(address >= 0x50 && address <= 0x57 && !host.blocks_writes);
    CHECK((control & 0x1c) == 0x08 && host.port[COMMAND] == 11 && host.port[DATA] < 8);
}

uint8_t io_in8(uint16_t port)
{
    CHECK(port >= PORTS && port < PORTS + sizeof(host.port));
    CHECK(fake_clock_looks() < LOOKS_MAX);
    if (host.in.left)
        return (uint8_t)fuzz_number(&host.in, 1);
    return port == PORTS + STATUS ? NO_REPLY : port == PORTS + 8 ? 0x10 : 0;
}

void io_out8(uint16_t port, uint8_t value)
{
    CHECK(port >= PORTS && port < PORTS + sizeof(host.port));
    if (port == PORTS + CONTROL && value & START)
        check_write(value);
    host.port[port - PORTS] = value;
}

static void check(const struct eeprom *e)
{
    struct spd spd;

    CHECK(e->n <= SPD_BYTES_MAX && (e->n == 0 || e->is_there));
    CHECK(e->outcome != SMBUS_DONE || e->n % 128 == 0);
    if (e->n)
        spd_read(e->byte, e->n, &spd);
}

static void read_sensors(struct smbus *bus, const struct eeprom *eeprom)
{
    const struct spd spd = { .has_sensor = true };

    for (unsigned i = 0; i < EEPROMS; i++) {
        struct sensor sensor = { 0 };
        int32_t mc = 0;

        if (!eeprom[i].is_there || smbus_take(bus, 1000) != SMBUS_DONE)
            continue;
        sensor_find(bus, &eeprom[i], &spd, &sensor);
        if (sensor.address && sensor_read(bus, &sensor, &mc) == SMBUS_DONE)
            CHECK(mc >= -256000 && mc < 256000);
        smbus_give(bus);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct eeprom *eeprom = malloc(EEPROMS * sizeof(*eeprom));
    struct smbus bus = { .ports = PORTS, .pm = host.pm, .select = 2, .select_mask = 0x18 };
    uint8_t kind;

    memset(&host, 0, sizeof(host));
    host.in = (struct fuzz_input){ bytes, size };
    fake_clock_begin();
    kind = (uint8_t)fuzz_number(&host.in, 1);
    bus.kind = kind % 3;
    bus.blocks_writes = host.blocks_writes = kind & 0x80;
    host.pm[2] = 0x08;
    eeproms_read(&bus, kind & 0x40, eeprom);
    for (unsigned i = 0; i < EEPROMS; i++)
        check(&eeprom[i]);
    read_sensors(&bus, eeprom);
    CHECK(host.pm[2] == 0x08);
    free(eeprom);
    return 0;
}

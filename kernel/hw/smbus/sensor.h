// SPDX-License-Identifier: MIT
/*
 * Temperatures of memory modules: by the sensor in an SPD5118 hub (JESD300-5, MR49 and MR50), or by
 * one in a chip of its own next to a DDR3's or DDR4's EEPROM (JEDEC 21-C, 4.1.5, TSE2004av:
 * register 5 at addresses 0x18 to 0x1f). Only reads. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "smbus/eeprom.h"
#include "smbus/smbus.h"
#include "spd/spd.h"

struct sensor {
    uint8_t address; /* 0: the module has none, or it is off */
    bool is_hub;
};

/* The bus is taken. Asks a chip of its own only where the SPD says that there is one. */
enum smbus_outcome sensor_find(struct smbus *bus, const struct eeprom *eeprom,
                               const struct spd *spd, struct sensor *ret_sensor);

/* In thousandths of a degree Celsius; the bus is taken. */
enum smbus_outcome sensor_read(struct smbus *bus, const struct sensor *sensor, int32_t *ret_mc);

// SPDX-License-Identifier: MIT
/*
 * The SPDs on a bus, at addresses 0x50 to 0x57: EEPROMs of 256 bytes, EE1004 of two pages of 256
 * (JEDEC 21-C, 4.1.6), and SPD5118 hubs with eight pages of 128 behind registers (JESD300-5). Pages
 * are as they were found when all is read. And the temperatures of their modules. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smbus/smbus.h"
#include "spd/spd.h"

#define EEPROM_FIRST 0x50u
#define EEPROMS      8u

/* What was read at one address. */
struct eeprom {
    uint8_t address;
    bool is_hub;
    bool is_there;              /* something answers */
    uint16_t n;                 /* bytes, from the first on; 0: none, or all of them are blank */
    enum smbus_outcome outcome; /* SMBUS_DONE: all of them, or a blank one */
    uint8_t byte[SPD_BYTES_MAX];
};

/*
 * Reads all. Modules are DDR4 by firmware's word (is_ddr4): then an EE1004 that shows its second
 * page can be turned to its first. SMBUS_IN_USE and SMBUS_HUNG: the bus is not used any more;
 * eeproms read before are complete.
 */
enum smbus_outcome eeproms_read(struct smbus *bus, bool is_ddr4, struct eeprom eeprom[EEPROMS]);

/*
 * Temperatures of memory modules: by the sensor in an SPD5118 hub (JESD300-5, MR49 and MR50), or by
 * one in a chip of its own next to a DDR3's or DDR4's EEPROM (JEDEC 21-C, 4.1.5, TSE2004av:
 * register 5 at addresses 0x18 to 0x1f). Only reads.
 */
struct sensor {
    uint8_t address; /* 0: the module has none, or it is off */
    bool is_hub;
};

/* The bus is taken. Asks a chip of its own only where the SPD says that there is one. */
enum smbus_outcome sensor_find(struct smbus *bus, const struct eeprom *eeprom,
                               const struct spd *spd, struct sensor *ret_sensor);

/* In thousandths of a degree Celsius; the bus is taken. */
enum smbus_outcome sensor_read(struct smbus *bus, const struct sensor *sensor, int32_t *ret_mc);

// SPDX-License-Identifier: MIT
#include "smbus/sensor.h"

#define HUB_CAPABILITY 5
#define HUB_HAS_SENSOR 0x02u
#define HUB_CONFIG     26
#define HUB_IS_OFF     0x01u
#define HUB_VALUE      49

#define CHIP_FIRST      0x18u
#define CHIP_CONFIG     1
#define CHIP_CONFIG_NOT UINT16_C(0xf800) /* bits that are always 0 */
#define CHIP_IS_OFF     UINT16_C(0x0100)
#define CHIP_VALUE      5

/* Registers of a chip are big endian. */
static enum smbus_outcome read_chip(struct smbus *bus, uint8_t address, uint8_t at,
                                    uint16_t *ret_value)
{
    uint16_t word;
    enum smbus_outcome outcome = smbus_read_word(bus, address, at, &word);

    if (outcome == SMBUS_DONE)
        *ret_value = (uint16_t)(word << 8 | word >> 8);
    return outcome;
}

static enum smbus_outcome find_in_hub(struct smbus *bus, uint8_t address, struct sensor *ret_sensor)
{
    uint8_t capability, config;
    enum smbus_outcome outcome = smbus_read_byte(bus, address, HUB_CAPABILITY, &capability);

    if (outcome == SMBUS_DONE)
        outcome = smbus_read_byte(bus, address, HUB_CONFIG, &config);
    if (outcome == SMBUS_DONE && capability & HUB_HAS_SENSOR && !(config & HUB_IS_OFF))
        *ret_sensor = (struct sensor){ .address = address, .is_hub = true };
    return outcome;
}

static enum smbus_outcome find_chip(struct smbus *bus, uint8_t address, struct sensor *ret_sensor)
{
    uint16_t config;
    enum smbus_outcome outcome = read_chip(bus, address, CHIP_CONFIG, &config);

    if (outcome == SMBUS_DONE && !(config & (CHIP_CONFIG_NOT | CHIP_IS_OFF)))
        *ret_sensor = (struct sensor){ .address = address };
    return outcome;
}

enum smbus_outcome sensor_find(struct smbus *bus, const struct eeprom *eeprom,
                               const struct spd *spd, struct sensor *ret_sensor)
{
    *ret_sensor = (struct sensor){ 0 };
    if (eeprom->is_hub)
        return find_in_hub(bus, eeprom->address, ret_sensor);
    if (!spd->has_sensor)
        return SMBUS_DONE;
    return find_chip(bus, (uint8_t)(CHIP_FIRST + eeprom->address - EEPROM_FIRST), ret_sensor);
}

/* 13 bits in sixteenths of a degree, of which a hub leaves the lowest two 0. */
static int32_t millidegrees(uint16_t value)
{
    int32_t sixteenths = (value & 0x0fff) - (value & 0x1000);

    return sixteenths * 125 / 2;
}

enum smbus_outcome sensor_read(struct smbus *bus, const struct sensor *sensor, int32_t *ret_mc)
{
    uint16_t value;
    enum smbus_outcome outcome = sensor->is_hub
                                     ? smbus_read_word(bus, sensor->address, HUB_VALUE, &value)
                                     : read_chip(bus, sensor->address, CHIP_VALUE, &value);

    if (outcome == SMBUS_DONE)
        *ret_mc = millidegrees(value);
    return outcome;
}

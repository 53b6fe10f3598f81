// SPDX-License-Identifier: MIT
#include "smbus/eeprom.h"

#include "lib/string.h"

#define EE1004_PAGE_BYTES 256u
#define AT_TYPE           2u
#define TYPE_SDRAM        0x01u /* from here to DDR3, modules know no pages */

/* SPD5118: registers below 0x80, and a page above. */
#define HUB_TYPE       0x1851u /* MR0 and MR1: 0x51, 0x18 */
#define HUB_MR11       11
#define HUB_PAGE       0x07u
#define HUB_TWO_BYTES  0x08u /* addresses of two bytes, which are not SMBus's */
#define HUB_MEMORY     0x80u
#define HUB_PAGE_BYTES 128u
#define HUB_PAGES      8u

#define BLANK_BYTES 16u /* equal ones; after these no more is read */

/* n: even. */
static enum smbus_outcome read_bytes(struct smbus *bus, uint8_t address, unsigned command,
                                     uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        uint16_t word;
        enum smbus_outcome outcome = smbus_read_word(bus, address, (uint8_t)(command + i), &word);

        if (outcome != SMBUS_DONE)
            return outcome;
        bytes[i] = (uint8_t)word;
        bytes[i + 1] = (uint8_t)(word >> 8);
    }
    return SMBUS_DONE;
}

static bool is_blank(const uint8_t *bytes)
{
    for (size_t i = 1; i < BLANK_BYTES; i++) {
        if (bytes[i] != bytes[0])
            return false;
    }
    return bytes[0] == 0 || bytes[0] == 0xff;
}

/* A page after those that were read; a blank first one ends it. */
static enum smbus_outcome read_page(struct smbus *bus, struct eeprom *e, unsigned command, size_t n)
{
    uint8_t *bytes = e->byte + e->n;
    enum smbus_outcome outcome = read_bytes(bus, e->address, command, bytes, BLANK_BYTES);

    if (outcome != SMBUS_DONE || (e->n == 0 && is_blank(bytes)))
        return outcome;
    outcome =
        read_bytes(bus, e->address, command + BLANK_BYTES, bytes + BLANK_BYTES, n - BLANK_BYTES);
    if (outcome == SMBUS_DONE)
        e->n = (uint16_t)(e->n + n);
    return outcome;
}

/* EE1004 shows its first page. */
static enum smbus_outcome read_eeprom(struct smbus *bus, struct eeprom *e, bool has_pages)
{
    enum smbus_outcome outcome = read_page(bus, e, 0, EE1004_PAGE_BYTES), back;

    if (outcome != SMBUS_DONE || !has_pages || e->n == 0 || e->byte[AT_TYPE] != SPD_DDR4)
        return outcome;
    outcome = smbus_select_ee1004_page(bus, 1);
    if (outcome == SMBUS_DONE)
        outcome = read_page(bus, e, 0, EE1004_PAGE_BYTES);
    back = smbus_select_ee1004_page(bus, 0);
    return outcome == SMBUS_DONE ? back : outcome;
}

static enum smbus_outcome show_page(struct smbus *bus, uint8_t address, unsigned page)
{
    enum smbus_outcome outcome = smbus_select_hub_page(bus, address, page);
    uint8_t shown;

    if (outcome == SMBUS_DONE)
        outcome = smbus_read_byte(bus, address, HUB_MR11, &shown);
    if (outcome == SMBUS_DONE && (shown & HUB_PAGE) != page)
        return SMBUS_BLOCKED; /* by the hub, or by a controller that does not say so */
    return outcome;
}

static enum smbus_outcome read_hub_pages(struct smbus *bus, struct eeprom *e, unsigned shown)
{
    for (unsigned page = 0; page < HUB_PAGES; page++) {
        enum smbus_outcome outcome = SMBUS_DONE;

        if (page != shown)
            outcome = show_page(bus, e->address, page);
        if (outcome == SMBUS_DONE)
            outcome = read_page(bus, e, HUB_MEMORY, HUB_PAGE_BYTES);
        if (outcome != SMBUS_DONE || e->n == 0)
            return outcome;
        shown = page;
    }
    return SMBUS_DONE;
}

static enum smbus_outcome read_hub(struct smbus *bus, struct eeprom *e)
{
    uint8_t mode, now;
    enum smbus_outcome outcome = smbus_read_byte(bus, e->address, HUB_MR11, &mode);

    if (outcome != SMBUS_DONE)
        return outcome;
    if (mode & HUB_TWO_BYTES)
        return SMBUS_OTHER_MODE;
    outcome = read_hub_pages(bus, e, mode & HUB_PAGE);
    if (smbus_read_byte(bus, e->address, HUB_MR11, &now) == SMBUS_DONE && now != mode)
        smbus_select_hub_page(bus, e->address, mode & HUB_PAGE);
    return outcome;
}

/* What is there, and in ret_types as bits the types of those that are not hubs. */
static enum smbus_outcome probe(struct smbus *bus, struct eeprom *e, uint32_t *ret_types)
{
    uint16_t first;
    uint8_t type;
    enum smbus_outcome outcome = smbus_read_word(bus, e->address, 0, &first);

    if (outcome != SMBUS_DONE)
        return outcome;
    e->is_there = true;
    e->is_hub = first == HUB_TYPE;
    if (e->is_hub)
        return SMBUS_DONE;
    outcome = smbus_read_byte(bus, e->address, AT_TYPE, &type);
    if (outcome == SMBUS_DONE && type < 32)
        *ret_types |= UINT32_C(1) << type;
    return outcome;
}

static bool ends_all(enum smbus_outcome outcome)
{
    return outcome == SMBUS_IN_USE || outcome == SMBUS_HUNG;
}

/* Whether pages may be selected; then all EE1004 show their first. */
static enum smbus_outcome find_pages(struct smbus *bus, bool is_ddr4, uint32_t types,
                                     bool *ret_has_pages)
{
    uint32_t ddr4 = UINT32_C(1) << SPD_DDR4, older = ddr4 - (UINT32_C(1) << TYPE_SDRAM);

    *ret_has_pages = (is_ddr4 || types & ddr4) && !(types & older);
    return *ret_has_pages ? smbus_select_ee1004_page(bus, 0) : SMBUS_DONE;
}

static enum smbus_outcome probe_all(struct smbus *bus, bool is_ddr4, struct eeprom *eeprom,
                                    bool *ret_has_pages)
{
    enum smbus_outcome outcome = smbus_take(bus, SMBUS_TAKE_US);
    uint32_t types = 0;

    if (outcome != SMBUS_DONE)
        return outcome;
    for (unsigned i = 0; i < EEPROMS && !ends_all(outcome); i++) {
        eeprom[i].address = (uint8_t)(EEPROM_FIRST + i);
        outcome = eeprom[i].outcome = probe(bus, &eeprom[i], &types);
    }
    if (!ends_all(outcome))
        outcome = find_pages(bus, is_ddr4, types, ret_has_pages);
    smbus_give(bus);
    return outcome;
}

/* The bus is free for others between two modules. */
static enum smbus_outcome read_one(struct smbus *bus, struct eeprom *e, bool has_pages)
{
    enum smbus_outcome outcome = smbus_take(bus, SMBUS_TAKE_US);

    if (outcome != SMBUS_DONE)
        return outcome;
    outcome = e->is_hub ? read_hub(bus, e) : read_eeprom(bus, e, has_pages);
    smbus_give(bus);
    return outcome;
}

enum smbus_outcome eeproms_read(struct smbus *bus, bool is_ddr4, struct eeprom eeprom[EEPROMS])
{
    bool has_pages = false;
    enum smbus_outcome outcome;

    memset(eeprom, 0, EEPROMS * sizeof(*eeprom));
    outcome = probe_all(bus, is_ddr4, eeprom, &has_pages);
    for (unsigned i = 0; i < EEPROMS && !ends_all(outcome); i++) {
        if (eeprom[i].is_there)
            outcome = eeprom[i].outcome = read_one(bus, &eeprom[i], has_pages);
    }
    return ends_all(outcome) ? outcome : SMBUS_DONE;
}

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

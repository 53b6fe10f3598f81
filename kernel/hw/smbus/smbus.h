// SPDX-License-Identifier: MIT
/*
 * The SMBus (System Management Bus 2.0) that memory modules are on, by the controllers of chipsets:
 *
 * - Intel's in ICH and PCH (ICH9 datasheet, 19), PCI class 0C05: ports in BAR 4, of which
 *   configuration register HOSTC says whether they are on, and whether they refuse to write to
 *   addresses 0x50 to 0x57; a semaphore, INUSE_STS
 * - Intel's PIIX4 (82371AB datasheet, 7.3) and ATI's before SB800, with the same ports, whose
 *   address is in configuration space
 * - AMD's and Hygon's FCH (SB800 Register Reference Guide, 2.3.3 and 2.4; BKDG of family
 * 16h, 3.26.8 and 3.26.13): the address is in the PM registers, behind ports 0xcd6 and 0xcd7 or,
 * where those are gone, in memory at 0xfed80300; several buses, of which one is selected; a
 * semaphore
 *
 * What is written to devices is the page selection, without which not all of an SPD can be read; no
 * function here writes anything else. Each transaction has a deadline; after one that did not end
 * the bus is not used any more. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/pci.h"
#include "lib/status.h"

enum smbus_outcome {
    SMBUS_DONE,
    SMBUS_NO_DEVICE,  /* nothing answers at that address */
    SMBUS_IN_USE,     /* by others: firmware, or a management controller */
    SMBUS_HUNG,       /* a transaction has not ended before its deadline */
    SMBUS_FAILED,     /* it was disturbed, three times */
    SMBUS_BLOCKED,    /* the controller refuses to write to the modules */
    SMBUS_OTHER_MODE, /* the module's hub wants addresses of two bytes, which are not SMBus's */
};

enum smbus_kind { SMBUS_I801, SMBUS_PIIX4, SMBUS_FCH };

struct smbus {
    enum smbus_kind kind;
    uint16_t ports;     /* the first */
    bool blocks_writes; /* to 0x50 to 0x57 */
    bool is_hung;
    volatile uint8_t *pm; /* FCH: its PM registers; NULL: behind ports */
    uint8_t select;       /* FCH: the PM register that selects a bus */
    uint8_t select_mask;  /* its bits, all 0 for the modules' bus */
    uint8_t selected;     /* what it had before smbus_take */
};

/* Registers at a physical address; NULL: there cannot be any. */
typedef volatile void *smbus_map(uint64_t phys, uint64_t bytes);

/*
 * The first controller of a known kind that is on. STATUS_NOT_FOUND: there is none;
 * STATUS_UNSUPPORTED: there is one, which firmware has left off; ret_bus->kind says which. Touches
 * nothing but configuration space and the PM registers, which are only read.
 */
enum status smbus_find(smbus_map *map, struct smbus *ret_bus);

/* "Intel", "PIIX4", "AMD": whose controller. */
const char *smbus_kind_name(enum smbus_kind kind);

/* How long others may use the controller before it counts as in use: at the start. */
#define SMBUS_TAKE_US 500000

/*
 * Before transactions: waits so long while others use the controller. After all but SMBUS_DONE the
 * bus is left alone.
 */
enum smbus_outcome smbus_take(struct smbus *bus, uint64_t wait_us);
void smbus_give(struct smbus *bus);

/* A byte, or two that follow each other, the first in the lower half. command: where in the device.
 */
enum smbus_outcome smbus_read_byte(struct smbus *bus, uint8_t address, uint8_t command,
                                   uint8_t *ret_byte);
enum smbus_outcome smbus_read_word(struct smbus *bus, uint8_t address, uint8_t command,
                                   uint16_t *ret_word);

/*
 * Which 256 bytes all EE1004 on the bus show: page 0 or 1 (JEDEC 21-C, 4.1.6, SPA0 and SPA1). Never
 * where there may be modules older than DDR4: there it would be a command to protect an EEPROM.
 */
enum smbus_outcome smbus_select_ee1004_page(struct smbus *bus, unsigned page);

/* Which 128 bytes the SPD5118 at that address shows: pages 0 to 7 (JESD300-5, MR11). */
enum smbus_outcome smbus_select_hub_page(struct smbus *bus, uint8_t address, unsigned page);

/* "in use by firmware or a management controller": for a sentence that begins with "the bus is". */
const char *smbus_outcome_text(enum smbus_outcome outcome);

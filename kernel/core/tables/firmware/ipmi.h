// SPDX-License-Identifier: MIT
/*
 * The management controller (BMC): where it is reached, by SMBIOS type 38 (DMTF DSP0134 3.7, 7.39),
 * and what okram writes into its event log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/smbios.h"

/* The interfaces of IPMI 2.0 (appendix C1-1). */
enum ipmi_interface {
    IPMI_NONE, /* there is no type 38, or it does not say */
    IPMI_KCS,  /* keyboard controller style */
    IPMI_SMIC,
    IPMI_BT,
    IPMI_SSIF,
};

struct smbios_ipmi {
    enum ipmi_interface interface;
    bool is_memory;  /* its registers are in memory, not I/O ports */
    uint64_t base;   /* of the first register */
    uint8_t spacing; /* bytes from one register to the next: 1, 4 or 16; 0: reserved by IPMI */
};

/* The first type 38 counts; without one, ret_ipmi->interface is IPMI_NONE. */
void smbios_ipmi_read(const struct smbios *smbios, struct smbios_ipmi *ret_ipmi);

/*
 * A record of the event log (IPMI 2.0, 31.6 Add SEL Entry, and 32.3, OEM records without a time):
 * 16 bytes of which the controller fills in the first two.
 *
 * | byte | what |
 * |---|---|
 * | 2 | type 0xe0 |
 * | 3-7 | "okram" |
 * | 8 | the verdict: 'P' pass, 'F' fail, 'C' corrected, 'S' stopped, 'E' error |
 * | 9 | 1: all memory was tested; 0: a part of it |
 * | 10-13 | how many pages are bad, the highest byte first; at most 0xffffffff |
 * | 14-15 | whole passes, the highest byte first; at most 0xffff |
 *
 * Types 0xf0 and above are not used: Linux writes its panics there, and programs show them so.
 */

#define SEL_RECORD_BYTES 16
#define SEL_RECORD_TYPE  0xe0

struct sel_verdict {
    const char *status; /* of the result: pass, fail, corrected, stopped, error */
    bool is_complete;
    uint64_t bad_pages;
    uint32_t passes;
};

void sel_record_make(const struct sel_verdict *verdict, uint8_t ret_record[SEL_RECORD_BYTES]);

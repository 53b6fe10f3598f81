// SPDX-License-Identifier: MIT
/* Where the management controller (BMC) is reached: SMBIOS type 38 (DMTF DSP0134 3.7, 7.39). */
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

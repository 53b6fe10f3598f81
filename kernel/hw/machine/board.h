// SPDX-License-Identifier: MIT
/* What the machine is made of, and its firmware, by SMBIOS, PCI and the loader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dma/dma.h"
#include "findings/unseen.h"
#include "firmware/memory_ecc.h"
#include "firmware/ipmi.h"
#include "firmware/smbios_memory.h"
#include "firmware/smbios_names.h"
#include "guardlist/fingerprint.h"

struct board {
    int64_t started; /* seconds since 1970 by the clock of date and time; 0: unknown */
    char name[64];   /* SMBIOS: maker and product, or "" */
    struct smbios_names names;
    struct guard_fingerprint fingerprint; /* how the guard recognises this machine */

    uint64_t installed_bytes;          /* SMBIOS; 0: unknown */
    const struct smbios_memory *slots; /* NULL: SMBIOS lists none */
    struct unseen unseen;              /* machine/inventory.h */
    struct memory_ecc ecc;
    unsigned repair; /* bits: enum memory_repair */

    struct smbios_ipmi ipmi;
    struct bus_masters bus_masters; /* that were left on */
    bool secure_boot;               /* is on */
    bool is_locked; /* it is, or may be: options, which are not signed, may not name addresses */
    bool has_guard; /* firmware is 64-bit UEFI, for which there is the guard */
};

extern struct board board;

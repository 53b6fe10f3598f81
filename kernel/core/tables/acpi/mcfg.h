// SPDX-License-Identifier: MIT
/*
 * Where PCI's extended configuration space is: the table MCFG (PCI Firmware Specification 3.3,
 * 4.1.2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

struct mcfg {
    uint64_t base;     /* of bus 0 of segment 0; 0: not listed */
    uint8_t first_bus; /* that it has */
    uint8_t last_bus;
    bool has_segments; /* there are others than segment 0 */
};

/*
 * Reads a table returned by acpi_find; of several entries for segment 0, the first. STATUS_INVALID,
 * with a warning: it is too short, or segment 0 is where the address space ends.
 */
enum status mcfg_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct mcfg *ret_mcfg);

/* The address of a 32-bit register of segment 0; 0: that bus is not listed. offset: below 4096. */
uint64_t mcfg_address(const struct mcfg *mcfg, unsigned bus, unsigned device, unsigned function,
                      unsigned offset);

// SPDX-License-Identifier: MIT
/*
 * Where the registers of IOMMUs are: Intel's table "DMAR" (VT-d specification 4.1, chapter 8) and
 * AMD's "IVRS" (AMD I/O Virtualization Technology specification 48882, 5.2).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

#define IOMMU_UNITS_MAX       64
#define IOMMU_REGISTERS_BYTES 4096u /* that okram uses; of each unit */

struct iommu_units {
    uint64_t address[IOMMU_UNITS_MAX]; /* of registers: whole pages, not 0, each once */
    size_t n;
};

/*
 * Read a table returned by acpi_find. STATUS_INVALID, with a warning: it is too short. What is
 * malformed in it is left out, with one warning for each kind of defect.
 */
enum status dmar_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units);
enum status ivrs_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct iommu_units *ret_units);

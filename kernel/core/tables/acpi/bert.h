// SPDX-License-Identifier: MIT
/*
 * What firmware recorded of hardware errors before this boot: the BERT (ACPI 6.5, 18.3.1).
 */
#pragma once

#include <stdint.h>

#include "acpi/acpi.h"
#include "acpi/cper_memory.h"
#include "lib/status.h"
#include "lib/warn.h"

#define BERT_REGION_MAX (UINT32_C(1) << 20) /* bytes that are read; firmware's have a few KiB */

struct bert {
    uint32_t corrected,
        uncorrected;           /* errors of any kind; sections that only inform do not count */
    uint32_t of_memory;        /* of both */
    struct cper_memory memory; /* the first of these */
};

/*
 * Reads a table that acpi_find handed out, and the region that it names, which stays as it is.
 * STATUS_NOT_FOUND, without a warning: nothing is recorded; STATUS_INVALID, with one: the table is
 * too short, or no report is there.
 */
enum status bert_read(const struct phys_reader *reader, const struct acpi_header *table,
                      const struct warnings *warnings, struct bert *ret_bert);

// SPDX-License-Identifier: MIT
/*
 * A report of hardware errors as firmware writes it to memory: the generic error status block (ACPI
 * 6.5, 18.3.2.7.1), a header and sections, each of one kind of error (UEFI 2.10, appendix N).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define ERROR_BLOCK_HEADER_BYTES 20u
#define ERROR_FRU_BYTES          20u /* of a name, without the closing NUL */

enum error_severity {
    ERROR_RECOVERABLE = 0, /* uncorrected, but not the end */
    ERROR_FATAL = 1,
    ERROR_CORRECTED = 2,
    ERROR_INFORMATION = 3, /* no error; a larger number is as bad as fatal */
};

struct error_section {
    uint8_t kind[16]; /* a GUID as it is in memory */
    uint32_t severity;
    char fru[ERROR_FRU_BYTES + 1]; /* what firmware calls the part, such as "DIMM_A1"; or "" */
    const uint8_t *data;
    size_t bytes;
};

/* Sections that were not taken yet; all are whole. */
struct error_block {
    size_t bytes; /* of all that the block holds */
    const uint8_t *pos, *end;
};

/*
 * STATUS_NOT_FOUND: the block is empty. STATUS_INVALID: its lengths do not fit into `size`, or into
 * each other. It must not change while it is read.
 */
enum status error_block_open(const void *bytes, size_t size, struct error_block *ret_block);

/* The next section; false: no more. */
bool error_block_next(struct error_block *block, struct error_section *ret_section);

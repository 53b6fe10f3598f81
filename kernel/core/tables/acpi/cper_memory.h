// SPDX-License-Identifier: MIT
/*
 * An error of memory in a report of firmware: the Memory Error Section (UEFI 2.10, N.2.5) and the
 * Memory Error Section 2 (N.2.6).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/error_block.h"
#include "lib/fmt.h"
#include "lib/status.h"

/* What the section may say of the place, in the order in which it is printed. */
enum cper_field {
    CPER_NODE,
    CPER_CARD,
    CPER_MODULE,
    CPER_RANK,
    CPER_DEVICE,
    CPER_BANK,
    CPER_ROW,
    CPER_COLUMN,
    CPER_FIELDS,
};

struct cper_memory {
    uint32_t severity; /* the section's: enum error_severity, or a larger number */
    bool has_addr;
    bool has_page;               /* the address is exact enough for it */
    uint64_t addr;               /* physical; 0 without one */
    uint32_t given;              /* which fields are: bit by bit; the others are 0 */
    uint32_t field[CPER_FIELDS]; /* as firmware counts them */
    const char *what;            /* "single-bit ECC", or NULL: not said */
    char fru[ERROR_FRU_BYTES + 1];
};

/*
 * STATUS_NOT_FOUND: the section is of something else; STATUS_INVALID: it is too short for what it
 * says to hold.
 */
enum status cper_memory_read(const struct error_section *section, struct cper_memory *ret_memory);

/* "node", "card", ... */
const char *cper_field_name(enum cper_field field);

/* "corrected", "uncorrected", "fatal" or "information". */
const char *cper_severity_name(uint32_t severity);

/* Whether both are of the same place, kind and severity. */
bool cper_memory_is_same(const struct cper_memory *a, const struct cper_memory *b);

/*
 * The module, as far as it is given: "node 0, card 1, module 3", or else the name of the part; or
 * nothing.
 */
void cper_append_module(struct fmt_buffer *b, const struct cper_memory *memory);

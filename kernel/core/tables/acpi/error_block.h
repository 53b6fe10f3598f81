// SPDX-License-Identifier: MIT
/*
 * A report of hardware errors as firmware writes it to memory: the generic error status block (ACPI
 * 6.5, 18.3.2.7.1), a header and sections, each of one kind of error (UEFI 2.10, appendix N).
 * Of the sections those about memory are read here, and of the tables the BERT.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/fmt.h"
#include "lib/status.h"
#include "lib/warn.h"

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

/*
 * An error of memory in a report of firmware: the Memory Error Section (UEFI 2.10, N.2.5) and the
 * Memory Error Section 2 (N.2.6).
 */

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

#define BERT_REGION_MAX (UINT32_C(1) << 20) /* bytes that are read; firmware's have a few KiB */

/* What firmware recorded of hardware errors before this boot: the BERT (ACPI 6.5, 18.3.1). */
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

// SPDX-License-Identifier: MIT
/*
 * ACPI's root and its list of tables (ACPI 6.5, 5.2.5 to 5.2.8).
 *
 * A table that this module returns is readable over all of its length and has a right checksum; its
 * content is checked by the reader of that table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/phys.h"
#include "lib/status.h"
#include "lib/warn.h"

struct acpi_header {
    char signature[4];
    uint32_t length; /* bytes, this header included */
    uint8_t revision;
    uint8_t checksum;
    char oem_id[6];
    char oem_table_id[8];
    uint32_t oem_revision;
    char creator_id[4];
    uint32_t creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_header) == 36, "ACPI 6.5, 5.2.6");

/* Real tables are far smaller: a larger length is wrong. */
#define ACPI_TABLE_MAX_BYTES (16u << 20)

/* Tables that the root may list; the rest is ignored, with a warning. */
#define ACPI_TABLES_MAX 1024u

struct acpi {
    struct phys_reader reader;
    const uint8_t *entries; /* physical addresses of tables, each of entry_size bytes */
    size_t n_entries;
    size_t entry_size; /* 8: XSDT, 4: RSDT */
    uint64_t list;     /* where that table is */
};

/*
 * Finds the RSDP and the list of tables. rsdp: its address as given by the loader, or 0; when there
 * is none, the BIOS areas are searched (5.2.5.1). The XSDT is preferred, the RSDT used when the
 * XSDT is missing or invalid. STATUS_NOT_FOUND: no RSDP, and no warning given; STATUS_INVALID: no
 * usable list of tables, and a warning given.
 */
enum status acpi_open(const struct phys_reader *reader, uint64_t rsdp,
                      const struct warnings *warnings, struct acpi *ret_acpi);

/* Where the root says that table i of n_entries is; 0: nowhere. */
uint64_t acpi_address(const struct acpi *acpi, size_t i);

/*
 * The first table with this signature of four letters. STATUS_NOT_FOUND: not listed;
 * STATUS_INVALID, with a warning: it is invalid.
 */
enum status acpi_find(const struct acpi *acpi, const char *signature,
                      const struct warnings *warnings, const struct acpi_header **ret_table);

/*
 * The same from table *i of the list on: *i is then the number of the one after it, or n_entries.
 */
enum status acpi_find_next(const struct acpi *acpi, const char *signature, size_t *i,
                           const struct warnings *warnings, const struct acpi_header **ret_table);

/* The same for the table at a known address, such as the DSDT. */
enum status acpi_table_at(const struct phys_reader *reader, uint64_t phys, const char *signature,
                          const struct warnings *warnings, const struct acpi_header **ret_table);

/* Whether a table has at least `bytes` bytes; if not, a warning says that it is ignored. */
bool acpi_table_holds(const struct acpi_header *table, size_t bytes, const char *name,
                      const struct warnings *warnings);

/* The head of an entry in a MADT or SRAT: length counts the head too. */
struct acpi_entry {
    uint8_t type;
    uint8_t length;
} __attribute__((packed));

/* Walks such entries and owns all bounds checks. */
struct acpi_cursor {
    const uint8_t *pos;
    const uint8_t *end;
};

/* From `offset` to the table's end; offset <= table->length. */
struct acpi_cursor acpi_entries(const struct acpi_header *table, size_t offset);

/*
 * The next entry, whole; NULL at the end. When it stops short of the end (pos < end) the table is
 * malformed from there on.
 */
const struct acpi_entry *acpi_next(struct acpi_cursor *c);

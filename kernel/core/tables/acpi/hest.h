// SPDX-License-Identifier: MIT
/*
 * Who handles hardware errors first, and where firmware reports them: the HEST (ACPI 6.5, 18.3.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "acpi/fadt.h"
#include "lib/status.h"
#include "lib/warn.h"

#define HEST_SOURCES_MAX   256
#define HEST_BLOCK_MAX     65536u /* bytes of a status block that are used; firmware has a few KiB */
#define HEST_BLOCK_MIN     20u    /* its header (acpi/error_block.h) */
#define HEST_NOTIFY_POLLED 0

/* A generic hardware error source (GHES): types 9 and 10 (18.3.2.7, 18.3.2.8). */
struct hest_source {
    uint16_t id;
    uint8_t notification;        /* HEST_NOTIFY_POLLED, or another of 18.3.2.9 */
    bool has_ack;                /* type 10: firmware waits for an answer */
    uint32_t block_bytes;        /* HEST_BLOCK_MIN to HEST_BLOCK_MAX */
    struct acpi_register status; /* in memory, 32 bits or more: hest_block_address */
    struct acpi_register ack;    /* in memory or an I/O port */
    uint64_t ack_preserve, ack_write;
};

struct hest {
    bool machine_checks_first; /* firmware handles what else is a machine-check exception, */
    bool corrected_first;      /* corrected machine checks, */
    bool deferred_first;       /* and deferred ones */
    size_t n_sources;          /* that are enabled and can be used */
    struct hest_source source[HEST_SOURCES_MAX];
};

/*
 * Reads a table that acpi_find handed out. Each kind of source that cannot be used gives one
 * warning, and so does an entry at which the list ends too early; what is good is used.
 * STATUS_INVALID, with a warning: it has no list.
 */
enum status hest_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hest *ret_hest);

/* Bytes of one access to a register: 1, 2, 4 or 8; 0: it has an impossible width. */
unsigned hest_register_bytes(const struct acpi_register *r);

/* The status block's address, by its register's value. 0: firmware has not named it yet. */
uint64_t hest_block_address(const struct hest_source *source, uint64_t shown);

/* What is written to the acknowledge register that now holds `old` (18.3.2.8). */
uint64_t hest_ack_value(const struct hest_source *source, uint64_t old);

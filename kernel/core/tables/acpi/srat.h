// SPDX-License-Identifier: MIT
/*
 * Which memory and which CPUs belong to which proximity domain: the SRAT (ACPI 6.5, 5.2.16); and
 * how far these are from each other: the SLIT (5.2.17).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/span.h"
#include "lib/status.h"
#include "lib/warn.h"

#define SRAT_CPUS_MAX   1024u
#define SRAT_MEMORY_MAX 512u

struct srat_cpu {
    uint32_t apic_id;
    uint32_t domain;
};

struct srat_memory {
    struct span span;
    uint32_t domain;
};

struct srat {
    size_t n_cpus;
    size_t n_memory;
    struct srat_cpu cpu[SRAT_CPUS_MAX];         /* no APIC ID twice, in firmware's order */
    struct srat_memory memory[SRAT_MEMORY_MAX]; /* by address, disjoint, none empty */
};

/*
 * Reads a table returned by acpi_find. Only enabled entries count. A range may hold less RAM
 * than it spans, or none: firmware also lists ranges for memory hot-plug. The memory map says what
 * is there. Overlapping ranges are truncated; malformed entries, entries of unknown types,
 * CPUs listed again in another domain and entries beyond the limits are ignored; each kind gives
 * one warning. Entries about neither x86 CPUs nor memory are skipped. In a table of revision 1 a
 * domain has 8 bits (5.2.16.1). STATUS_INVALID, with a warning: the table is too short for its own
 * header.
 */
enum status srat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct srat *ret_srat);

/* Distances are relative: 10 is the node itself, 20 twice as slow, 255 unreachable. */
#define SLIT_LOCAL  10u
#define SLIT_REMOTE 20u /* of two nodes about which nothing is known */

/* All zeros: no table, nothing is known. */
struct slit {
    uint32_t n_localities;   /* proximity domains 0 to n_localities - 1 */
    const uint8_t *distance; /* row by row, in the table's own memory */
};

/*
 * Reads a table returned by acpi_find. One warning reports invalid distances: other than 10
 * from a domain to itself, or one of the reserved 0 to 9 to another; the others are used.
 * STATUS_INVALID, with a warning: the table is shorter than its number of localities needs.
 */
enum status slit_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct slit *ret_slit);

/*
 * From one proximity domain to another. SLIT_LOCAL or SLIT_REMOTE for what the table does not
 * hold and for invalid distances.
 */
uint32_t slit_distance(const struct slit *slit, uint32_t from, uint32_t to);

// SPDX-License-Identifier: MIT
/*
 * Which memory and which CPUs belong to which proximity domain: the SRAT (ACPI 6.5, 5.2.16).
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

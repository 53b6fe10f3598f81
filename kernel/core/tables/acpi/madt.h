// SPDX-License-Identifier: MIT
/*
 * The CPUs and I/O APICs listed in the MADT, signature "APIC" (ACPI 6.5, 5.2.12).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

#define MADT_CPUS_MAX     1024u
#define MADT_IO_APICS_MAX 64u

struct madt_cpu {
    uint32_t apic_id;
    uint32_t acpi_uid;
    bool is_x2apic; /* by the kind of its entry, the first one for this APIC ID */
};

struct madt_io_apic {
    uint64_t address;
    uint32_t gsi_base; /* the first interrupt it serves */
};

struct madt {
    uint64_t local_apic_address;
    size_t n_cpus;
    size_t n_io_apics;
    struct madt_cpu cpu[MADT_CPUS_MAX]; /* no APIC ID twice, in firmware's order */
    struct madt_io_apic io_apic[MADT_IO_APICS_MAX];
};

/*
 * Reads a table returned by acpi_find. A CPU is listed when its Enabled flag is set; one that
 * is only Online Capable cannot be started before the OS asks firmware for it (5.2.12.2) and is
 * ignored. Some firmware lists each CPU twice, as one with xAPIC and as one with x2APIC
 * (5.2.12.12): it counts once. Malformed entries, APIC IDs that are there twice in entries of one
 * kind, and entries beyond the limits are ignored, with one warning for each kind. STATUS_INVALID,
 * with a warning: the table is too short for its own header.
 */
enum status madt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct madt *ret_madt);

// SPDX-License-Identifier: MIT
/* What firmware's tables say of the machine: ACPI and SMBIOS. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "boot/boot_info.h"
#include "lib/status.h"
#include "machine_facts/support.h"

/*
 * Finds ACPI's list of tables and reads the FADT, by which the date is read. Once, after
 * machine_take_memory.
 */
void tables_open(const struct boot_info *boot);

/*
 * A table, where firmware has it: to be read before the tests. STATUS_NOT_FOUND; STATUS_INVALID,
 * with a warning.
 */
enum status tables_find(const char *signature, const struct acpi_header **ret_table);

/*
 * Fills the machine's parts that are read from tables (machine/machine.h). They are copied: from
 * then on nothing reads firmware's memory, which is tested. What is missing is said in a warning.
 */
void tables_read(const struct boot_info *boot);

/*
 * Copies what the headers of ACPI's tables say, of the first `max`. Returns how many tables are
 * listed.
 */
size_t tables_list(struct support_table *table, size_t max);

/* Whether the CPU has such addresses, and the direct map room for them. */
bool tables_is_reachable(uint64_t phys, uint64_t bytes);

/*
 * Whether what a table calls registers can be some: a write to them must not be one to RAM. If not,
 * a warning says so.
 */
bool tables_may_be_registers(const char *what, uint64_t phys, uint64_t bytes);

/* Registers of a device, mapped uncached; NULL, without a warning: they, or their page, are RAM. */
volatile void *tables_map_registers(uint64_t phys, uint64_t bytes);

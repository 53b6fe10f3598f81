// SPDX-License-Identifier: MIT
/* What firmware's tables say of the machine: ACPI and SMBIOS. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"

/*
 * Fills the machine's parts that are read from tables (machine/machine.h). They are copied: from
 * then on nothing reads firmware's memory, which is tested. What is missing is said in a warning.
 */
void tables_read(const struct boot_info *boot);

/*
 * Whether what a table calls registers can be some: a write to them must not be one to RAM. If not,
 * a warning says so.
 */
bool tables_may_be_registers(const char *what, uint64_t phys, uint64_t bytes);

// SPDX-License-Identifier: MIT
/* Tables of the machine to which firmware's system table points (UEFI 2.10, 4.6). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/smbios.h"
#include "firmware/smbios_names.h"

/* The ACPI root pointer, that of ACPI 2.0 and later if there is one, or 0. */
uint64_t firmware_tables_rsdp(void);

/* The SMBIOS entry point, that of 3.x if there is one, or 0. */
uint64_t firmware_tables_smbios(void);

/* Its structures, read in place; warnings are dropped. False: there are none. */
bool firmware_tables_open_smbios(struct smbios *ret_smbios);

/* The machine's UUID (firmware/smbios_names.h), or "". */
void firmware_tables_uuid(char ret_uuid[SMBIOS_UUID_MAX]);

/* The runtime services supported after ExitBootServices, as in EFI_RT_PROPERTIES_TABLE (4.6.2). */
uint32_t firmware_tables_services(void);

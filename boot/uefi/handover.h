// SPDX-License-Identifier: MIT
/*
 * From firmware to the 64-bit kernel: what differs between 64-bit firmware (x86_64/handover.c) and
 * 32-bit (ia32/handover.c).
 */
#pragma once

#include "efi_map.h"
#include "place_kernel.h"

/* The loader's name for the report. */
extern const char handover_loader[];

/* Called first. NULL, or a sentence that says why this CPU cannot run the kernel. */
const char *handover_check(void);

/* A line for the screen: what the kernel cannot do with this firmware; or NULL. */
const char *handover_limits(void);

/* EFI_SYSTEM_TABLE for a kernel that can call this firmware's runtime services, or 0. */
uint64_t handover_system_table(void);

/* Fills the kernel's page tables. Returns the value for CR3. */
uint64_t handover_tables(const struct placed_kernel *placed);

/*
 * Finds a fault-free buffer for the memory map. Call it when only leaving firmware remains. root:
 * from handover_tables(). EFI_OUT_OF_RESOURCES: there is none.
 */
EFI_STATUS handover_map_buffer(const struct placed_kernel *placed, uint64_t root,
                               struct efi_map *ret_map);

/* Enters the kernel at the offset `entry` from its base. Needs no firmware. */
_Noreturn void handover_enter(uint64_t root, uint32_t entry);

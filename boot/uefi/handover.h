// SPDX-License-Identifier: MIT
/*
 * From firmware to the 64-bit kernel: what differs between 64-bit firmware (x86_64/handover.c) and
 * 32-bit firmware (ia32/handover.c).
 */
#pragma once

#include "efi_map.h"
#include "place_kernel.h"

/* What the report has as the loader. */
extern const char handover_loader[];

/* Called first. NULL, or a sentence: why this CPU cannot run the kernel. */
const char *handover_check(void);

/* A line for the screen: what the kernel cannot do under this firmware; or NULL. */
const char *handover_limits(void);

/* EFI_SYSTEM_TABLE for a kernel that can call this firmware's runtime services, or 0. */
uint64_t handover_system_table(void);

/* Fills the kernel's page tables. Returns what CR3 is to hold. */
uint64_t handover_tables(const struct placed_kernel *placed);

/*
 * Finds a fault-free buffer for the memory map, to be called when all else is done but leaving
 * firmware. root: handover_tables()'s. EFI_OUT_OF_RESOURCES: there is none.
 */
EFI_STATUS handover_map_buffer(const struct placed_kernel *placed, uint64_t root,
                               struct efi_map *ret_map);

/* Enters the kernel, whose entry is that offset from its base. Needs no firmware. */
_Noreturn void handover_enter(uint64_t root, uint32_t entry);

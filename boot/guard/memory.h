// SPDX-License-Identifier: MIT
/* The memory map as pieces of RAM, and how the guard recognises this machine; for the loader, too.
 */
#pragma once

#include <efi.h>

#include "guardlist/fingerprint.h"
#include "guardlist/ram_use.h"

struct guard_memory {
    struct guard_ram_use pieces;
    EFI_PHYSICAL_ADDRESS buffer;
    UINTN buffer_pages;
};

/* The caller frees what was read. */
EFI_STATUS guard_memory_read(struct guard_memory *ret_memory);
void guard_memory_free(struct guard_memory *memory);

/* This machine, whose memory that is, as firmware describes it now. */
void guard_memory_machine(const struct guard_memory *memory, struct guard_fingerprint *ret_machine);

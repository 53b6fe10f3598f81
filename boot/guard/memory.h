// SPDX-License-Identifier: MIT
/* The memory map as pieces of RAM. */
#pragma once

#include <efi.h>

#include "guardlist/ram_use.h"

struct guard_memory {
    struct guard_ram_use pieces;
    EFI_PHYSICAL_ADDRESS buffer;
    UINTN buffer_pages;
};

/* The caller frees what was read. */
EFI_STATUS guard_memory_read(struct guard_memory *ret_memory);
void guard_memory_free(struct guard_memory *memory);

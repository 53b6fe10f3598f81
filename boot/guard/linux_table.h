// SPDX-License-Identifier: MIT
/*
 * The table LINUX_EFI_MEMRESERVE, by which Linux, on x86 too, leaves pages alone that are RAM to it
 * otherwise (drivers/firmware/efi/efi.c). It is for bad pages that firmware itself holds until
 * ExitBootServices.
 */
#pragma once

#include <stdint.h>

#include "guardlist/guard_list.h"

/*
 * Adds the runs of a list to the table, which is made if there is none. Returns the pages that are
 * in it. Linux has room for 128 reserved ranges at that time, and newer ones stop at one too many:
 * no more than GUARD_LINUX_RUNS are added.
 */
#define GUARD_LINUX_RUNS 48u

uint64_t guard_linux_table_set(const struct guard_list *runs);

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
 * Linux has room for 128 reserved ranges at that time, and stops at one too many. Each run that is
 * masked may take one, too.
 */
#define GUARD_LINUX_RUNS     48u
#define GUARD_LINUX_RUNS_ALL 64u

/*
 * Adds the first runs of a list to the table, which is made if there is none: at most
 * GUARD_LINUX_RUNS, and with those that are masked GUARD_LINUX_RUNS_ALL. Returns the pages that are
 * in the table.
 */
uint64_t guard_linux_table_set(const struct guard_list *runs, uint32_t n_masked_runs);

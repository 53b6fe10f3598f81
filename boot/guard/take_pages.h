// SPDX-License-Identifier: MIT
/* How a system is kept from bad pages: they are taken out of the memory map, or reserved. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guardlist/guard_list.h"
#include "guardlist/ram_use.h"

/*
 * Takes the free pages of a list, as EfiUnusableMemory.
 *
 * From the last page to the first, so that the map is the same at each boot. Firmware of the EDK2
 * family looks for a page from the lowest descriptor on, and allocates its own memory from the top:
 * so each search is short, and what it allocates for new descriptors is not a bad page.
 *
 * A part that is not free any more as a whole is taken page by page. False: the time is over, and
 * some pages below were not taken.
 */
bool guard_take_pages(const struct guard_list *list, const struct guard_ram_use *pieces);

/*
 * Linux has room for 128 reserved ranges at that time, and stops at one too many. Each run that is
 * masked may take one, too.
 */
#define GUARD_LINUX_RUNS     48u
#define GUARD_LINUX_RUNS_ALL 64u

/*
 * The table LINUX_EFI_MEMRESERVE (linux_table.c), by which Linux, on x86 too, leaves pages alone
 * that are RAM to it otherwise (drivers/firmware/efi/efi.c). It is for bad pages that firmware
 * itself holds until ExitBootServices.
 *
 * Adds the first runs of a list to the table, which is made if there is none: at most
 * GUARD_LINUX_RUNS, and with those that are masked GUARD_LINUX_RUNS_ALL. Returns the pages that are
 * in the table.
 */
uint64_t guard_linux_table_set(const struct guard_list *runs, uint32_t n_masked_runs);

// SPDX-License-Identifier: MIT
/* Takes the free pages of a list out of the memory map, as EfiUnusableMemory. */
#pragma once

#include <stdbool.h>

#include "guardlist/ram_use.h"

/*
 * From the last page to the first, so that the map is the same at each boot. Firmware of the EDK2
 * family looks for a page from the lowest descriptor on, and allocates its own memory from the top:
 * so each search is short, and what it allocates for new descriptors is not a bad page.
 *
 * A part that is not free any more as a whole is taken page by page. False: the time is over, and
 * some pages below were not taken.
 */
bool guard_take_pages(const struct guard_list *list, const struct guard_ram_use *pieces);

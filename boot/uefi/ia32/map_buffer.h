// SPDX-License-Identifier: MIT
/* A buffer for the memory map where the pages after the kernel's image do not adjoin. */
#pragma once

#include <stdint.h>

#include "boot/load/bad_pages.h"

/*
 * n_pages adjoining pages that have passed a march. bad: the bad pages found meanwhile. NULL:
 * firmware has none, or the first pieces of its memory all have bad pages.
 */
uint8_t *map_buffer_find(uint32_t n_pages, struct bad_pages *bad);

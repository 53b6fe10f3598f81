/* The kernel's way into memory that it can live in. Pure. */
#pragma once

#include "boot/check/image_copies.h"
#include "boot/place/bad_pages.h"

/*
 * Tests `bytes` of memory, whole pages that hold n_memory_pages of the image and overlap no copy.
 * Puts the image there when all of them are sound, and checks it there.
 *
 * Returns 0 when the kernel can run there; otherwise the first address at which to try again:
 * behind the highest bad page, all of which are added to the list.
 */
uint64_t settle_at(const struct image_copies *copies, uint8_t *at, uint64_t bytes,
                   struct bad_pages *bad);

// SPDX-License-Identifier: MIT
/* The kernel's way into memory that it can live in. Pure. */
#pragma once

#include "boot/check/image_copies.h"
#include "boot/load/good_pages.h"

/*
 * Collects c->wanted pages, at least n_memory_pages of the image, and puts the image into the
 * first of them, each page checked there. What the source gives overlaps no copy.
 *
 * c->page is then the image's own list of its pages, in boot_info.kernel_page. STATUS_NOT_FOUND:
 * there are not so many sound pages.
 */
enum status load_image(const struct image_copies *copies, struct good_pages *c,
                       const struct page_source *source);

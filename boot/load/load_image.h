// SPDX-License-Identifier: MIT
/* Loads the kernel's image to fault-free pages. Pure. */
#pragma once

#include "boot/check/image_copies.h"
#include "boot/load/good_pages.h"

/*
 * Finds c->wanted good pages, at least n_memory_pages of the image, and puts the image into the
 * first of them, each page checked there. The pages of the source overlap no copy.
 *
 * c->page is then the image's own list of its pages, in boot_info.kernel_page. STATUS_NOT_FOUND:
 * there are too few good pages. STATUS_INVALID: a page of the image is damaged in every copy, which
 * says nothing of the page that it was to be put into.
 */
enum status load_image(const struct image_copies *copies, struct good_pages *c,
                       const struct page_source *source);

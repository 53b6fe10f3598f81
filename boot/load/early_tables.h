// SPDX-License-Identifier: MIT
/*
 * The page tables that are on when the kernel is entered (Intel SDM vol. 3A, 4.5): the first 4 GiB
 * at EARLY_DIRECT, 2 MiB a page, and the image at BOOT_KERNEL_VIRT, its pages wherever they are.
 * They are part of the image. The same in 32-bit and in 64-bit code. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EARLY_TABLES       11 /* pages */
#define EARLY_DIRECT       UINT64_C(0xffff800000000000)
#define EARLY_DIRECT_BYTES (UINT64_C(1) << 32)

/*
 * Fills the tables, which are the image's pages from number `first` on; page[0] to page[n - 1] are
 * mapped from BOOT_KERNEL_VIRT on: the image, and what is after it. n is at most
 * BOOT_KERNEL_PAGES_MAX.
 *
 * firmware: the top level of the tables that are on, of four levels or five, whose lower half stays
 * as it is; NULL: there are none, and the first 4 GiB are at 0, too. Returns what CR3 is to hold.
 */
uint64_t early_tables_fill(const uint32_t *page, uint32_t n, uint32_t first,
                           const uint64_t *firmware, bool five_levels);

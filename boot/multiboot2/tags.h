// SPDX-License-Identifier: MIT
/*
 * Multiboot2 boot information (Multiboot2 specification 2.0, section 3.6) to struct boot_info.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "lib/status.h"

/*
 * Fills *info from the size bytes of boot information at bytes; info->kernel_page is the
 * caller's. Entries that do not fit are counted in regions_lost, cut strings in truncated.
 * STATUS_INVALID when a tag runs past the end: what came before it is kept. Pure.
 */
enum status multiboot2_read(const void *bytes, size_t size, struct boot_info *info);

/*
 * The address of UEFI's system table, by its tag; if there are both tags, by that of 64-bit
 * firmware. False: there is none.
 */
bool multiboot2_efi(const void *bytes, size_t size, uint64_t *ret_system_table, bool *ret_is_64);

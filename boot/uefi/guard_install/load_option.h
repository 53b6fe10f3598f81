// SPDX-License-Identifier: MIT
/*
 * The boot manager's variables as bytes (UEFI 2.10, 3.1.3): EFI_LOAD_OPTION of Driver#### and
 * Boot####, and the order of them. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_OPTION_IS_ACTIVE 1u
#define LOAD_OPTION_NODE_END  4u /* bytes of a device path's end */

/*
 * Writes an active load option, "okram guard": `partition` is a device path node; the file, in
 * ASCII with backslashes, becomes the next; the options may be "". Returns the bytes; 0: they are
 * more than size.
 */
size_t load_option_make(const void *partition, size_t partition_bytes, const char *file,
                        const char *options, uint8_t *out, size_t size);

/* Writes the order with `number` first, and nowhere else. Returns its bytes: at most size + 2. */
size_t load_order_with(const uint8_t *order, size_t size, uint16_t number, uint8_t *out);

/* Writes the order without `number`. Returns its bytes: at most size. */
size_t load_order_without(const uint8_t *order, size_t size, uint16_t number, uint8_t *out);

bool load_order_has(const uint8_t *order, size_t size, uint16_t number);

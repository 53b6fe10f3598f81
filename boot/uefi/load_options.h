// SPDX-License-Identifier: MIT
/* The options from what started the loader: boot manager, shell or GRUB (UEFI 2.10, 9.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes text of `size` bytes of load options and writes it to `out`, terminated, cut to out_size.
 * UTF-16 is the rule; plain ASCII (efibootmgr without --unicode) is taken if it holds a '='.
 * Firmware's own boot entries have binary data: anything but printable ASCII gives "". A first word
 * that is the loader's own name, as shells add it, is left out; own_path is the loader's path on
 * its volume, or NULL. False: the text was cut.
 */
bool load_options_text(const void *options, size_t size, const uint16_t *own_path, char *out,
                       size_t out_size);

// SPDX-License-Identifier: MIT
/* The options passed by what started the loader: boot manager, shell, GRUB (UEFI 2.10, 9.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes text of `size` bytes of load options and writes it to `out`, terminated, cut to out_size.
 * UTF-16 is the rule; plain ASCII (efibootmgr without --unicode) is taken when it holds a '='.
 * Firmware's own boot entries carry binary data: anything not printable ASCII in it gives "".
 * A first word that is the loader's own name (shells put it there) is left out; own_path is the
 * loader's path on its volume, or NULL.
 * Returns false when text was cut.
 */
bool load_options_text(const void *options, size_t size, const uint16_t *own_path, char *out,
                       size_t out_size);

// SPDX-License-Identifier: MIT
/* The volume that the loader came from, and the file okram.conf on it. */
#pragma once

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

/* The loader's path on its volume, such as \EFI\BOOT\BOOTX64.EFI, or NULL. Never freed. */
CHAR16 *volume_own_path(const EFI_LOADED_IMAGE *loader);

/*
 * Reads okram.conf from the loader's directory, or else from the root of its volume, to `out`,
 * terminated, cut to out_size; "" when there is none. An unreadable one is reported on the console.
 * Returns false when it was cut.
 */
bool volume_read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, char *out,
                      size_t out_size);

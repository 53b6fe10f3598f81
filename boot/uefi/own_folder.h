// SPDX-License-Identifier: MIT
/* The folder of a running loader or driver. */
#pragma once

#include <efi.h>
#include <stdbool.h>

/* The loader's path on its volume, such as \EFI\BOOT\BOOTX64.EFI, or NULL. Never freed. */
CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader);

/* The folder of own_path, with is_root the volume's root; or NULL. The caller closes it. */
EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root);

// SPDX-License-Identifier: MIT
/*
 * The file okram.conf in a directory, by EFI_FILE_PROTOCOL (UEFI 2.10, 13.5). It is replaced with
 * the help of okram.new and okram.old: if that is interrupted, the old content or the new is there.
 */
#pragma once

#include <efi.h>

/*
 * Reads okram.conf, or else the okram.old of an interrupted replacement: at most `size` bytes, not
 * terminated. EFI_NOT_FOUND: there is neither.
 */
EFI_STATUS conf_file_read(EFI_FILE *directory, char *out, UINTN size, UINTN *ret_size);

/*
 * Makes `size` bytes the content of okram.conf. They are read back before the old file is touched.
 * After an error the old content is there, as okram.conf or, if that is impossible, as okram.old.
 */
EFI_STATUS conf_file_replace(EFI_FILE *directory, const char *text, UINTN size);

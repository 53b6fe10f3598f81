// SPDX-License-Identifier: MIT
/* Files by EFI_FILE_PROTOCOL (UEFI 2.10, 13.5). What is written is read back. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "lib/fmt.h"

/* Reads at most *size bytes, and sets *size to the number read. */
EFI_STATUS file_read(EFI_FILE *directory, CHAR16 *name, void *out, UINTN *size);

/* Whether it can be opened. */
bool file_exists(EFI_FILE *directory, CHAR16 *name);

/* Whether firmware says that there is no such file; false also after an error. */
bool file_is_absent(EFI_FILE *directory, CHAR16 *name);

/* Whether the file can be read and holds exactly these bytes. */
bool file_holds(EFI_FILE *directory, CHAR16 *name, const void *bytes, UINTN size);

/* Deletes the file if it is there; a failure shows when the name is needed. */
void file_delete(EFI_FILE *directory, CHAR16 *name);

/*
 * Whether there is room on the volume for n files of these sizes and `blocks` more blocks. If
 * EDK2's FAT driver itself finds no room it leaves a directory without a cluster. A volume that
 * does not answer is tried. EFI_WRITE_PROTECTED, EFI_VOLUME_FULL.
 */
EFI_STATUS file_check_room(EFI_FILE *root, UINT64 blocks, const UINTN *bytes, unsigned n);

/*
 * Writes a file that is not there yet, flushes it and reads it back. If that fails it is deleted.
 */
EFI_STATUS file_write_new(EFI_FILE *directory, CHAR16 *name, const void *bytes, UINTN size);

struct file_names {
    CHAR16 *name;      /* 255 characters at most; the same for the others */
    CHAR16 *new, *old; /* its names in between */
};

/*
 * Makes `size` bytes the content of a file. They are read back before the old file is touched.
 * After an error or an interruption the old content or the new is there, as `name` or, if that is
 * impossible, as `old`.
 */
EFI_STATUS file_replace(EFI_FILE *directory, const struct file_names *names, const void *bytes,
                        UINTN size);

/*
 * Reads such a file, or else the `old` of an interrupted replacement, as file_read does.
 * EFI_NOT_FOUND: there is neither.
 */
EFI_STATUS file_read_kept(EFI_FILE *directory, const struct file_names *names, void *out,
                          UINTN *size);

/* Why a file could not be written, such as "the volume is full." */
void file_append_reason(EFI_STATUS status, struct fmt_buffer *out);

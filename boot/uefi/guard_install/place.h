// SPDX-License-Identifier: MIT
/* Writes and removes the guard's files on an EFI system partition. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "backup.h"

/* A missing folder is made, and listed in the backup with the file. */
struct place_file {
    char folder[BACKUP_PATH_MAX]; /* "\EFI\okram" */
    char name[BACKUP_PATH_MAX];
    const void *bytes;
    UINTN size;
};

#define PLACE_FOLDER_BLOCKS 8 /* that new folders may need */

/* Lists in the backup the file, unless it exists, and the missing folders. */
bool place_list(EFI_FILE *root, const struct place_file *file, struct backup *backup);

/*
 * Makes the folder and the file. An existing file is replaced after the new bytes have been written
 * and read back next to it.
 */
EFI_STATUS place_write(EFI_FILE *root, const struct place_file *file);

/*
 * Deletes the files and the empty folders that the backup lists: backup_read takes none but the
 * guard's. Returns how many of the files are still there.
 */
unsigned place_remove(EFI_FILE *root, const struct backup *backup);

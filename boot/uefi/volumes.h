// SPDX-License-Identifier: MIT
/* The volumes with a file system that firmware can write (UEFI 2.10, 13.4). */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "lib/fmt.h"

#define VOLUMES_MAX     5
#define VOLUME_NAME_MAX 59 /* fits in a row of the menu */

struct volumes {
    unsigned n;
    EFI_HANDLE handle[VOLUMES_MAX];
    /* "STICK on SanDisk Ultra (7.5 GiB, 7.1 GiB free)", ASCII */
    char name[VOLUMES_MAX][VOLUME_NAME_MAX];
};

/* The root of a volume, or NULL. The caller closes it. */
EFI_FILE *volumes_open_root(EFI_HANDLE handle);

/* Has firmware find all volumes: a fast boot may have started only the one that it booted from. */
void volumes_connect(void);

/*
 * Its label, disk and sizes, or "Windows' boot partition on Samsung SSD 980 (100 MiB)".
 * False: it does not answer.
 */
bool volumes_describe(EFI_HANDLE handle, EFI_FILE *root, char ret_name[VOLUME_NAME_MAX],
                      bool *ret_is_read_only);

/* The volumes that are not read-only, except `own`; those beyond VOLUMES_MAX are left out. */
void volumes_find_writable(EFI_HANDLE own, struct volumes *ret_volumes);

#define DISK_NAME_MAX 42 /* with the NUL */

/*
 * The name by which a person recognises a disk (disk_name.c): the model of the disk that a handle
 * is on, itself or as a partition: "Samsung SSD 980 PRO 1TB", by EFI_DISK_INFO_PROTOCOL (PI, volume
 * 5). Else how it is connected, by its device path: "USB disk". "": not known.
 */
void disk_name(EFI_HANDLE handle, char ret_name[DISK_NAME_MAX]);

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
    /* "STICK on USB disk (7.5 GiB, 7.1 GiB free)", ASCII */
    char name[VOLUMES_MAX][VOLUME_NAME_MAX];
};

/* The root of a volume, or NULL. The caller closes it. */
EFI_FILE *volumes_open_root(EFI_HANDLE handle);

/* Has firmware find all volumes: a fast boot may have started only the one that it booted from. */
void volumes_connect(void);

/*
 * Its label, how its disk is connected, and sizes, or "Windows' boot partition on NVMe disk (100
 * MiB)". False: it does not answer.
 */
bool volumes_describe(EFI_HANDLE handle, EFI_FILE *root, char ret_name[VOLUME_NAME_MAX],
                      bool *ret_is_read_only);

/* The volumes that are not read-only, except `own`; those beyond VOLUMES_MAX are left out. */
void volumes_find_writable(EFI_HANDLE own, struct volumes *ret_volumes);

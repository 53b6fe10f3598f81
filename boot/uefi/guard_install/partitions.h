// SPDX-License-Identifier: MIT
/*
 * The EFI system partitions of this machine (UEFI 2.10, 13.3), on which a driver can be installed.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "boot/uefi/volumes.h"

#define PARTITIONS_MAX     3
#define PARTITION_GUID_MAX 40
#define PARTITION_NODE     42 /* bytes of its node in a device path (10.3.5.1) */

struct partition {
    EFI_HANDLE handle;
    char name[VOLUME_NAME_MAX];
    char guid[PARTITION_GUID_MAX];     /* as Linux's PARTUUID has it */
    const HARDDRIVE_DEVICE_PATH *node; /* of its device path */
};

struct partitions {
    unsigned n;
    struct partition partition[PARTITIONS_MAX];
    unsigned n_read_only, n_left_out; /* that are not listed */
};

/*
 * Those that firmware reports as EFI system partitions or, if it does not report the type, those
 * with a folder \EFI; without `own`, the volume from which okram was started, unless that is NULL.
 */
void partitions_find(EFI_HANDLE own, struct partitions *ret_partitions);

/* The volume of the partition with this GUID, or NULL. */
EFI_HANDLE partitions_handle(const char *guid);

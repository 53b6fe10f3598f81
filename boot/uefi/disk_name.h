// SPDX-License-Identifier: MIT
/* The name by which a person recognises a disk: its model. */
#pragma once

#include <efi.h>

#include "lib/fmt.h"

#define DISK_NAME_MAX 42 /* with the NUL */

/*
 * The model of the disk that a handle is on, itself or as a partition: "Samsung SSD 980 PRO 1TB",
 * by EFI_DISK_INFO_PROTOCOL (PI, volume 5). Else how it is connected, by its device path: "USB
 * disk". "": not known.
 */
void disk_name(EFI_HANDLE handle, char ret_name[DISK_NAME_MAX]);

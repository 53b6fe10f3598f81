// SPDX-License-Identifier: MIT
/* Where the loader was fetched from by UEFI's HTTP boot, by its device path (UEFI 2.10, 24.7.3). */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "boot/uefi/network/boot_file.h"
#include "boot/uefi/network/http_protocol.h"

struct http_source {
    struct http_access_point from;
    char url[BOOT_FILE_MAX];
};

/* False: not by HTTP or HTTPS over IPv4, or the URL is too long. */
bool http_source_read(EFI_DEVICE_PATH *path, struct http_source *ret_source);

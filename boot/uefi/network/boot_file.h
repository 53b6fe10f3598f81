// SPDX-License-Identifier: MIT
/* Where the loader was fetched from, and what a file next to it is called there. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define BOOT_FILE_MAX 256

struct boot_file {
    uint8_t server[4];
    char path[BOOT_FILE_MAX]; /* of the loader, as the server was asked for it */
};

/*
 * From a DHCP reply (RFC 2131, 2; RFC 2132): the server is siaddr, else option 54; the path is
 * option 67, else the field `file`. STATUS_NOT_FOUND: it names none, or is not such a reply.
 */
enum status boot_file_of_dhcp(const uint8_t *packet, size_t size, struct boot_file *ret_file);

/*
 * Replaces what is after the last slash of a path or URL by `name`; a URL's query goes with it.
 * STATUS_NO_SPACE: it does not fit.
 */
enum status boot_file_sibling(const char *path, const char *name, char *out, size_t size);

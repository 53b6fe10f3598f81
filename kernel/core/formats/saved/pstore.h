// SPDX-License-Identifier: MIT
/*
 * A dump in the layout of Linux's pstore on UEFI variables (its drivers/firmware/efi/efi-pstore.c
 * reads it): Linux has it as a file of /sys/fs/pstore, and systemd-pstore moves it to
 * /var/lib/systemd/pstore.
 *
 * The first line is in the form of pstore's, WHY#COUNT PartPART; okram's own dumps are known by it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saved/saved_lines.h"

/* cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0 as the bytes of an EFI_GUID. */
#define PSTORE_GUID                                                                                \
    {                                                                                              \
        0xcfc8fc79, 0xbe2e, 0x4ddc,                                                                \
        {                                                                                          \
            0x97, 0xf0, 0x9f, 0x98, 0xbf, 0xe2, 0x98, 0xa0                                         \
        }                                                                                          \
    }

#define PSTORE_DUMP_MAX 1024 /* efi-pstore reads no more of one */
#define PSTORE_NAME_MAX 48

/* "dump-type0-1-1-TIME-D": a kernel log, part 1, count 1, not compressed. */
void pstore_name(int64_t time, char ret_name[PSTORE_NAME_MAX]);

/* Whether a variable's name is one that pstore_name gives. */
bool pstore_is_name(const char *name);

/* The text lines that fit. Returns the bytes. */
size_t pstore_dump(const struct saved_lines *lines, char ret_dump[PSTORE_DUMP_MAX]);

/* Whether a dump is okram's. */
bool pstore_is_own(const void *data, size_t bytes);

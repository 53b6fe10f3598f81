// SPDX-License-Identifier: MIT
/* Access to physical memory for the readers of firmware tables, and their checksum. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct phys_reader {
    /*
     * The length bytes at phys, length > 0 and not past the end of the address space; NULL when any
     * of them cannot be read. They stay valid as long as what was read from them is used.
     */
    const void *(*map)(void *ctx, uint64_t phys, size_t length);
    void *ctx;
};

static inline const void *phys_map(const struct phys_reader *reader, uint64_t phys, size_t length)
{
    if (length == 0 || phys + (length - 1) < phys)
        return NULL;
    return reader->map(reader->ctx, phys, length);
}

/* ACPI and SMBIOS alike: all bytes of a table add up to 0 modulo 256. */
static inline bool checksum_ok(const void *bytes, size_t length)
{
    const uint8_t *b = bytes;
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + b[i]);
    return sum == 0;
}

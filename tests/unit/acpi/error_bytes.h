// SPDX-License-Identifier: MIT
/* Reports of errors as firmware writes them, byte by byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint8_t memory_kind[16] = { 0x14, 0x11, 0xbc, 0xa5, 0x64, 0x6f, 0xde, 0x4e,
                                         0xb8, 0x63, 0x3e, 0x83, 0xed, 0x7c, 0x83, 0xb1 };
static const uint8_t memory_2_kind[16] = { 0xfc, 0x04, 0xec, 0x61, 0xe6, 0x48, 0x13, 0xd8,
                                           0x25, 0xc9, 0x8d, 0xaa, 0x44, 0x75, 0x0b, 0x12 };
static const uint8_t other_kind[16] = { 0x54, 0xe9, 0x95, 0xd9 };

struct error_bytes {
    uint8_t at[1024];
    size_t n;
};

static inline void put(uint8_t *at, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* An empty block with this status (ACPI 6.5, 18.3.2.7.1). */
static inline struct error_bytes block_of(uint32_t status)
{
    struct error_bytes b = { .n = 20 };

    put(b.at, status, 4);
    return b;
}

/* A section after the others; fru NULL: none is given. */
static inline void add_section(struct error_bytes *b, const uint8_t kind[16], uint32_t severity,
                               uint16_t revision, const char *fru, const void *data, size_t n)
{
    uint8_t *e = b->at + b->n;
    size_t head = revision >= 0x300 ? 72 : 64;

    memcpy(e, kind, 16);
    put(e + 16, severity, 4);
    put(e + 20, revision, 2);
    e[22] = fru ? 2 : 0;
    put(e + 24, n, 4);
    if (fru)
        memcpy(e + 44, fru, strlen(fru));
    memcpy(e + head, data, n);
    b->n += head + n;
    put(b->at + 12, b->n - 20, 4);
}

// SPDX-License-Identifier: MIT
/*
 * SMBIOS: finding and walking the list of structures (DMTF DSP0134 3.7).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/phys.h"
#include "lib/status.h"
#include "lib/warn.h"

struct smbios {
    const uint8_t *structures;
    size_t length;         /* bytes; the list may end before, with a structure of type 127 */
    uint32_t n_structures; /* as firmware counts them; UINT32_MAX: it does not */
    uint8_t major, minor;
    uint64_t address; /* of the structures */
};

/*
 * Checks the entry point at `entry`, of version 2.x or 3.x (5.2.1, 5.2.2). When entry is 0 or
 * broken, the BIOS area is searched, 3.x first. STATUS_NOT_FOUND: no entry point, and no warning
 * given; STATUS_INVALID, with a warning: its structures are not readable.
 */
enum status smbios_open(const struct phys_reader *reader, uint64_t entry,
                        const struct warnings *warnings, struct smbios *ret_smbios);

/* The head of a structure (6.1.2); length counts the head but not the strings after it. */
struct smbios_structure {
    uint8_t type;
    uint8_t length;
    uint16_t handle;
} __attribute__((packed));
_Static_assert(sizeof(struct smbios_structure) == 4, "DSP0134 6.1.2");

/* Walks the structures and owns all bounds checks. */
struct smbios_cursor {
    const uint8_t *pos;
    const uint8_t *end;
    uint32_t left;
    bool is_counted;
    bool malformed; /* the list ended with a malformed structure, or before the last one */
};

struct smbios_cursor smbios_structures(const struct smbios *smbios);

/* The next structure, readable over all of its length; NULL at the end. */
const struct smbios_structure *smbios_next(struct smbios_cursor *c);

/*
 * A string of the structure that smbios_next has just returned from c: the first is number 1
 * (6.1.3). It comes out in printable ASCII, '?' for all else, without blanks around it, cut to
 * size - 1 characters. STATUS_NOT_FOUND: number 0, which says that there is none; STATUS_INVALID:
 * the structure has no such string, or it does not end.
 */
enum status smbios_string(const struct smbios_cursor *c, const struct smbios_structure *s,
                          uint8_t number, char *ret_text, size_t size);

/* The size of a memory module, of type 17 (DMTF DSP0134 3.7, 7.18). */
#define SMBIOS_SIZE_UNKNOWN  0xffffu
#define SMBIOS_SIZE_EXTENDED 0x7fffu /* the size is in the field for larger ones */

/* In bytes; 0: there is no module, or its size is unknown. */
static inline uint64_t smbios_size_bytes(uint16_t size, uint32_t extended_mib)
{
    const uint16_t in_kib = 0x8000;

    if (size == SMBIOS_SIZE_UNKNOWN)
        return 0;
    if (size == SMBIOS_SIZE_EXTENDED)
        return (uint64_t)(extended_mib & 0x7fffffff) << 20;
    return size & in_kib ? (uint64_t)(size & ~in_kib) << 10 : (uint64_t)size << 20;
}

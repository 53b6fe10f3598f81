// SPDX-License-Identifier: MIT
#include "acpi/mbft.h"

#include "acpi/acpi.h"
#include "lib/string.h"

/* The BIOS' data area: how many KiB of base memory are free. memdisk's driver is after them. */
#define BDA_FREE_KIB 0x413u
#define FREE_KIB_MIN 64u
#define BASE_END     0xa0000u
#define ALIGNMENT    16u

struct memdisk_info {
    uint16_t bytes; /* with this field */
    uint8_t minor, major;
    uint32_t address, sectors;
    uint8_t others[14]; /* and more, from version 3.00 on */
} __attribute__((packed));
_Static_assert(sizeof(struct memdisk_info) == 26, "doc/memdisk.txt, before 3.00");

struct mbft {
    struct acpi_header header;
    uint32_t safe_hook;
    struct memdisk_info disk;
} __attribute__((packed));
_Static_assert(sizeof(struct mbft) == 36 + 4 + 26, "memdisk/mstructs.h");

static bool read_table(const struct phys_reader *reader, uint64_t phys, uint64_t *ret_disk)
{
    const struct mbft *t = phys_map(reader, phys, sizeof(*t));
    uint32_t length;

    if (!t || memcmp(t->header.signature, "mBFT", 4) != 0)
        return false;
    length = t->header.length;
    if (length < sizeof(*t) || length > BASE_END - phys ||
        length != offsetof(struct mbft, disk) + t->disk.bytes)
        return false;
    t = phys_map(reader, phys, length);
    if (!t || !checksum_ok(t, length))
        return false;
    *ret_disk = t->disk.address;
    return true;
}

bool mbft_next(const struct phys_reader *reader, uint64_t *at, uint64_t *ret_disk)
{
    const uint8_t *kib = phys_map(reader, BDA_FREE_KIB, 2);
    uint64_t phys = *at;

    if (!phys && kib)
        phys = (uint64_t)(kib[0] | kib[1] << 8) << 10;
    if (phys < FREE_KIB_MIN << 10)
        return false;
    for (; phys + sizeof(struct mbft) <= BASE_END; phys += ALIGNMENT) {
        if (read_table(reader, phys, ret_disk)) {
            *at = phys + ALIGNMENT;
            return true;
        }
    }
    *at = BASE_END;
    return false;
}

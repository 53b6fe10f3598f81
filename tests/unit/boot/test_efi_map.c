// SPDX-License-Identifier: MIT
#include "boot/uefi/efi_map.h"

#include "tests/unit/unit.h"

#define OURS sizeof(EFI_MEMORY_DESCRIPTOR)

EFI_BOOT_SERVICES *BS; /* the parts of efi_map.c that ask firmware refer to it */

static struct boot_info info;

static const EFI_MEMORY_DESCRIPTOR descriptors[] = {
    { .Type = EfiConventionalMemory, .PhysicalStart = 0, .NumberOfPages = 0xa0 },
    { .Type = EfiBootServicesData, .PhysicalStart = MIB, .NumberOfPages = 0x100 },
    { .Type = EfiConventionalMemory, .PhysicalStart = 2 * MIB, .NumberOfPages = 0x100 },
    { .Type = EfiRuntimeServicesData, .PhysicalStart = 3 * MIB, .NumberOfPages = 0x100 },
};

/* Tells n descriptors of that length, `cut` bytes short, from a heap block of their exact size. */
static void tell(const EFI_MEMORY_DESCRIPTOR *d, size_t n, size_t length, size_t cut)
{
    struct efi_map map = { .size_bytes = n * length - cut, .descriptor_bytes = length };

    memset(&info, 0, sizeof(info));
    map.buffer = malloc(map.size_bytes ? map.size_bytes : 1);
    assert_non_null(map.buffer);
    for (size_t i = 0; i < n; i++) {
        size_t at = i * length, left = at < map.size_bytes ? map.size_bytes - at : 0;
        size_t own = length < OURS ? length : OURS;

        memcpy(map.buffer + at, &d[i], own < left ? own : left);
    }
    assert_ptr_equal(efi_map_convert(&map, &info), map.buffer);
    memcpy(info.region, map.buffer, info.n_regions * sizeof(info.region[0]));
    free(map.buffer);
}

static void assert_region(size_t i, uint64_t base, uint64_t size, enum boot_region_kind kind)
{
    assert_true(i < info.n_regions);
    assert_int_equal(info.region[i].base, base);
    assert_int_equal(info.region[i].size, size);
    assert_int_equal(info.region[i].kind, kind);
}

/* Newer firmware's descriptors are longer than ours, and need not be aligned. */
TEST(descriptors_of_any_length)
{
    for (size_t length = OURS; length < OURS + 20; length++) {
        tell(descriptors, COUNT(descriptors), length, 0);
        assert_int_equal(info.n_regions, 4);
        assert_region(0, 0, 0xa0000, BOOT_REGION_USABLE);
        assert_region(1, MIB, MIB, BOOT_REGION_USABLE);
        assert_region(2, 2 * MIB, MIB, BOOT_REGION_USABLE);
        assert_region(3, 3 * MIB, MIB, BOOT_REGION_RUNTIME);
    }
}

TEST(descriptors_too_short)
{
    for (size_t length = 0; length < OURS; length++) {
        tell(descriptors, COUNT(descriptors), length, 0);
        assert_int_equal(info.n_regions, 0);
    }
}

TEST(a_map_cut_off)
{
    for (size_t cut = 1; cut <= 48; cut++) {
        tell(descriptors, COUNT(descriptors), 48, cut);
        assert_int_equal(info.n_regions, 3);
    }
    tell(descriptors, COUNT(descriptors), 48, 4 * 48);
    assert_int_equal(info.n_regions, 0);
}

/* Their bytes do not fit into 64 bits: never a small range of usable RAM, but one that wraps. */
TEST(more_pages_than_there_are_addresses)
{
    static const uint64_t n_pages[] = { (UINT64_C(1) << 52) + 1, UINT64_C(1) << 63, UINT64_MAX };

    for (size_t i = 0; i < COUNT(n_pages); i++) {
        EFI_MEMORY_DESCRIPTOR d = { .Type = EfiConventionalMemory, .NumberOfPages = n_pages[i] };

        tell(&d, 1, OURS, 0);
        assert_int_equal(info.n_regions, 1);
        assert_true(info.region[0].base + (info.region[0].size - 1) < info.region[0].base);
    }
}

/* Of usable RAM alone. */
TEST(adds_up_what_is_more_reliable)
{
    static const uint64_t more = UINT64_C(1) << 16;
    const EFI_MEMORY_DESCRIPTOR d[] = {
        { .Type = EfiConventionalMemory, .NumberOfPages = 16, .Attribute = more | 15 },
        { .Type = EfiConventionalMemory, .PhysicalStart = MIB, .NumberOfPages = 256 },
        { .Type = EfiBootServicesData,
          .PhysicalStart = 2 * MIB,
          .NumberOfPages = 1,
          .Attribute = more },
        { .Type = EfiMemoryMappedIO,
          .PhysicalStart = 3 * MIB,
          .NumberOfPages = 9,
          .Attribute = more },
        { .Type = EfiConventionalMemory,
          .PhysicalStart = 4 * MIB,
          .NumberOfPages = 1,
          .Attribute = more << 1 },
    };

    tell(descriptors, COUNT(descriptors), OURS, 0);
    assert_int_equal(info.more_reliable_bytes, 0);
    tell(d, COUNT(d), OURS, 0);
    assert_int_equal(info.more_reliable_bytes, 17 * 4096);
}

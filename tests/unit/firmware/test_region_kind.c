// SPDX-License-Identifier: MIT
#include "firmware/region_kind.h"

#include "fake.h"

TEST(knows_e820_types)
{
    static const struct {
        uint32_t type;
        enum boot_region_kind kind;
    } types[] = {
        { 0, BOOT_REGION_RESERVED },          { 1, BOOT_REGION_USABLE },
        { 2, BOOT_REGION_RESERVED },          { 3, BOOT_REGION_ACPI_RECLAIM },
        { 4, BOOT_REGION_ACPI_NVS },          { 5, BOOT_REGION_BAD },
        { 6, BOOT_REGION_RESERVED },          { 7, BOOT_REGION_PERSISTENT },
        { 8, BOOT_REGION_RESERVED },          { 12, BOOT_REGION_PERSISTENT },
        { 13, BOOT_REGION_RESERVED },         { 0xefffffff, BOOT_REGION_RESERVED },
        { UINT32_MAX, BOOT_REGION_RESERVED },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_int_equal(region_kind_of_e820(types[i].type), types[i].kind);
}

#define WB              (UINT64_C(1) << 3)
#define NON_VOLATILE    (UINT64_C(1) << 15)
#define MORE_RELIABLE   (UINT64_C(1) << 16)
#define SPECIAL_PURPOSE (UINT64_C(1) << 18)
#define RUNTIME_NEEDED  (UINT64_C(1) << 63)

TEST(knows_efi_types)
{
    static const struct {
        uint32_t type;
        uint64_t attributes;
        enum boot_region_kind kind;
    } types[] = {
        { 0, WB, BOOT_REGION_RESERVED },
        { 1, WB, BOOT_REGION_USABLE },
        { 2, WB, BOOT_REGION_USABLE },
        { 3, WB, BOOT_REGION_USABLE },
        { 4, WB, BOOT_REGION_USABLE },
        { 5, WB, BOOT_REGION_RUNTIME },
        { 6, WB | RUNTIME_NEEDED, BOOT_REGION_RUNTIME },
        { 7, 0, BOOT_REGION_USABLE },
        { 7, WB, BOOT_REGION_USABLE },
        { 8, WB, BOOT_REGION_BAD },
        { 9, WB, BOOT_REGION_ACPI_RECLAIM },
        { 10, WB, BOOT_REGION_ACPI_NVS },
        { 11, RUNTIME_NEEDED, BOOT_REGION_MMIO },
        { 12, 0, BOOT_REGION_MMIO },
        { 13, WB, BOOT_REGION_RESERVED },
        { 14, WB, BOOT_REGION_PERSISTENT },
        { 15, WB, BOOT_REGION_UNACCEPTED },
        { 16, WB, BOOT_REGION_RESERVED },
        { 0x70000000, WB, BOOT_REGION_RESERVED },
        { 0x80000000, WB, BOOT_REGION_RESERVED },
        { UINT32_MAX, WB, BOOT_REGION_RESERVED },
        { 7, WB | MORE_RELIABLE, BOOT_REGION_USABLE },
        { 7, WB | SPECIAL_PURPOSE | MORE_RELIABLE, BOOT_REGION_SPECIFIC },
        { 4, WB | SPECIAL_PURPOSE, BOOT_REGION_USABLE }, /* firmware was there itself */
        { 7, WB | SPECIAL_PURPOSE | NON_VOLATILE, BOOT_REGION_PERSISTENT },
        { 7, WB | NON_VOLATILE, BOOT_REGION_PERSISTENT },
        { 4, WB | RUNTIME_NEEDED, BOOT_REGION_RUNTIME },
        { 4, WB | RUNTIME_NEEDED | NON_VOLATILE, BOOT_REGION_PERSISTENT },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_int_equal(region_kind_of_efi(types[i].type, types[i].attributes), types[i].kind);
}

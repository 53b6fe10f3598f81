// SPDX-License-Identifier: MIT
/*
 * From firmware's types of memory to okram's. Header only, so that the loaders use it too.
 */
#pragma once

#include <stdint.h>

#include "boot/boot_info.h"

/*
 * From an INT 15h/E820 type (ACPI 6.5, table 15.4) or a Multiboot2 type (specification 3.6.8),
 * which are the same numbers. An unknown type is reserved.
 */
static inline enum boot_region_kind region_kind_of_e820(uint32_t type)
{
    enum {
        E820_RAM = 1,
        E820_ACPI = 3,
        E820_NVS = 4,
        E820_UNUSABLE = 5,
        E820_PERSISTENT = 7,
        E820_PRAM = 12, /* NVDIMMs, before ACPI 6.0 had a number for them */
    };

    switch (type) {
    case E820_RAM: return BOOT_REGION_USABLE;
    case E820_ACPI: return BOOT_REGION_ACPI_RECLAIM;
    case E820_NVS: return BOOT_REGION_ACPI_NVS;
    case E820_UNUSABLE: return BOOT_REGION_BAD;
    case E820_PERSISTENT:
    case E820_PRAM: return BOOT_REGION_PERSISTENT;
    default: return BOOT_REGION_RESERVED;
    }
}

/*
 * From an EFI_MEMORY_TYPE and the attributes of its descriptor (UEFI 2.10, 7.2), as they stand
 * after ExitBootServices. Specific-purpose memory (EFI_MEMORY_SP: high-bandwidth or CXL memory) is
 * RAM like any other to a memory tester: firmware only asks systems not to put their own data
 * there. Unaccepted memory of a confidential guest must not be touched.
 */
static inline enum boot_region_kind region_kind_of_efi(uint32_t type, uint64_t attributes)
{
    enum {
        EFI_LOADER_CODE = 1,
        EFI_LOADER_DATA = 2,
        EFI_BOOT_CODE = 3,
        EFI_BOOT_DATA = 4,
        EFI_RUNTIME_CODE = 5,
        EFI_RUNTIME_DATA = 6,
        EFI_CONVENTIONAL = 7,
        EFI_UNUSABLE = 8,
        EFI_ACPI_RECLAIM = 9,
        EFI_ACPI_NVS = 10,
        EFI_MMIO = 11,
        EFI_MMIO_PORTS = 12,
        EFI_PERSISTENT = 14,
        EFI_UNACCEPTED = 15,
    };
    const uint64_t specific = UINT64_C(1) << 18;
    const uint64_t non_volatile = UINT64_C(1) << 15;
    const uint64_t runtime = UINT64_C(1) << 63;

    switch (type) {
    case EFI_LOADER_CODE:
    case EFI_LOADER_DATA:
    case EFI_BOOT_CODE:
    case EFI_BOOT_DATA:
    case EFI_CONVENTIONAL:
        if (attributes & non_volatile)
            return BOOT_REGION_PERSISTENT;
        if (attributes & runtime)
            return BOOT_REGION_RUNTIME;
        return type == EFI_CONVENTIONAL && attributes & specific ? BOOT_REGION_SPECIFIC
                                                                 : BOOT_REGION_USABLE;
    case EFI_RUNTIME_CODE:
    case EFI_RUNTIME_DATA: return BOOT_REGION_RUNTIME;
    case EFI_UNUSABLE: return BOOT_REGION_BAD;
    case EFI_ACPI_RECLAIM: return BOOT_REGION_ACPI_RECLAIM;
    case EFI_ACPI_NVS: return BOOT_REGION_ACPI_NVS;
    case EFI_MMIO:
    case EFI_MMIO_PORTS: return BOOT_REGION_MMIO;
    case EFI_UNACCEPTED: return BOOT_REGION_UNACCEPTED;
    case EFI_PERSISTENT: return BOOT_REGION_PERSISTENT;
    default: return BOOT_REGION_RESERVED;
    }
}

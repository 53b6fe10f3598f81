// SPDX-License-Identifier: MIT
/*
 * The first C code: completes the boot information, by whichever way okram was started, and calls
 * kernel_main. Runs on the boot stack and the early page tables.
 */
#include "boot/boot_info.h"
#include "boot/load/bad_pages.h"
#include "boot/load/early_tables.h"
#include "boot/multiboot2/tags.h"
#include "firmware/efi_tables.h"
#include "lib/panic.h"
#include "lib/string.h"

_Noreturn void boot_start(uint32_t from, uint64_t info_phys, uint64_t bad_pages_phys);

enum { FROM_LOADER = 0, FROM_GRUB = 1 };

/* Where a loader fills it: boot/check/image_check.h. */
struct boot_info boot_info;

/*
 * GRUB's copies of the RSDP and of the SMBIOS entry point are in its boot information, in memory
 * that will be tested: they are copied to here, each within a page.
 */
static _Alignas(64) uint8_t rsdp_copy[36], smbios_copy[32];

/* By the early page tables. */
static void *direct(uint64_t phys)
{
    return (void *)(uintptr_t)(EARLY_DIRECT + phys);
}

static void keep_table(uint64_t *phys, void *copy, size_t size)
{
    uint64_t offset = (uintptr_t)copy - BOOT_KERNEL_VIRT;

    if (!*phys)
        return;
    memcpy(copy, (const void *)(uintptr_t)*phys, size);
    *phys = (uint64_t)boot_info.kernel_page[offset / BOOT_PAGE] * BOOT_PAGE + offset % BOOT_PAGE;
}

static const void *map_early(void *ctx, uint64_t phys, size_t length)
{
    return phys < EARLY_DIRECT_BYTES && length <= EARLY_DIRECT_BYTES - phys ? direct(phys) : NULL;
}

/* Takes what the loader has not passed from UEFI's own tables. */
static void complete_from_efi(const void *info, size_t size)
{
    static const struct phys_reader reader = { .map = map_early };
    struct efi_tables tables;
    uint64_t system_table;
    bool is_64;

    if (!multiboot2_efi(info, size, &system_table, &is_64) ||
        efi_tables_find(&reader, system_table, is_64, &tables) != STATUS_OK)
        return;
    if (!boot_info.rsdp)
        boot_info.rsdp = tables.rsdp;
    if (!boot_info.smbios)
        boot_info.smbios = tables.smbios;
}

_Noreturn void boot_start(uint32_t from, uint64_t info_phys, uint64_t bad_pages_phys)
{
    if (from == FROM_GRUB) {
        const uint32_t *info = direct(info_phys);

        multiboot2_read(info, info[0], &boot_info);
        keep_table(&boot_info.rsdp, rsdp_copy, sizeof(rsdp_copy));
        keep_table(&boot_info.smbios, smbios_copy, sizeof(smbios_copy));
        complete_from_efi(info, info[0]);
        bad_pages_store(direct(bad_pages_phys), &boot_info);
    }
    ASSERT(boot_info.magic == BOOT_INFO_MAGIC && boot_info.version == BOOT_INFO_VERSION &&
           boot_info.size == sizeof(boot_info));
    kernel_main(&boot_info);
}

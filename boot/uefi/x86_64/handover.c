// SPDX-License-Identifier: MIT
/* 64-bit firmware: its page tables stay in use next to the kernel's, and the kernel can call it. */
#include "boot/uefi/handover.h"

#include <efilib.h>

#include "boot/load/early_tables.h"
#include "boot/uefi/x86_64/cpu.h"

const char handover_loader[] = "okram.efi";

const char *handover_check(void)
{
    return NULL;
}

const char *handover_limits(void)
{
    return NULL;
}

uint64_t handover_system_table(void)
{
    return (uint64_t)ST;
}

/* Five levels of page tables stay as firmware has set them up. */
uint64_t handover_tables(const struct placed_kernel *placed)
{
    const uint64_t *firmware = page_pointer((uint32_t)(cpu_cr3() >> PAGE_SHIFT));

    return early_tables_fill(placed->pages.page, placed->pages.n, placed->check->early_tables,
                             firmware, cpu_has_five_levels());
}

/*
 * After the image. If the pages there do not adjoin, the kernel's page tables are turned on, so
 * that firmware can write to them; their lower half is firmware's.
 */
EFI_STATUS handover_map_buffer(const struct placed_kernel *placed, uint64_t root,
                               struct efi_map *ret_map)
{
    uint32_t first = placed->check->n_memory_pages;

    ret_map->capacity_bytes = (placed->pages.n - first) * (uint64_t)IMAGE_PAGE;
    if (placed_adjoin(placed, first)) {
        ret_map->buffer = page_pointer(placed->pages.page[first]);
    } else {
        ret_map->buffer = (void *)(BOOT_KERNEL_VIRT + first * (uint64_t)IMAGE_PAGE);
        cpu_set_cr3(root);
    }
    return EFI_SUCCESS;
}

_Noreturn void handover_enter(uint64_t root, uint32_t entry)
{
    cpu_set_cr3(root);
    cpu_enter(BOOT_KERNEL_VIRT + entry);
}

// SPDX-License-Identifier: MIT
/* 32-bit firmware: once the kernel runs, in 64-bit mode, it is no longer called. */
#include "boot/uefi/handover.h"

#include "boot/load/early_tables.h"
#include "boot/long_mode/long_mode.h"
#include "boot/uefi/ia32/map_buffer.h"

const char handover_loader[] = "okram-ia32.efi (32-bit UEFI)";

const char *handover_check(void)
{
    return cpu_check();
}

const char *handover_limits(void)
{
    return "This machine's UEFI is 32-bit, and okram's kernel, which is 64-bit, cannot call it: no "
           "report is kept in UEFI variables, and the machine is switched off by ACPI alone.";
}

uint64_t handover_system_table(void)
{
    return 0;
}

uint64_t handover_tables(const struct placed_kernel *placed)
{
    return early_tables_fill(placed->pages.page, placed->pages.n, placed->check->early_tables, NULL,
                             false);
}

/* After the image; or elsewhere, if the pages there do not adjoin. */
EFI_STATUS handover_map_buffer(const struct placed_kernel *placed, uint64_t root,
                               struct efi_map *ret_map)
{
    uint32_t first = placed->check->n_memory_pages, n = placed->pages.n - first;

    ret_map->capacity_bytes = n * IMAGE_PAGE;
    ret_map->buffer = placed_adjoin(placed, first) ? page_pointer(placed->pages.page[first])
                                                   : map_buffer_find(n, placed->pages.bad);
    return ret_map->buffer ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

_Noreturn void handover_enter(uint64_t root, uint32_t entry)
{
    enter_kernel((uint32_t)root, entry);
}

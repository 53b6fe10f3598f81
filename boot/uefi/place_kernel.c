// SPDX-License-Identifier: MIT
#include "place_kernel.h"

#include <efilib.h>

#include "blocks.h"
#include "boot/load/load_image.h"
#include "efi_map.h"

/* For what is allocated after the search: each allocation may split a range in three. */
#define SPARE_DESCRIPTORS 64

/* Raises the number of pages wanted if the map, as it is now, needs more. */
static EFI_STATUS want_pages(struct placed_kernel *placed)
{
    uint64_t bytes, needed;
    EFI_STATUS status = efi_map_bytes(SPARE_DESCRIPTORS, &bytes);

    if (EFI_ERROR(status))
        return status;
    needed = placed->check->n_memory_pages + EFI_SIZE_TO_PAGES(bytes);
    if (needed <= placed->pages.wanted)
        return EFI_SUCCESS;
    if (needed >= BOOT_KERNEL_PAGES_MAX)
        return EFI_BUFFER_TOO_SMALL;
    placed->pages.wanted =
        (uint32_t)needed + 1; /* so that a few more descriptors need no new search */
    return EFI_SUCCESS;
}

EFI_STATUS place_kernel(const struct image_copies *kernel, struct bad_pages *bad,
                        struct placed_kernel *ret_placed)
{
    struct good_pages *pages = &ret_placed->pages;
    struct blocks blocks;
    EFI_STATUS status;

    *ret_placed = (struct placed_kernel){ .check = kernel->check, .pages = { .bad = bad } };
    status = want_pages(ret_placed);
    blocks_begin(&blocks, pages);
    while (!EFI_ERROR(status) && pages->n < pages->wanted) {
        blocks.n_pages = pages->wanted;
        if (load_image(kernel, pages, &blocks.source) != STATUS_OK) {
            Print(L"okram: only %d KiB of fault-free memory found below 4 GiB; okram needs %d.\r\n",
                  pages->n * 4, pages->wanted * 4);
            return EFI_OUT_OF_RESOURCES;
        }
        status = want_pages(ret_placed);
    }
    return status;
}

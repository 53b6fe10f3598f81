// SPDX-License-Identifier: MIT
#include "place_kernel.h"

#include <efilib.h>

#include "blocks.h"
#include "boot/load/load_image.h"
#include "efi_map.h"
#include "lib/minmax.h"
#include "lib/string.h"

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
    if (needed + 1 >= BOOT_KERNEL_PAGES_MAX)
        return EFI_BUFFER_TOO_SMALL;
    placed->pages.wanted =
        (uint32_t)needed + 1; /* a few more descriptors then need no new search */
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
        enum status loaded = load_image(kernel, pages, &blocks.source);

        if (loaded == STATUS_INVALID) {
            Print(L"okram: while the kernel was copied, both copies of one of its pages were "
                  L"damaged.\r\n");
            return EFI_CRC_ERROR;
        }
        if (loaded != STATUS_OK) {
            Print(L"okram: only %d KiB of fault-free memory found below 4 GiB; okram needs %d.\r\n",
                  pages->n * 4, pages->wanted * 4);
            return EFI_OUT_OF_RESOURCES;
        }
        status = want_pages(ret_placed);
    }
    return status;
}

bool placed_adjoin(const struct placed_kernel *placed, uint32_t first)
{
    const uint32_t *page = placed->pages.page;

    for (uint32_t i = first + 1; i < placed->pages.n; i++) {
        if (page[i] != page[i - 1] + 1)
            return false;
    }
    return true;
}

void placed_write(const struct placed_kernel *placed, uint64_t offset, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    while (n) {
        uint8_t *page = page_pointer(placed->pages.page[offset / IMAGE_PAGE]);
        size_t at = offset % IMAGE_PAGE, part = min_u64(n, IMAGE_PAGE - at);

        memcpy(page + at, from, part);
        offset += part;
        from += part;
        n -= part;
    }
}

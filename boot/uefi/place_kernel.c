// SPDX-License-Identifier: MIT
#include "place_kernel.h"

#include <efilib.h>

#include "boot/load/good_pages.h"
#include "efi_map.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define BELOW_4_GIB    UINT64_C(0xffffffff)
#define ABOVE_LOW      (UINT64_C(1) << 20) /* below, other CPUs start */
#define PAGES_A_REPORT 4096                /* 16 MiB */

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

struct blocks {
    struct page_source source; /* that returns the blocks page by page */
    const struct good_pages *pages;
    uint64_t n_pages; /* of a block, set by the caller: halved when there is no block that large */
    uint32_t next, end;  /* what is left of the current block */
    uint32_t bad_before; /* before it was taken */
    uint32_t n_reports;
};

static void print_faulty(struct blocks *b)
{
    uint64_t base = (b->end - b->n_pages) << PAGE_SHIFT;

    if (!b->end || b->pages->n_bad == b->bad_before || b->pages->n_tested > GOOD_PAGES_RUN_TRIES)
        return;
    Print(L"okram: faulty memory in the block at 0x%lx; trying another.\r\n", base);
}

/* The highest free block; false: there is none. */
static bool take_block(struct blocks *b)
{
    print_faulty(b);
    for (; b->n_pages; b->n_pages /= 2) {
        EFI_PHYSICAL_ADDRESS base = BELOW_4_GIB;

        if (EFI_ERROR(BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, b->n_pages, &base)))
            continue;
        if (base < ABOVE_LOW) {
            BS->FreePages(base, b->n_pages);
            continue;
        }
        b->next = (uint32_t)(base >> PAGE_SHIFT);
        b->end = b->next + (uint32_t)b->n_pages;
        b->bad_before = b->pages->n_bad;
        return true;
    }
    return false;
}

static uint32_t next_pages(void *ctx, uint32_t *ret_page)
{
    struct blocks *b = ctx;
    uint32_t n = 0;

    if (b->next == b->end && !take_block(b))
        return 0;
    while (n < PAGE_SOURCE_CHUNK && b->next < b->end)
        ret_page[n++] = b->next++;
    return n;
}

static void show_search(void *ctx, uint32_t n_tested)
{
    struct blocks *b = ctx;

    if (n_tested / PAGES_A_REPORT == b->n_reports)
        return;
    b->n_reports++;
    Print(L"okram: %d MiB searched, %d of %d KiB of fault-free memory found.\r\n", n_tested / 256,
          b->pages->n * 4, b->pages->wanted * 4);
}

/*
 * For a search that fills `pages`. All blocks stay allocated, so that firmware returns none twice;
 * to the kernel they are free memory, which it tests. Prints which blocks have faulty cells, and
 * the progress of a long search.
 */
static void blocks_begin(struct blocks *blocks, const struct good_pages *pages)
{
    *blocks = (struct blocks){
        .source = { next_pages, show_search, blocks },
        .pages = pages,
    };
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
            if (good_pages_pass_again(pages))
                Print(L"okram: %a\r\n", GOOD_PAGES_PASSED_AGAIN);
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

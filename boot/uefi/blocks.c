// SPDX-License-Identifier: MIT
#include "blocks.h"

#include <efi.h>
#include <efilib.h>

#define BELOW_4_GIB    UINT64_C(0xffffffff)
#define ABOVE_LOW      (UINT64_C(1) << 20) /* below, other CPUs start */
#define PAGES_A_REPORT 4096                /* 16 MiB */

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

void blocks_begin(struct blocks *blocks, const struct good_pages *pages)
{
    *blocks = (struct blocks){
        .source = { next_pages, show_search, blocks },
        .pages = pages,
    };
}

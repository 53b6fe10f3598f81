// SPDX-License-Identifier: MIT
#include "log/page_index.h"

#include "lib/panic.h"

enum status page_index_init(struct page_index *ret_space, struct page_extent *extent,
                            size_t max_extents, const struct span *ram, size_t n)
{
    uint64_t ram_end = 0, n_pages = 0;
    size_t n_extents = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t first = ram[i].base >> PAGE_SHIFT, end;

        if (ram[i].size == 0)
            continue;
        if (ram[i].base < ram_end || first >= PAGES_MAX ||
            ram[i].size > (PAGES_MAX << PAGE_SHIFT) - ram[i].base)
            return STATUS_INVALID;
        ram_end = span_end(ram[i]);
        end = ((ram_end - 1) >> PAGE_SHIFT) + 1;

        if (n_extents && first <= page_run_end(extent[n_extents - 1].run)) {
            extent[n_extents - 1].run.count = end - extent[n_extents - 1].run.first;
        } else {
            if (n_extents == max_extents)
                return STATUS_NO_SPACE;
            extent[n_extents++].run = (struct page_run){ first, end - first };
        }
    }
    for (size_t i = 0; i < n_extents; i++) {
        extent[i].index = n_pages;
        n_pages += extent[i].run.count;
    }
    *ret_space = (struct page_index){ extent, n_extents, n_pages };
    return STATUS_OK;
}

size_t page_index_extent(const struct page_index *space, uint64_t page)
{
    size_t low = 0, high = space->n_extents;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (page_run_end(space->extent[middle].run) > page)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

enum status page_index_index(const struct page_index *space, uint64_t page, uint64_t *ret_index)
{
    size_t i = page_index_extent(space, page);

    if (i == space->n_extents || page < space->extent[i].run.first)
        return STATUS_NOT_FOUND;
    *ret_index = space->extent[i].index + (page - space->extent[i].run.first);
    return STATUS_OK;
}

uint64_t page_index_page(const struct page_index *space, uint64_t index)
{
    size_t low = 0, high = space->n_extents;

    ASSERT(index < space->n_pages);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (space->extent[middle].index <= index)
            low = middle;
        else
            high = middle;
    }
    return space->extent[low].run.first + (index - space->extent[low].index);
}

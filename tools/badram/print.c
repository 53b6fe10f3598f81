// SPDX-License-Identifier: MIT
#include "print.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/fmt.h"

void print_count(uint64_t n, const char *what)
{
    printf("%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

void print_pages(uint64_t pages)
{
    char size[24];
    struct fmt_buffer b = fmt_buffer_make(size, sizeof(size));

    fmt_append_size(&b, pages << PAGE_SHIFT);
    print_count(pages, "page");
    printf(" (%s)", size);
}

void print_pair(uint64_t addr, uint64_t mask)
{
    printf("0x%" PRIx64 ",0x%" PRIx64, addr, mask);
}

/* All bits that some RAM address has set, and those below. */
static uint64_t ram_bits(const struct page_index *space)
{
    uint64_t bits = (page_run_end(space->extent[space->n_extents - 1].run) << PAGE_SHIFT) - 1;

    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits |= bits >> shift;
    return bits;
}

void print_free_bits(struct pattern p, const struct page_index *space)
{
    uint64_t bits = ram_bits(space) & ~p.mask & ~(PAGE_SIZE - 1);
    const char *comma = "";

    printf(!bits ? "no address bit" : bits & (bits - 1) ? "address bits " : "address bit ");
    for (unsigned first = PAGE_SHIFT, last; first < 64; first = last + 1) {
        last = first;
        if (!(bits >> first & 1))
            continue;
        while (last < 63 && bits >> (last + 1) & 1)
            last++;
        printf(last > first ? "%s%u-%u" : "%s%u", comma, first, last);
        comma = ",";
    }
    printf(" free");
}

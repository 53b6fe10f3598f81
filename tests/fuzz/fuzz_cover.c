// SPDX-License-Identifier: MIT
/*
 * Bad pages, and the cover and the lines made of them. The input: most patterns (1), most ranges
 * (1), which line is made (1), four spans of RAM (2 + 2 each, in pages of address space and of
 * RAM), and bad pages: their place (2), how many (1) and how far apart (1).
 */
#include <stdlib.h>

#include "fuzz.h"
#include "line_checks.h"

#define SPANS      4
#define SPAN_PAGES 128 /* what is done with an input takes a time by its pages */
#define GAP_SHIFT  8   /* gaps are multiples of a MiB: above 4 GiB, too */

static size_t read_ram(struct fuzz_input *in, struct span *ram)
{
    uint64_t page = 0;
    size_t n = 0;

    for (size_t i = 0; i < SPANS; i++) {
        page += fuzz_number(in, 2) << GAP_SHIFT;
        ram[n].base = page << PAGE_SHIFT;
        ram[n].size = (fuzz_number(in, 2) % (SPAN_PAGES + 1)) << PAGE_SHIFT;
        page += ram[n].size >> PAGE_SHIFT;
        n++;
    }
    return n;
}

static void mark(struct fuzz_input *in, struct fault_log *log)
{
    uint64_t n_pages = log->space->n_pages;

    while (in->left && n_pages) {
        uint64_t at = fuzz_number(in, 2), count = fuzz_number(in, 1), step = fuzz_number(in, 1);

        for (uint64_t i = 0; i <= count; i++)
            fault_log_mark_page(log, page_index_page(log->space, (at + i * step) % n_pages)
                                         << PAGE_SHIFT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct page_extent extent[SPANS];
    static struct page_index space;
    static struct fault_log log;
    struct fuzz_input in = { bytes, size };
    size_t max_patterns = 1 + fuzz_number(&in, 1);
    uint64_t max_ranges = 1 + fuzz_number(&in, 1);
    enum line_kind other = (enum line_kind)(fuzz_number(&in, 1) % LINE_KINDS);
    struct span ram[SPANS];
    size_t n = read_ram(&in, ram);
    void *copy;

    CHECK(page_index_init(&space, extent, SPANS, ram, n) == STATUS_OK);
    copy = malloc(fault_log_copy_bytes(&space));
    CHECK(copy);
    fault_log_init(&log, &space, &(struct fault_log_memory){ .copy = { copy } });
    mark(&in, &log);
    line_checks(&log, max_patterns, max_ranges, other);
    free(copy);
    return 0;
}

// SPDX-License-Identifier: MIT
#include "self/probe.h"

#include <stdbool.h>

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "memory/arena.h"
#include "plan/plan.h"
#include "sweep/page_check.h"

#define CHUNK_BYTES (ARENA_CHUNK_PAGES * PAGE_SIZE)
_Static_assert(ARENA_CHUNK_PAGES <= PAGE_CHECK_MAX, "checked at once");

static uint64_t bad_page[PROBE_PAGES_MAX];
static size_t n_bad_pages;

static bool is_known_bad(uint64_t page)
{
    for (size_t i = 0; i < n_bad_pages; i++) {
        if (bad_page[i] == page)
            return true;
    }
    return false;
}

static void note_bad_page(uint64_t page_phys)
{
    uint64_t page = align_down(page_phys, PAGE_SIZE);

    if (n_bad_pages < PROBE_PAGES_MAX && !is_known_bad(page))
        bad_page[n_bad_pages++] = page;
}

void probe_begin(const struct boot_info *boot)
{
    for (uint32_t i = 0; i < boot->n_bad_pages; i++)
        note_bad_page(boot->bad_page[i]);
}

/* Those known from before are bad, too. */
static uint32_t known_bad(struct span pages)
{
    uint32_t bad = 0;

    for (size_t i = 0; i < n_bad_pages; i++) {
        if (span_contains(pages, bad_page[i]))
            bad |= UINT32_C(1) << ((bad_page[i] - pages.base) >> PAGE_SHIFT);
    }
    return bad;
}

uint32_t probe_march(struct span pages)
{
    struct slice slice = { direct(pages.base), pages.base, pages.size / LINE_SIZE };
    uint32_t bad = page_check(&line_ops_sse2, cpu_features_read().clflushopt, slice);

    for (uint64_t at = pages.base; at < span_end(pages); at += PAGE_SIZE) {
        if (bad >> ((at - pages.base) >> PAGE_SHIFT) & 1)
            note_bad_page(at);
    }
    return bad | known_bad(pages);
}

size_t probe_bad_pages(const uint64_t **ret_pages)
{
    *ret_pages = bad_page;
    return n_bad_pages;
}

size_t probe_and_log(struct span pages)
{
    size_t n_bad = 0;

    while (pages.size) {
        struct span chunk = { pages.base, min_u64(pages.size, CHUNK_BYTES) };
        uint32_t bad = probe_march(chunk);

        for (uint64_t page = chunk.base; bad; bad >>= 1, page += PAGE_SIZE) {
            if (bad & 1)
                fault_log_mark_page(&fault_log, page);
            n_bad += bad & 1;
        }
        pages.base += chunk.size;
        pages.size -= chunk.size;
    }
    return n_bad;
}

// SPDX-License-Identifier: MIT
#include "self/probe.h"

#include <stdbool.h>

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "memory/arena.h"
#include "plan/plan.h"
#include "sweep/engine.h"

#define CHUNK_BYTES (ARENA_CHUNK_PAGES * PAGE_SIZE)

static uint64_t bad_page[PROBE_PAGES_MAX];
static size_t n_bad_pages;

/* What memory must pass: a test for faults of cells and between them, and one of addresses. */
static const struct {
    const char *march;
    enum data_kind data;
    uint32_t rounds;
} marches[] = {
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)", DATA_BACKGROUND, 2 },
    { "up(w0);up(r0);down(w1);down(r1)", DATA_ADDRESS, 1 },
};

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

struct found {
    struct span pages;
    uint32_t bad;
};

static void mark(struct found *found, uint64_t phys)
{
    found->bad |= UINT32_C(1) << ((phys - found->pages.base) >> PAGE_SHIFT);
}

/* Nothing is left to find: bad memory costs little. */
static bool is_all_bad(const struct found *found)
{
    return found->bad == UINT32_MAX >> (32 - (found->pages.size >> PAGE_SHIFT));
}

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    mark(ctx, phys);
}

static void run_march(const char *notation, const struct data *data, const struct sweep *sweep,
                      const struct found *found)
{
    struct march march;
    struct march_error error;

    ASSERT(march_parse(notation, &march, &error) == MARCH_OK);
    for (uint32_t i = 0; i < march.n_elements && !is_all_bad(found); i++) {
        struct span left = found->pages;

        while (left.size) {
            struct span s = sweep_next_slice(&left, march.element[i].kind == MARCH_DOWN);

            sweep_element(sweep, &march.element[i], data,
                          (struct slice){ direct(s.base), s.base, s.size / LINE_SIZE });
        }
    }
}

uint32_t probe_march(struct span pages)
{
    struct found found = { .pages = pages };
    struct sweep sweep = {
        .ops = &line_ops_sse2,
        .has_clflushopt = cpu_features_read().clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = report, .ctx = &found },
    };

    for (size_t i = 0; i < sizeof(marches) / sizeof(marches[0]); i++) {
        for (uint32_t round = 0; round < marches[i].rounds; round++) {
            struct data data = data_make(marches[i].data, round, 0);

            run_march(marches[i].march, &data, &sweep, &found);
        }
    }
    for (uint64_t at = pages.base; at < span_end(pages); at += PAGE_SIZE) {
        if (found.bad >> ((at - pages.base) >> PAGE_SHIFT) & 1)
            note_bad_page(at);
    }
    for (size_t i = 0; i < n_bad_pages; i++) {
        if (span_contains(pages, bad_page[i]))
            mark(&found, bad_page[i]);
    }
    return found.bad;
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

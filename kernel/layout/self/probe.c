// SPDX-License-Identifier: MIT
#include "self/probe.h"

#include <stdbool.h>

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "sweep/page_check.h"

#define CHUNK_BYTES (ARENA_CHUNK_PAGES * PAGE_SIZE)
_Static_assert(ARENA_CHUNK_PAGES <= PAGE_CHECK_MAX, "checked at once");

_Static_assert(ARENA_CHUNKS_MAX <= CHUNKS_MAX, "shared at once");

static uint64_t bad_page[PROBE_PAGES_MAX];
static size_t n_bad_pages;
static bool use_all_cpus;
static const struct line_ops *ops = &line_ops_sse2;

/* A march that CPUs share. */
struct job {
    const struct span *chunk;
    uint32_t *ret_bad;
};

static bool is_known_bad(uint64_t page)
{
    for (size_t i = 0; i < n_bad_pages; i++) {
        if (bad_page[i] == page)
            return true;
    }
    return false;
}

void probe_note_bad_page(uint64_t page_phys)
{
    uint64_t page = align_down(page_phys, PAGE_SIZE);

    if (n_bad_pages < PROBE_PAGES_MAX && !is_known_bad(page))
        bad_page[n_bad_pages++] = page;
}

void probe_begin(const struct boot_info *boot)
{
    for (uint32_t i = 0; i < boot->n_bad_pages; i++)
        probe_note_bad_page(boot->bad_page[i]);
}

/* Pages known as bad from before count, too. */
static uint32_t known_bad(struct span pages)
{
    uint32_t bad = 0;

    for (size_t i = 0; i < n_bad_pages; i++) {
        if (span_contains(pages, bad_page[i]))
            bad |= UINT32_C(1) << ((bad_page[i] - pages.base) >> PAGE_SHIFT);
    }
    return bad;
}

static uint32_t march(struct span pages)
{
    struct slice slice = { direct(pages.base), pages.base, pages.size / LINE_SIZE };

    return page_check(ops, cpu_features_read().clflushopt, slice, PAGE_CHECK_BEFORE_USE, NULL);
}

static void march_chunk(void *ctx, uint32_t i)
{
    const struct job *job = ctx;

    job->ret_bad[i] = march(job->chunk[i]);
}

static void march_all(const struct span *chunk, uint32_t n, uint32_t *ret_bad)
{
    struct job job = { chunk, ret_bad };

    chunks_run(machine.online, use_all_cpus ? machine.n_online : 0, n, march_chunk, &job);
}

void probe_march(const struct span *chunk, size_t n, uint32_t *ret_bad)
{
    ASSERT(n <= ARENA_CHUNKS_MAX);
    march_all(chunk, (uint32_t)n, ret_bad);
    for (size_t i = 0; i < n; i++) {
        for (uint64_t page = 0; page < chunk[i].size / PAGE_SIZE; page++) {
            if (ret_bad[i] >> page & 1)
                probe_note_bad_page(chunk[i].base + page * PAGE_SIZE);
        }
        ret_bad[i] |= known_bad(chunk[i]);
    }
}

void probe_use_all_cpus(void)
{
    use_all_cpus = true;
}

void probe_use(const struct line_ops *fastest)
{
    ops = fastest;
}

size_t probe_bad_pages(const uint64_t **ret_pages)
{
    *ret_pages = bad_page;
    return n_bad_pages;
}

static size_t log_bad(struct fault_log *log, struct span chunk, uint32_t bad)
{
    size_t n_bad = 0;

    for (uint64_t page = chunk.base; bad; bad >>= 1, page += PAGE_SIZE) {
        if (bad & 1)
            fault_log_mark_page(log, page);
        n_bad += bad & 1;
    }
    return n_bad;
}

size_t probe_and_log(struct fault_log *log, struct span pages)
{
    static struct span chunk[ARENA_CHUNKS_MAX];
    static uint32_t bad[ARENA_CHUNKS_MAX];
    size_t n_bad = 0;

    while (pages.size) {
        size_t n = 0;

        for (; pages.size && n < ARENA_CHUNKS_MAX; n++) {
            chunk[n] = (struct span){ pages.base, min_u64(pages.size, CHUNK_BYTES) };
            pages.base += chunk[n].size;
            pages.size -= chunk[n].size;
        }
        probe_march(chunk, n, bad);
        for (size_t i = 0; i < n; i++)
            n_bad += log_bad(log, chunk[i], bad[i]);
    }
    return n_bad;
}

// SPDX-License-Identifier: MIT
#include "memory/arena.h"

#include <stdbool.h>

#include "arch/paging.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

#define FREE_MAX    128
#define CHUNK_BYTES (ARENA_CHUNK_PAGES * PAGE_SIZE)
#define LOW_END     (UINT64_C(1) << 20)
#define HIGH_END    (UINT64_C(1) << 32)
#define LOW_TOP     UINT64_C(0xa0000)

/* The most runs of adjoining pages that okram may occupy. */
#define DATA_RUNS  4096
#define TABLE_RUNS 1024
#define FIXED_RUNS 64

/* The free RAM from 1 MiB up, in the order in which it is taken; no span crosses 4 GiB. */
static struct span free_ram[FREE_MAX];
static size_t n_free_ram;
static struct span free_low; /* the largest piece below 640 KiB, without page 0 */
static arena_check check;
static struct place_run data_run[DATA_RUNS], table_run[TABLE_RUNS];
static struct footprint place = {
    .data = { .run = data_run, .max = DATA_RUNS },
    .tables = { .run = table_run, .max = TABLE_RUNS },
};
static struct place_run fixed_run[FIXED_RUNS];
static struct page_list fixed = { .run = fixed_run, .max = FIXED_RUNS };
static struct groups groups;            /* of place.data */
static uint64_t data_used, tables_used; /* bytes from the beginning */
static uint64_t next_virt = ARENA_BASE;
static bool closed;

/* The chunks that are checked next, together. */
static struct {
    struct span chunk[ARENA_CHUNKS_MAX];
    uint32_t bad[ARENA_CHUNKS_MAX];
    size_t n;
    uint64_t bytes;
} batch;

static struct span whole_pages(struct span s, uint64_t low, uint64_t high)
{
    return span_whole_pages(span_intersect(s, (struct span){ low, high - low }));
}

/* If there is no room, the span stays free RAM, but the arena will not take it. */
static void add_free(size_t at, struct span s)
{
    if (!s.size || n_free_ram == FREE_MAX)
        return;
    memmove(&free_ram[at + 1], &free_ram[at], (n_free_ram - at) * sizeof(free_ram[0]));
    free_ram[at] = s;
    n_free_ram++;
}

_Noreturn static void panic_of_scattered(void)
{
    panic_of_memory("too many bad pages between 1 MiB and 4 GiB: no room for okram");
}

void arena_init(const uint32_t *image_page, size_t n_image_pages, const struct span *free,
                size_t n_free, arena_check check_pages)
{
    check = check_pages;
    for (size_t i = 0; i < n_image_pages; i++)
        ASSERT(page_list_add(&place.data, (struct span){ (uint64_t)image_page[i] << PAGE_SHIFT,
                                                         PAGE_SIZE }) == STATUS_OK);
    data_used = place.data.bytes;
    groups_add(&groups, GROUP_MAIN, data_used);
    for (size_t i = 0; i < n_free; i++) {
        struct span low = whole_pages(free[i], PAGE_SIZE, LOW_TOP);

        add_free(n_free_ram, whole_pages(free[i], LOW_END, HIGH_END));
        add_free(n_free_ram, whole_pages(free[i], HIGH_END, DIRECT_SIZE));
        if (low.size > free_low.size)
            free_low = low;
    }
}

/* The image's pages are in memory that was free before. */
static bool is_taken(uint64_t page)
{
    return footprint_holds(&place, page);
}

/* The first free pages of a span, a chunk or `wanted` at most; size 0: none. */
static struct span first_chunk(struct span s, uint64_t wanted)
{
    struct span chunk;

    while (s.size && is_taken(s.base)) {
        s.base += PAGE_SIZE;
        s.size -= PAGE_SIZE;
    }
    chunk = (struct span){ s.base, 0 };
    while (chunk.size < s.size && chunk.size < CHUNK_BYTES && chunk.size < wanted &&
           !is_taken(span_end(chunk)))
        chunk.size += PAGE_SIZE;
    return chunk;
}

/* Drops the part of free_ram[i] before the end of a chunk. */
static void skip_to(size_t i, uint64_t end)
{
    free_ram[i].size = span_end(free_ram[i]) - end;
    free_ram[i].base = end;
}

/* The next chunk of free RAM below 4 GiB; size 0: there is nothing left. */
static struct span take_chunk(void)
{
    for (size_t i = 0; i < n_free_ram; i++) {
        struct span chunk;

        if (free_ram[i].base >= HIGH_END)
            continue;
        chunk = first_chunk(free_ram[i], CHUNK_BYTES);
        skip_to(i, chunk.size ? span_end(chunk) : span_end(free_ram[i]));
        if (chunk.size)
            return chunk;
    }
    return (struct span){ 0 };
}

static bool batch_has_room(uint64_t wanted)
{
    return batch.n < ARENA_CHUNKS_MAX && batch.bytes < wanted;
}

/* False: there is no chunk. */
static bool batch_add(struct span chunk)
{
    if (!chunk.size)
        return false;
    batch.chunk[batch.n++] = chunk;
    batch.bytes += chunk.size;
    return true;
}

static enum status add_good_pages(struct page_list *pool, struct span chunk, uint32_t bad)
{
    for (; chunk.size; bad >>= 1, chunk.base += PAGE_SIZE, chunk.size -= PAGE_SIZE) {
        if (!(bad & 1) && page_list_add(pool, (struct span){ chunk.base, PAGE_SIZE }) != STATUS_OK)
            return STATUS_NO_SPACE;
    }
    return STATUS_OK;
}

/* Adds the batch's good pages, and empties it. */
static void add_batch(struct page_list *pool)
{
    check(batch.chunk, batch.n, batch.bad);
    for (size_t i = 0; i < batch.n; i++) {
        if (add_good_pages(pool, batch.chunk[i], batch.bad[i]) != STATUS_OK)
            panic_of_scattered();
    }
    batch.n = 0;
    batch.bytes = 0;
}

/* By `wanted` bytes, or by less where pages are bad. */
static void grow(struct page_list *pool, uint64_t wanted)
{
    ASSERT(!closed);
    while (batch_has_room(wanted) && batch_add(take_chunk()))
        ;
    if (!batch.n)
        panic_of_memory(
            "too little memory for okram: it needs more than %lu KiB between 1 MiB and 4 GiB",
            (unsigned long)((place.data.bytes + place.tables.bytes) >> 10));
    add_batch(pool);
}

uint64_t arena_table_page(void)
{
    while (tables_used == place.tables.bytes)
        grow(&place.tables, PAGE_SIZE);
    tables_used += PAGE_SIZE;
    return page_list_at(&place.tables, tables_used - PAGE_SIZE).base;
}

/* The next bytes of the data, zeroed. */
static void *map_next(enum group group, uint64_t bytes)
{
    uint64_t size = align_up(bytes, PAGE_SIZE), virt = next_virt;

    next_virt += size + PAGE_SIZE; /* an unmapped page between allocations catches overruns */
    for (uint64_t done = 0; done < size;) {
        struct span run;

        while (data_used == place.data.bytes)
            grow(&place.data, size - done);
        run = page_list_at(&place.data, data_used);
        if (run.size > size - done)
            run.size = size - done;
        paging_map(virt + done, run.base, run.size, PAGING_WRITE | PAGING_SMALL_PAGES);
        done += run.size;
        data_used += run.size;
    }
    groups_add(&groups, group, size);
    memset((void *)virt, 0, size);
    return (void *)virt;
}

void *arena_alloc(uint64_t bytes)
{
    ASSERT(!closed);
    return map_next(GROUP_MAIN, bytes);
}

/* The lowest free chunk within a span, `wanted` at most; size 0: there is none. */
static struct span take_within(struct span within, uint64_t wanted)
{
    for (size_t i = 0; i < n_free_ram; i++) {
        struct span s = free_ram[i];
        struct span chunk = first_chunk(whole_pages(s, within.base, span_end(within)), wanted);

        if (!chunk.size)
            continue;
        skip_to(i, span_end(chunk));
        if (chunk.base > s.base)
            add_free(i, (struct span){ s.base, chunk.base - s.base });
        return chunk;
    }
    return (struct span){ 0 };
}

void *arena_alloc_in(enum group group, uint64_t bytes, const struct span *preferred, size_t n)
{
    uint64_t end = data_used + align_up(bytes, PAGE_SIZE);

    ASSERT(!closed);
    page_list_truncate(&place.data, data_used, NULL); /* the rest of the chunk is free RAM */
    for (size_t i = 0; i < n && place.data.bytes < end;) {
        uint64_t wanted = end - place.data.bytes;

        while (batch_has_room(wanted) && batch_add(take_within(preferred[i], wanted - batch.bytes)))
            ;
        if (batch.n)
            add_batch(&place.data);
        else
            i++;
    }
    return map_next(group, bytes);
}

uint64_t arena_low_page(void)
{
    while (free_low.size) {
        uint32_t bad;

        free_low.size -= PAGE_SIZE;
        check(&(struct span){ span_end(free_low), PAGE_SIZE }, 1, &bad);
        if (!bad)
            return span_end(free_low);
    }
    return 0;
}

const struct page_list *arena_alloc_dma(uint64_t pages)
{
    ASSERT(!closed && !fixed.bytes);
    while (fixed.bytes < pages * PAGE_SIZE) {
        struct span chunk = take_chunk();
        uint32_t bad = 0;

        if (chunk.size)
            check(&chunk, 1, &bad);
        if (!chunk.size || add_good_pages(&fixed, chunk, bad) != STATUS_OK) {
            page_list_clear(&fixed);
            return NULL;
        }
    }
    page_list_truncate(&fixed, pages * PAGE_SIZE, NULL); /* the rest is free RAM */
    for (size_t i = 0; i < fixed.n; i++)
        memset(direct(page_list_span(&fixed, i).base), 0, page_list_span(&fixed, i).size);
    return &fixed;
}

uint64_t arena_fixed_page(void)
{
    struct span page;
    uint32_t bad;

    ASSERT(!closed);
    do {
        page = take_within((struct span){ LOW_END, HIGH_END - LOW_END }, PAGE_SIZE);
        if (!page.size)
            return 0;
        check(&page, 1, &bad);
    } while (bad);
    if (page_list_add(&fixed, page) != STATUS_OK)
        return 0;
    memset(direct(page.base), 0, PAGE_SIZE);
    return page.base;
}

const struct page_list *arena_fixed(void)
{
    return &fixed;
}

void arena_close(void)
{
    page_list_truncate(&place.data, data_used, NULL);
    closed = true;
}

const struct groups *arena_groups(void)
{
    return &groups;
}

size_t footprint_runs(void)
{
    uint64_t pages = (place.data.bytes + place.tables.bytes) >> PAGE_SHIFT;
    uint64_t expected = pages + pages / 4 + ARENA_CHUNK_PAGES; /* what is still to come */

    return min_u64(expected, DATA_RUNS);
}

void footprint_make(struct footprint *ret_place)
{
    size_t n = footprint_runs();
    uint64_t tables = (place.tables.bytes >> PAGE_SHIFT) + ARENA_CHUNK_PAGES;
    size_t n_tables = min_u64(tables, TABLE_RUNS);

    page_list_init(&ret_place->data, arena_alloc(n * sizeof(struct place_run)), n);
    page_list_init(&ret_place->tables, arena_alloc(n_tables * sizeof(struct place_run)), n_tables);
}

const struct footprint *arena_footprint(void)
{
    return &place;
}

void arena_moved(const struct footprint *to)
{
    ASSERT(to->data.bytes == place.data.bytes && to->tables.bytes == place.tables.bytes);
    ASSERT(footprint_copy(&place, to) == STATUS_OK);
}

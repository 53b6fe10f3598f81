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

static struct span free_span[FREE_MAX];
static struct place_run data_run[DATA_RUNS], table_run[TABLE_RUNS], fixed_run[FIXED_RUNS];

/* The chunks that are checked next, together. */
struct batch {
    struct span chunk[ARENA_CHUNKS_MAX];
    uint32_t bad[ARENA_CHUNKS_MAX];
    size_t n;
    uint64_t bytes;
};

static struct {
    struct page_list fixed; /* first: tests/system/test_usb_keyboard.py */
    struct spans free;      /* RAM from 1 MiB up, as it is taken; no span crosses 4 GiB */
    struct span free_low;   /* the largest piece below 640 KiB, without page 0 */
    arena_check check;
    struct batch batch;
    struct footprint place;
    struct groups groups;            /* of place.data */
    uint64_t data_used, tables_used; /* bytes from the beginning */
    uint64_t next_virt;
    bool closed;
} arena;

static struct span whole_pages(struct span s, uint64_t low, uint64_t high)
{
    return span_whole_pages(span_intersect(s, (struct span){ low, high - low }));
}

/* If there is no room, the span stays free RAM, but the arena will not take it. */
static void add_free(size_t at, struct span s)
{
    if (!s.size || arena.free.n == arena.free.max)
        return;
    memmove(&arena.free.span[at + 1], &arena.free.span[at],
            (arena.free.n - at) * sizeof(arena.free.span[0]));
    arena.free.span[at] = s;
    arena.free.n++;
}

_Noreturn static void panic_of_scattered(void)
{
    panic_of_memory("too many bad pages between 1 MiB and 4 GiB: no room for okram");
}

void arena_init(const uint32_t *image_page, size_t n_image_pages, const struct span *free,
                size_t n_free, arena_check check)
{
    arena.check = check;
    arena.free = (struct spans){ .span = free_span, .max = FREE_MAX };
    page_list_init(&arena.place.data, data_run, DATA_RUNS);
    page_list_init(&arena.place.tables, table_run, TABLE_RUNS);
    page_list_init(&arena.fixed, fixed_run, FIXED_RUNS);
    arena.next_virt = ARENA_BASE;
    for (size_t i = 0; i < n_image_pages; i++)
        ASSERT(page_list_add(&arena.place.data,
                             (struct span){ (uint64_t)image_page[i] << PAGE_SHIFT, PAGE_SIZE }) ==
               STATUS_OK);
    arena.data_used = arena.place.data.bytes;
    groups_add(&arena.groups, GROUP_MAIN, arena.data_used);
    for (size_t i = 0; i < n_free; i++) {
        struct span low = whole_pages(free[i], PAGE_SIZE, LOW_TOP);

        add_free(arena.free.n, whole_pages(free[i], LOW_END, HIGH_END));
        add_free(arena.free.n, whole_pages(free[i], HIGH_END, DIRECT_SIZE));
        if (low.size > arena.free_low.size)
            arena.free_low = low;
    }
}

/* The image's pages are in memory that was free before. */
static bool is_taken(uint64_t page)
{
    return footprint_holds(&arena.place, page);
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
    arena.free.span[i].size = span_end(arena.free.span[i]) - end;
    arena.free.span[i].base = end;
}

/* The next chunk of free RAM below 4 GiB; size 0: there is nothing left. */
static struct span take_chunk(void)
{
    for (size_t i = 0; i < arena.free.n; i++) {
        struct span chunk;

        if (arena.free.span[i].base >= HIGH_END)
            continue;
        chunk = first_chunk(arena.free.span[i], CHUNK_BYTES);
        skip_to(i, chunk.size ? span_end(chunk) : span_end(arena.free.span[i]));
        if (chunk.size)
            return chunk;
    }
    return (struct span){ 0 };
}

static bool batch_has_room(uint64_t wanted)
{
    return arena.batch.n < ARENA_CHUNKS_MAX && arena.batch.bytes < wanted;
}

/* False: there is no chunk. */
static bool batch_add(struct span chunk)
{
    if (!chunk.size)
        return false;
    arena.batch.chunk[arena.batch.n++] = chunk;
    arena.batch.bytes += chunk.size;
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
    arena.check(arena.batch.chunk, arena.batch.n, arena.batch.bad);
    for (size_t i = 0; i < arena.batch.n; i++) {
        if (add_good_pages(pool, arena.batch.chunk[i], arena.batch.bad[i]) != STATUS_OK)
            panic_of_scattered();
    }
    arena.batch.n = 0;
    arena.batch.bytes = 0;
}

/* By `wanted` bytes, or by less where pages are bad. */
static void grow(struct page_list *pool, uint64_t wanted)
{
    ASSERT(!arena.closed);
    while (batch_has_room(wanted) && batch_add(take_chunk()))
        ;
    if (!arena.batch.n)
        panic_of_memory(
            "too little memory for okram: it needs more than %lu KiB between 1 MiB and 4 GiB",
            (unsigned long)((arena.place.data.bytes + arena.place.tables.bytes) >> 10));
    add_batch(pool);
}

uint64_t arena_table_page(void)
{
    while (arena.tables_used == arena.place.tables.bytes)
        grow(&arena.place.tables, PAGE_SIZE);
    arena.tables_used += PAGE_SIZE;
    return page_list_at(&arena.place.tables, arena.tables_used - PAGE_SIZE).base;
}

/* The next bytes of the data, zeroed. */
static void *map_next(enum group group, uint64_t bytes)
{
    uint64_t size = align_up(bytes, PAGE_SIZE), virt = arena.next_virt;

    arena.next_virt += size + PAGE_SIZE; /* an unmapped page between allocations catches overruns */
    for (uint64_t done = 0; done < size;) {
        struct span run;

        while (arena.data_used == arena.place.data.bytes)
            grow(&arena.place.data, size - done);
        run = page_list_at(&arena.place.data, arena.data_used);
        if (run.size > size - done)
            run.size = size - done;
        paging_map(virt + done, run.base, run.size, PAGING_WRITE | PAGING_SMALL_PAGES);
        done += run.size;
        arena.data_used += run.size;
    }
    groups_add(&arena.groups, group, size);
    memset((void *)virt, 0, size);
    return (void *)virt;
}

void *arena_alloc(uint64_t bytes)
{
    ASSERT(!arena.closed);
    return map_next(GROUP_MAIN, bytes);
}

/* The lowest free chunk within a span, `wanted` at most; size 0: there is none. */
static struct span take_within(struct span within, uint64_t wanted)
{
    for (size_t i = 0; i < arena.free.n; i++) {
        struct span s = arena.free.span[i];
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
    uint64_t end = arena.data_used + align_up(bytes, PAGE_SIZE);

    ASSERT(!arena.closed);
    page_list_truncate(&arena.place.data, arena.data_used,
                       NULL); /* the rest of the chunk is free RAM */
    for (size_t i = 0; i < n && arena.place.data.bytes < end;) {
        uint64_t wanted = end - arena.place.data.bytes;

        while (batch_has_room(wanted) &&
               batch_add(take_within(preferred[i], wanted - arena.batch.bytes)))
            ;
        if (arena.batch.n)
            add_batch(&arena.place.data);
        else
            i++;
    }
    return map_next(group, bytes);
}

uint64_t arena_low_page(void)
{
    while (arena.free_low.size) {
        uint32_t bad;

        arena.free_low.size -= PAGE_SIZE;
        arena.check(&(struct span){ span_end(arena.free_low), PAGE_SIZE }, 1, &bad);
        if (!bad)
            return span_end(arena.free_low);
    }
    return 0;
}

const struct page_list *arena_alloc_dma(uint64_t pages)
{
    ASSERT(!arena.closed && !arena.fixed.bytes);
    while (arena.fixed.bytes < pages * PAGE_SIZE) {
        struct span chunk = take_chunk();
        uint32_t bad = 0;

        if (chunk.size)
            arena.check(&chunk, 1, &bad);
        if (!chunk.size || add_good_pages(&arena.fixed, chunk, bad) != STATUS_OK) {
            page_list_clear(&arena.fixed);
            return NULL;
        }
    }
    page_list_truncate(&arena.fixed, pages * PAGE_SIZE, NULL); /* the rest is free RAM */
    for (size_t i = 0; i < arena.fixed.n; i++)
        memset(direct(page_list_span(&arena.fixed, i).base), 0,
               page_list_span(&arena.fixed, i).size);
    return &arena.fixed;
}

uint64_t arena_fixed_page(void)
{
    struct span page;
    uint32_t bad;

    ASSERT(!arena.closed);
    do {
        page = take_within((struct span){ LOW_END, HIGH_END - LOW_END }, PAGE_SIZE);
        if (!page.size)
            return 0;
        arena.check(&page, 1, &bad);
    } while (bad);
    if (page_list_add(&arena.fixed, page) != STATUS_OK)
        return 0;
    memset(direct(page.base), 0, PAGE_SIZE);
    return page.base;
}

const struct page_list *arena_fixed(void)
{
    return &arena.fixed;
}

void arena_close(void)
{
    page_list_truncate(&arena.place.data, arena.data_used, NULL);
    arena.closed = true;
}

const struct groups *arena_groups(void)
{
    return &arena.groups;
}

size_t footprint_runs(void)
{
    uint64_t pages = (arena.place.data.bytes + arena.place.tables.bytes) >> PAGE_SHIFT;
    uint64_t expected = pages + pages / 4 + ARENA_CHUNK_PAGES; /* what is still to come */

    return min_u64(expected, DATA_RUNS);
}

void footprint_make(struct footprint *ret_place)
{
    size_t n = footprint_runs();
    uint64_t tables = (arena.place.tables.bytes >> PAGE_SHIFT) + ARENA_CHUNK_PAGES;
    size_t n_tables = min_u64(tables, TABLE_RUNS);

    page_list_init(&ret_place->data, arena_alloc(n * sizeof(struct place_run)), n);
    page_list_init(&ret_place->tables, arena_alloc(n_tables * sizeof(struct place_run)), n_tables);
}

const struct footprint *arena_footprint(void)
{
    return &arena.place;
}

void arena_moved(const struct footprint *to)
{
    ASSERT(to->data.bytes == arena.place.data.bytes &&
           to->tables.bytes == arena.place.tables.bytes);
    ASSERT(footprint_copy(&arena.place, to) == STATUS_OK);
}

#include "memory/arena.h"

#include <stdbool.h>

#include "arch/paging.h"
#include "lib/panic.h"
#include "lib/string.h"

#define FREE_MAX    128
#define CHUNK_BYTES (UINT64_C(128) << 10)
#define LOW_END     (UINT64_C(1) << 20)
#define HIGH_END    (UINT64_C(1) << 32)
#define LOW_TOP     UINT64_C(0xa0000)

/* What is left, from 1 MiB up, in the order in which it is taken; none lies across 4 GiB. */
static struct span free_ram[FREE_MAX];
static size_t n_free_ram;
static struct span free_low; /* the largest piece below 640 KiB, without page 0 */
static arena_check check;
static struct arena_place place;
static struct groups groups;            /* of place.data */
static uint64_t data_used, tables_used; /* bytes from the beginning */
static uint64_t next_virt = ARENA_BASE;
static uint32_t moves;
static bool closed;

static struct span whole_pages(struct span s, uint64_t low, uint64_t high)
{
    struct span r = span_intersect(s, (struct span){ low, high - low });
    uint64_t base = align_up(r.base, PAGE_SIZE), end = align_down(span_end(r), PAGE_SIZE);

    return (struct span){ .base = base, .size = end > base ? end - base : 0 };
}

/* Where there is no more room, the span stays free RAM, but is not the arena's to take. */
static void add_free(size_t at, struct span s)
{
    if (!s.size || n_free_ram == FREE_MAX)
        return;
    memmove(&free_ram[at + 1], &free_ram[at], (n_free_ram - at) * sizeof(free_ram[0]));
    free_ram[at] = s;
    n_free_ram++;
}

void arena_init(struct span image, const struct span *free, size_t n_free, arena_check check_pages)
{
    check = check_pages;
    ASSERT(place_add(&place.data, image) == STATUS_OK);
    data_used = image.size;
    groups_add(&groups, GROUP_MAIN, image.size);
    for (size_t i = 0; i < n_free; i++) {
        struct span low = whole_pages(free[i], PAGE_SIZE, LOW_TOP);

        add_free(n_free_ram, whole_pages(free[i], LOW_END, HIGH_END));
        add_free(n_free_ram, whole_pages(free[i], HIGH_END, DIRECT_SIZE));
        if (low.size > free_low.size)
            free_low = low;
    }
}

/* The next chunk of free RAM, or what is left where no span holds a whole one; size 0: nothing. */
static struct span take_chunk(void)
{
    struct span none = { 0 }, *from = &none, chunk;

    for (size_t i = 0; i < n_free_ram && from->size < CHUNK_BYTES; i++) {
        if (free_ram[i].base < HIGH_END && free_ram[i].size > from->size)
            from = &free_ram[i];
    }
    chunk = (struct span){ from->base, from->size < CHUNK_BYTES ? from->size : CHUNK_BYTES };
    from->base += chunk.size;
    from->size -= chunk.size;
    return chunk;
}

/* One chunk more, without its bad pages. */
static void grow(struct place *pool)
{
    struct span chunk = take_chunk();

    ASSERT(!closed);
    if (!chunk.size)
        panic("this machine has too little memory for okram: %lu KiB between 1 MiB and 4 GiB were "
              "not enough",
              (unsigned long)((place.data.bytes + place.tables.bytes) >> 10));
    while (chunk.size) {
        uint64_t sound = check(chunk);

        if (sound && place_add(pool, (struct span){ chunk.base, sound }) != STATUS_OK)
            panic("the memory between 1 MiB and 4 GiB has too many bad pages for okram to live in");
        if (sound < chunk.size)
            sound += PAGE_SIZE;
        chunk.base += sound;
        chunk.size -= sound;
    }
}

uint64_t arena_table_page(void)
{
    while (tables_used == place.tables.bytes)
        grow(&place.tables);
    tables_used += PAGE_SIZE;
    return place_at(&place.tables, tables_used - PAGE_SIZE).base;
}

/* The next bytes of the data, zeroed. */
static void *map_next(enum group group, uint64_t bytes)
{
    uint64_t size = align_up(bytes, PAGE_SIZE), virt = next_virt;

    next_virt += size + PAGE_SIZE; /* an unmapped page between two catches what runs over */
    for (uint64_t done = 0; done < size;) {
        struct span run;

        while (data_used == place.data.bytes)
            grow(&place.data);
        run = place_at(&place.data, data_used);
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
    return map_next(GROUP_MAIN, bytes);
}

/* So many free pages within a span, the lowest; size 0: there are none. */
static struct span take_within(uint64_t size, struct span within)
{
    for (size_t i = 0; i < n_free_ram; i++) {
        struct span s = free_ram[i];
        struct span here = whole_pages(s, within.base, span_end(within));
        struct span behind = { here.base + size, span_end(s) - (here.base + size) };

        if (here.size < size)
            continue;
        free_ram[i].size = here.base - s.base;
        if (free_ram[i].size)
            add_free(i + 1, behind);
        else
            free_ram[i] = behind;
        return (struct span){ here.base, size };
    }
    return (struct span){ 0 };
}

/* Of the chunk in use, what is left stays free RAM. */
static void go_on_in(struct span pages)
{
    static struct place rest;

    place_cut(&place.data, data_used, &rest);
    place_add(&place.data, pages); /* too scattered already: then it lies with the rest */
}

void *arena_alloc_in(enum group group, uint64_t bytes, const struct span *wished, size_t n)
{
    uint64_t size = align_up(bytes, PAGE_SIZE);

    ASSERT(!closed);
    for (size_t i = 0; i < n; i++) {
        struct span taken;

        while ((taken = take_within(size, wished[i])).size) {
            if (check(taken) == size) {
                go_on_in(taken);
                return map_next(group, bytes);
            }
        }
    }
    return map_next(group, bytes);
}

uint64_t arena_low_page(void)
{
    while (free_low.size) {
        free_low.size -= PAGE_SIZE;
        if (check((struct span){ span_end(free_low), PAGE_SIZE }) == PAGE_SIZE)
            return span_end(free_low);
    }
    return 0;
}

void arena_close(void)
{
    static struct place rest;

    place_cut(&place.data, data_used, &rest);
    closed = true;
}

const struct groups *arena_groups(void)
{
    return &groups;
}

const struct arena_place *arena_where(void)
{
    return &place;
}

bool arena_place_holds(const struct arena_place *at, uint64_t phys)
{
    uint64_t offset;

    return place_offset(&at->data, phys, &offset) == STATUS_OK ||
           place_offset(&at->tables, phys, &offset) == STATUS_OK;
}

void arena_moved(const struct arena_place *to)
{
    ASSERT(to->data.bytes == place.data.bytes && to->tables.bytes == place.tables.bytes);
    place = *to;
    moves++;
}

uint32_t arena_moves(void)
{
    return moves;
}

#include "memory/arena.h"

#include "arch/paging.h"
#include "lib/panic.h"
#include "lib/string.h"

#define FREE_MAX    64
#define CHUNKS_MAX  64
#define CHUNK_BYTES (UINT64_C(128) << 10)
#define LOW_END     (UINT64_C(1) << 20)
#define HIGH_END    (UINT64_C(1) << 32)
#define LOW_TOP     UINT64_C(0xa0000)

static struct span free_high[FREE_MAX]; /* what is left, between 1 MiB and 4 GiB */
static size_t n_free_high;
static struct span free_low; /* the largest piece below 640 KiB, without page 0 */
static struct span chunk[CHUNKS_MAX];
static size_t n_chunks;
static struct span current; /* what is left of the chunk in use */
static uint64_t next_virt = ARENA_BASE;
static bool closed;

static struct span whole_pages(struct span s, uint64_t low, uint64_t high)
{
    struct span r = span_intersect(s, (struct span){ low, high - low });
    uint64_t base = align_up(r.base, PAGE_SIZE), end = align_down(span_end(r), PAGE_SIZE);

    return (struct span){ .base = base, .size = end > base ? end - base : 0 };
}

void arena_init(const struct span *free, size_t n_free)
{
    for (size_t i = 0; i < n_free; i++) {
        struct span high = whole_pages(free[i], LOW_END, HIGH_END);
        struct span low = whole_pages(free[i], PAGE_SIZE, LOW_TOP);

        if (high.size && n_free_high < FREE_MAX)
            free_high[n_free_high++] = high;
        if (low.size > free_low.size)
            free_low = low;
    }
}

static void note_chunk(struct span taken)
{
    if (n_chunks && span_end(chunk[n_chunks - 1]) == taken.base) {
        chunk[n_chunks - 1].size += taken.size;
        return;
    }
    ASSERT(n_chunks < CHUNKS_MAX);
    chunk[n_chunks++] = taken;
}

/* Physically contiguous pages. */
static uint64_t take(uint64_t bytes)
{
    if (current.size < bytes) {
        uint64_t wanted = align_up(bytes, CHUNK_BYTES);
        size_t i = 0;

        ASSERT(!closed);
        while (i < n_free_high && free_high[i].size < wanted)
            i++;
        if (i == n_free_high)
            panic("this machine has too little memory for okram: %lu KiB more were needed in one "
                  "piece between 1 MiB and 4 GiB",
                  (unsigned long)(wanted >> 10));
        if (free_high[i].base != span_end(current))
            current = (struct span){ .base = free_high[i].base };
        current.size += wanted;
        note_chunk((struct span){ free_high[i].base, wanted });
        free_high[i].base += wanted;
        free_high[i].size -= wanted;
    }
    current.base += bytes;
    current.size -= bytes;
    return current.base - bytes;
}

uint64_t arena_table_page(void)
{
    return take(PAGE_SIZE);
}

void *arena_alloc(uint64_t bytes)
{
    uint64_t size = align_up(bytes, PAGE_SIZE), virt = next_virt;

    next_virt += size + PAGE_SIZE; /* an unmapped page between two catches what runs over */
    paging_map(virt, take(size), size, PAGING_WRITE);
    memset((void *)virt, 0, size);
    return (void *)virt;
}

uint64_t arena_low_page(void)
{
    if (!free_low.size)
        return 0;
    free_low.size -= PAGE_SIZE;
    note_chunk((struct span){ span_end(free_low), PAGE_SIZE });
    return span_end(free_low);
}

size_t arena_spans(const struct span **ret_spans)
{
    *ret_spans = chunk;
    return n_chunks;
}

void arena_close(void)
{
    closed = true;
}

// SPDX-License-Identifier: MIT
#include "boot/load/page_march.h"

#include <stddef.h>

#define LINE_VECS  4
#define PAGE_LINES (PAGE_SIZE / LINE_SIZE)

typedef uint64_t vec __attribute__((vector_size(16)));

struct line {
    vec v[LINE_VECS];
};
_Static_assert(sizeof(struct line) == LINE_SIZE, "the unit that reaches DRAM");

struct element {
    bool down, read, write;
    bool read_complement, write_complement;
};

/*
 * {any(w0); up(r0,w1); up(r1,w0); down(r0,w1); down(r1,w0); any(r0)}: March C-. Couplings between
 * two lines need its orders, with one background: both bits take all their states. Those within a
 * line do not, and need several backgrounds: the first elements and the last are enough.
 */
static const struct element march_c_minus[] = {
    { false, false, true, false, false }, { false, true, true, false, true },
    { false, true, true, true, false },   { true, true, true, false, true },
    { true, true, true, true, false },    { false, true, false, false, false },
};

/* A line's words are background, made different by its address where address_factor is not 0. */
struct data {
    uint64_t background;
    uint64_t address_factor;
    bool in_both_orders;
};

#define ADDRESS_DATA 2

static const struct data all_data[] = {
    { 0, 0, false },
    { UINT64_C(0x5555555555555555), 0, true },
    /* odd: two addresses never give the same product */
    [ADDRESS_DATA] = { 0, UINT64_C(0x9e3779b97f4a7c15), false },
};

static inline void flush_line(const void *line)
{
    __asm__ volatile("clflush %0" : : "m"(*(const char *)line) : "memory");
}

static inline void fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

static inline vec both(uint64_t word)
{
    return (vec){ word, word };
}

/*
 * The elements without a read or a write have loops of their own, and the address's part of the
 * data is added up from line to line: this is most of what the loader does.
 */
static inline __attribute__((always_inline)) vec walk(struct line *line, struct element e,
                                                      bool reads, bool writes, struct data data)
{
    int64_t step = e.down ? -1 : 1;
    vec flip_read = both(data.background ^ -(uint64_t)e.read_complement);
    vec flip_write = both(data.background ^ -(uint64_t)e.write_complement);
    vec address = both((uintptr_t)line * data.address_factor);
    vec add = both((uint64_t)step * LINE_SIZE * data.address_factor);
    vec wrong = { 0, 0 };

    for (size_t n = 0; n < PAGE_LINES; n++, line += step, address += add) {
        vec expected = address ^ flip_read, written = address ^ flip_write;

#pragma GCC unroll 4
        for (size_t i = 0; reads && i < LINE_VECS; i++)
            wrong |= line->v[i] ^ expected;
        for (size_t i = 0; writes && i < LINE_VECS; i++)
            line->v[i] = written;
        flush_line(line);
    }
    return wrong;
}

static bool page_is_bad(struct line *page, struct element e, struct data data)
{
    struct line *first = e.down ? page + PAGE_LINES - 1 : page;
    vec wrong;

    if (!e.read)
        wrong = walk(first, e, false, true, data);
    else if (!e.write)
        wrong = walk(first, e, true, false, data);
    else
        wrong = walk(first, e, true, true, data);
    return wrong[0] | wrong[1];
}

static void march_element(uint32_t *page, uint32_t n_pages, struct element e, struct data data)
{
    for (uint32_t n = 0; n < n_pages; n++) {
        uint32_t *at = &page[e.down ? n_pages - 1 - n : n];

        if (page_is_bad(page_pointer(*at & ~PAGE_IS_BAD), e, data))
            *at |= PAGE_IS_BAD;
    }
    fence();
}

uint32_t page_march(uint32_t *page, uint32_t n)
{
    uint32_t n_bad = 0;

    for (size_t d = 0; d < sizeof(all_data) / sizeof(all_data[0]); d++) {
        for (size_t i = 0; i < sizeof(march_c_minus) / sizeof(march_c_minus[0]); i++) {
            if (march_c_minus[i].down && !all_data[d].in_both_orders)
                continue;
            march_element(page, n, march_c_minus[i], all_data[d]);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        n_bad += page[i] >= PAGE_IS_BAD;
    return n_bad;
}

bool page_march_one(void *page)
{
    uint32_t number = page_number(page);

    return page_march(&number, 1) != 0;
}

/* The data of addresses: all_data's last. */
static const struct element tag_write = { false, false, true, false, false };
static const struct element tag_read = { false, true, false, false, false };

void page_march_tag(uint32_t page)
{
    page_is_bad(page_pointer(page), tag_write, all_data[ADDRESS_DATA]);
    fence();
}

bool page_march_has_tag(uint32_t page)
{
    return !page_is_bad(page_pointer(page), tag_read, all_data[ADDRESS_DATA]);
}

void page_march_flush(const void *pages, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += LINE_SIZE)
        flush_line((const char *)pages + at);
    fence();
}

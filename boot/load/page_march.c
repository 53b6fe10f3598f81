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

/* {any(w0); up(r0,w1); up(r1,w0); down(r0,w1); down(r1,w0); any(r0)} */
static const struct element march_c_minus[] = {
    { false, false, true, false, false }, { false, true, true, false, true },
    { false, true, true, true, false },   { true, true, true, false, true },
    { true, true, true, true, false },    { false, true, false, false, false },
};

/* A line's words are background, made different by its address where address_factor is not 0. */
struct data {
    uint64_t background;
    uint64_t address_factor;
};

#define ADDRESS_DATA 2

static const struct data all_data[] = {
    { 0, 0 },
    { UINT64_C(0x5555555555555555), 0 },
    [ADDRESS_DATA] = { 0, UINT64_C(0x9e3779b97f4a7c15) }, /* odd: two addresses never give the same
                                                             product */
};

static inline void flush_line(const void *line)
{
    __asm__ volatile("clflush %0" : : "m"(*(const char *)line) : "memory");
}

static inline void fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

/* What was read wrong in the line, as bits. */
static inline vec line_turn(struct line *line, struct element e, vec value)
{
    vec flip_read = value ^ (vec) { -(uint64_t)e.read_complement, -(uint64_t)e.read_complement };
    vec flip_write = value ^ (vec) { -(uint64_t)e.write_complement, -(uint64_t)e.write_complement };
    vec wrong = { 0, 0 };

    if (e.read) {
        for (size_t i = 0; i < LINE_VECS; i++)
            wrong |= line->v[i] ^ flip_read;
    }
    if (e.write) {
        for (size_t i = 0; i < LINE_VECS; i++)
            line->v[i] = flip_write;
    }
    flush_line(line);
    return wrong;
}

static bool page_is_bad(struct line *page, struct element e, struct data data)
{
    vec wrong = { 0, 0 };

    for (size_t n = 0; n < PAGE_LINES; n++) {
        struct line *line = page + (e.down ? PAGE_LINES - 1 - n : n);
        uint64_t value = data.background ^ (uintptr_t)line * data.address_factor;

        wrong |= line_turn(line, e, (vec){ value, value });
    }
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
        for (size_t i = 0; i < sizeof(march_c_minus) / sizeof(march_c_minus[0]); i++)
            march_element(page, n, march_c_minus[i], all_data[d]);
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

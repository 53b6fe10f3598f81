// SPDX-License-Identifier: MIT
#include "self/own_search.h"

#include <stdatomic.h>

#include "alias/page_tags.h"
#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "sweep/line_ops.h"

/* In page tables the CPU sets these, "accessed" and "dirty", at any time: SDM vol. 3A, 4.8. */
#define UNSTEADY_BITS UINT64_C(0x60)

/* A change that may be seen by whatever uses the word: in page tables it is an ignored bit. */
#define HARMLESS_BIT (UINT64_C(1) << 10)

/*
 * What is in use while okram's own words may change: is_shared, the stack around, and those of the
 * other CPUs, which begin at the end of a page.
 */
#define CODE_BYTES         256
#define STACK_BYTES_ABOVE  256
#define STACK_BYTES_BELOW  1024
#define OTHERS_STACK_BYTES 1024

static struct {
    struct page_tags words;
    void *memory;
    uint64_t max_pages;
    uint64_t key;
    uint64_t offset; /* of the word in each page */
    bool clflushopt;
    atomic_bool has_suspects;
} own;

static volatile uint64_t *word_of(uint64_t page)
{
    return direct(page + own.offset);
}

/* Done only after a fence. */
static void flush(uint64_t page)
{
    if (own.clflushopt)
        __asm__ volatile("clflushopt %0" : : "m"(*(volatile char *)word_of(page)) : "memory");
    else
        __asm__ volatile("clflush %0" : : "m"(*(volatile char *)word_of(page)) : "memory");
}

static uint64_t n_pages_of(const struct arena_place *place)
{
    return (place->data.bytes + place->tables.bytes) / PAGE_SIZE;
}

static void visit_pages_of(const struct place *place, void (*visit)(uint64_t page))
{
    for (size_t i = 0; i < place->n; i++) {
        struct span s = place_span(place, i);

        for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE)
            visit(page);
    }
}

static void visit_pages(const struct arena_place *place, void (*visit)(uint64_t page))
{
    visit_pages_of(&place->data, visit);
    visit_pages_of(&place->tables, visit);
}

/* All of okram's own, those that do not move too. */
static void visit_own(void (*visit)(uint64_t page))
{
    visit_pages(arena_where(), visit);
    visit_pages_of(arena_fixed(), visit);
}

static void flush_place(const struct arena_place *place)
{
    visit_pages(place, flush);
    line_ops_fence();
}

static void flush_own(void)
{
    visit_own(flush);
    line_ops_fence();
}

/* The pages whose word is in a span. */
static struct span pages_in(struct span s)
{
    uint64_t skip = own.offset, end = span_end(s);
    uint64_t first = s.base > skip ? align_up(s.base - skip, PAGE_SIZE) : 0;
    uint64_t past = end >= skip + sizeof(uint64_t)
                        ? align_down(end - skip - sizeof(uint64_t), PAGE_SIZE) + PAGE_SIZE
                        : 0;

    return (struct span){ first, past > first ? past - first : 0 };
}

static void flush_pages(struct span pages)
{
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        flush(page);
    line_ops_fence();
}

/*
 * Whether a change of one page's word is one of the other's. What is written is put back at once:
 * the other may be in use, and so this is one function whose code and stack are known (is_in_use).
 */
static __attribute__((noinline)) bool is_shared(volatile uint64_t *written,
                                                volatile uint64_t *watched)
{
    uint64_t was = *written, before, after;

    cpu_flush_line(watched);
    before = *watched;
    *written = was ^ HARMLESS_BIT;
    cpu_flush_line(written);
    cpu_flush_line(watched);
    after = *watched;
    *written = was;
    cpu_flush_line(written);
    cpu_flush_line(watched);
    return ((before ^ after) & ~UNSTEADY_BITS) == HARMLESS_BIT &&
           ((before ^ *watched) & ~UNSTEADY_BITS) == 0;
}

/* Whether any of these bytes, less than a page, is in the line at this offset of its page. */
static bool has_line(uint64_t at, uint64_t bytes, uint64_t line)
{
    uint64_t end = at + bytes;

    at = align_down(at, LINE_SIZE);
    return (line - at) % PAGE_SIZE < end - at;
}

/* A line, as the write-back of its other words would undo a mark. */
static bool is_in_use(uint64_t line, const struct span *in_use, size_t n)
{
    uint64_t stack = (uint64_t)__builtin_frame_address(0);

    for (size_t i = 0; i < n; i++) {
        if (has_line(in_use[i].base, in_use[i].size, line))
            return true;
    }
    return has_line((uint64_t)is_shared, CODE_BYTES, line) ||
           has_line(stack - STACK_BYTES_BELOW, STACK_BYTES_BELOW + STACK_BYTES_ABOVE, line) ||
           has_line(PAGE_SIZE - OTHERS_STACK_BYTES, OTHERS_STACK_BYTES, line) ||
           has_line((uint64_t)&own, sizeof(own), line);
}

void own_search_prepare(void)
{
    own.max_pages = n_pages_of(arena_where()) + arena_fixed()->bytes / PAGE_SIZE;
    own.memory = arena_alloc(page_tags_bytes(own.max_pages));
    own.clflushopt = machine.cpu.clflushopt;
}

void own_search_begin(const struct span *in_use, size_t n)
{
    own.key = tsc_now();
    for (own.offset = 0; is_in_use(own.offset, in_use, n); own.offset += LINE_SIZE)
        ASSERT(own.offset + LINE_SIZE < PAGE_SIZE);
}

static void list_page(uint64_t page)
{
    uint64_t word = *word_of(page) & ~UNSTEADY_BITS;

    if (word)
        page_tags_add(&own.words, word, page);
}

/* What is not 0: the others are distinguished by marks. */
void own_search_list(void)
{
    memset(own.memory, 0, page_tags_bytes(own.max_pages));
    page_tags_init(&own.words, own.memory, own.max_pages);
    atomic_store(&own.has_suspects, false);
    flush_own();
    visit_own(list_page);
    flush_own();
}

static bool is_listed(uint64_t word, uint64_t page)
{
    uint64_t at = 0, listed;

    while (page_tags_next(&own.words, word, &at, &listed)) {
        if (listed == page)
            return true;
    }
    return false;
}

static bool is_like_own(uint64_t word)
{
    uint64_t at = 0, okrams;

    return page_tags_next(&own.words, word, &at, &okrams);
}

static void mark_page(uint64_t page)
{
    uint64_t word = *word_of(page) & ~UNSTEADY_BITS;

    if (aliases_has_page(&aliases, page))
        return;
    if (!word)
        *word_of(page) = page_tags_mark(own.key, page);
    else if (is_like_own(word))
        atomic_store_explicit(&own.has_suspects, true, memory_order_relaxed);
}

void own_search_mark(struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        mark_page(page);
    flush_pages(pages);
}

bool own_search_has_suspects(void)
{
    return atomic_load(&own.has_suspects);
}

/* Of the line that the word is in. */
static void add(uint64_t page, uint64_t partner)
{
    aliases_add(&aliases, page + own.offset, partner + own.offset);
}

/* The tested page is given up, too, where others of the same alias would be tested. */
static void add_own(uint64_t tested, uint64_t okrams)
{
    add(tested, okrams);
    aliases_give_up(&aliases, tested);
}

static void look_for_mark(uint64_t okrams)
{
    uint64_t word = *word_of(okrams), tested;

    if (!page_tags_is_mark(own.key, word, &tested) || is_listed(word & ~UNSTEADY_BITS, okrams))
        return;
    *word_of(okrams) = 0;
    flush(okrams);
    line_ops_fence();
    add_own(tested, okrams);
}

void own_search_find(void)
{
    flush_own();
    visit_own(look_for_mark);
}

void own_search_prove(struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t word = *word_of(page) & ~UNSTEADY_BITS, at = 0, okrams;

        while (word && !aliases_has_page(&aliases, page) &&
               page_tags_next(&own.words, word, &at, &okrams)) {
            if (is_shared(word_of(page), word_of(okrams)))
                add_own(page, okrams);
        }
    }
    flush_pages(pages);
}

static void mark_free(uint64_t page)
{
    *word_of(page) = page_tags_mark(own.key, page);
}

void own_search_mark_place(const struct arena_place *place)
{
    visit_pages(place, mark_free);
    flush_place(place);
}

void own_search_find_place(const struct arena_place *place, struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t marked;

        if (page_tags_is_mark(own.key, *word_of(page), &marked) && marked != page &&
            arena_place_holds(place, marked) && !aliases_has_page(&aliases, page) &&
            is_shared(word_of(marked), word_of(page)))
            add(page, marked);
    }
}

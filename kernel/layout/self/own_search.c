// SPDX-License-Identifier: MIT
#include "self/own_search.h"

#include <stdatomic.h>

#include "alias/page_tags.h"
#include "arch/tsc.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "self/pages_alias.h"
#include "sweep/line_ops.h"

/* Pieces of code and data in use that a caller may name. */
#define IN_USE_MAX 8

static struct {
    struct page_tags words;
    void *memory;
    uint64_t max_pages;
    uint64_t key;
    atomic_bool has_suspects;
    struct aliases *aliases;
} own;

static uint64_t n_pages_of(const struct footprint *place)
{
    return (place->data.bytes + place->tables.bytes) / PAGE_SIZE;
}

static void flush_place(const struct footprint *place)
{
    page_words_visit(place, page_word_flush);
    line_ops_fence();
}

/* The pages whose word is in a span. */
static struct span pages_in(struct span s)
{
    uint64_t skip = page_words.offset, end = span_end(s);
    uint64_t first = s.base > skip ? align_up(s.base - skip, PAGE_SIZE) : 0;
    uint64_t past = end >= skip + sizeof(uint64_t)
                        ? align_down(end - skip - sizeof(uint64_t), PAGE_SIZE) + PAGE_SIZE
                        : 0;

    return (struct span){ first, past > first ? past - first : 0 };
}

static void flush_pages(struct span pages)
{
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        page_word_flush(page);
    line_ops_fence();
}

void own_search_prepare(void)
{
    own.max_pages = n_pages_of(arena_footprint()) + arena_fixed()->bytes / PAGE_SIZE;
    own.memory = arena_alloc(page_tags_bytes(own.max_pages));
}

void own_search_begin(struct aliases *aliases, const struct span *in_use, size_t n)
{
    struct span all[IN_USE_MAX + 2];

    ASSERT(n <= IN_USE_MAX);
    for (size_t i = 0; i < n; i++)
        all[i] = in_use[i];
    all[n] = (struct span){ (uint64_t)&own, sizeof(own) };
    all[n + 1] = (struct span){ (uint64_t)&aliases->held.n, sizeof(aliases->held.n) };
    page_words_choose(all, n + 2);
    own.aliases = aliases;
    own.key = tsc_now();
}

static void list_page(uint64_t page)
{
    uint64_t word = page_word_read(page);

    if (word)
        page_tags_add(&own.words, word, page);
}

/* The words that are not 0: the others are distinguished by marks. */
void own_search_list(void)
{
    memset(own.memory, 0, page_tags_bytes(own.max_pages));
    page_tags_init(&own.words, own.memory, own.max_pages);
    atomic_store(&own.has_suspects, false);
    page_words_flush_own();
    page_words_visit_own(list_page);
    page_words_flush_own();
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
    uint64_t word = page_word_read(page);

    if (aliases_has_page(own.aliases, page))
        return;
    if (!word)
        *page_word(page) = page_tags_mark(own.key, page);
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

/* Adds an alias by the line that the word is in. */
static void add(uint64_t page, uint64_t partner)
{
    aliases_add(own.aliases, page + page_words.offset, partner + page_words.offset);
}

/* The tested page is the one that is given up, or it has to wait until okram has left the other. */
static void add_own(uint64_t tested, uint64_t okrams)
{
    add(tested, okrams);
    if (tested < okrams && footprint_holds(arena_footprint(), okrams))
        aliases_hold(own.aliases, tested);
    else
        aliases_give_up(own.aliases, tested);
}

static void look_for_mark(uint64_t okrams)
{
    uint64_t word = *page_word(okrams), tested;

    if (!page_tags_is_mark(own.key, word, &tested) ||
        is_listed(word & ~PAGE_WORDS_UNSTEADY, okrams))
        return;
    page_word_clear(okrams);
    add_own(tested, okrams);
}

void own_search_find(void)
{
    page_words_flush_own();
    page_words_visit_own(look_for_mark);
}

void own_search_prove(struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t word = page_word_read(page), at = 0, okrams;

        while (word && !aliases_has_page(own.aliases, page) &&
               page_tags_next(&own.words, word, &at, &okrams)) {
            if (pages_alias(page, okrams))
                add_own(page, okrams);
        }
    }
    flush_pages(pages);
}

static void mark_free(uint64_t page)
{
    *page_word(page) = page_tags_mark(own.key, page);
}

void own_search_mark_place(const struct footprint *place)
{
    page_words_visit(place, mark_free);
    flush_place(place);
}

void own_search_find_place(const struct footprint *place, struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t marked;

        if (page_tags_is_mark(own.key, *page_word(page), &marked) && marked != page &&
            footprint_holds(place, marked) && !aliases_has_page(own.aliases, page) &&
            pages_alias(marked, page))
            add(page, marked);
    }
}

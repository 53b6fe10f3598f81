// SPDX-License-Identifier: MIT
#include "self/probe.h"

#include <stdbool.h>

#include "alias/page_tags.h"
#include "arch/tsc.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "memory/arena.h"
#include "self/pages_alias.h"
#include "sweep/line_ops.h"

/* A power of two: unused chunks for which okram's own pages are looked at once (find_own). */
#define SEARCH_CHUNKS 64
#define SEARCH_PAGES  (SEARCH_CHUNKS * ARENA_CHUNK_PAGES)

static struct page_tag tags[2 * SEARCH_PAGES];

/* The current search. */
static struct {
    const struct span *chunk;
    size_t n;
    uint32_t *ret_bad; /* of each chunk: its pages that share cells with others */
    uint64_t key;
    bool has_found;
    struct page_tags words; /* of unused pages, those that are not 0 */
} search;

/* The unused pages that share no cells with others, as far as is known. */
static void for_each_page(void (*visit)(uint64_t page))
{
    for (size_t i = 0; i < search.n; i++) {
        struct span s = search.chunk[i];

        for (uint64_t k = 0; k < s.size / PAGE_SIZE; k++) {
            if (!(search.ret_bad[i] >> k & 1))
                visit(s.base + k * PAGE_SIZE);
        }
    }
}

/* The page will not be taken. False: it is not an unused page of this search. */
static bool leave_out(uint64_t page)
{
    for (size_t i = 0; i < search.n; i++) {
        struct span s = search.chunk[i];

        if (!span_contains(s, page))
            continue;
        search.ret_bad[i] |= UINT32_C(1) << ((page - s.base) >> PAGE_SHIFT);
        return true;
    }
    return false;
}

/* Leaves out a page that shares cells with another, and notes it as bad. */
static bool pass_over(uint64_t page)
{
    if (!leave_out(page))
        return false;
    search.has_found = true;
    probe_note_bad_page(page);
    return true;
}

static void flush_unused(void)
{
    for_each_page(page_word_flush);
    line_ops_fence();
}

static void begin(void)
{
    const struct span in_use[] = {
        { (uint64_t)&search, sizeof(search) },
        { (uint64_t)arena_footprint()->data.run,
          sizeof(struct place_run) }, /* 0 in it has a meaning: it must not be a mark */
    };

    page_words_choose(in_use, sizeof(in_use) / sizeof(in_use[0]));
    search.key = tsc_now();
    memset(tags, 0, sizeof(tags));
    ASSERT(page_tags_bytes(SEARCH_PAGES) <= sizeof(tags));
    page_tags_init(&search.words, tags, SEARCH_PAGES);
}

static void list(uint64_t page)
{
    uint64_t word = page_word_read(page);

    if (word)
        page_tags_add(&search.words, word, page);
}

static void mark(uint64_t page)
{
    *page_word(page) = page_tags_mark(search.key, page);
}

static void mark_zero(uint64_t page)
{
    if (!page_word_read(page))
        mark(page);
}

static void compare(uint64_t okrams)
{
    uint64_t word = *page_word(okrams), at = 0, unused;

    if (page_tags_is_mark(search.key, word, &unused) && pass_over(unused)) {
        page_word_clear(okrams);
        return;
    }
    word &= ~PAGE_WORDS_UNSTEADY;
    while (word && page_tags_next(&search.words, word, &at, &unused)) {
        if (pages_alias(unused, okrams))
            pass_over(unused);
    }
}

/* Of several pages that share cells with the same page of okram's own, one is found. */
static void find_own(void)
{
    begin();
    flush_unused();
    for_each_page(list);
    page_words_flush_own();
    for_each_page(mark_zero);
    flush_unused();
    page_words_visit_own(compare);
}

/*
 * The mark of another page: they may share cells, and do if a change of one is seen in the other.
 * Anything else says nothing about other pages, and little about this one, because a device may
 * have written to it: it is not taken, and the march decides whether it is bad.
 */
static void look_at_mark(uint64_t page)
{
    const struct span alone = { page, PAGE_SIZE };
    uint64_t word = *page_word(page), marked;
    uint32_t bad;

    if (word == page_tags_mark(search.key, page))
        return;
    if (page_tags_is_mark(search.key, word, &marked) && pages_alias(marked, page)) {
        pass_over(page);
        pass_over(marked);
        return;
    }
    leave_out(page);
    probe_march(&alone, 1, &bad);
}

/* Unused pages that share cells with each other, in any chunks. */
static void find_pairs(void)
{
    for_each_page(mark);
    flush_unused();
    for_each_page(look_at_mark);
}

static void search_in(const struct span *chunk, size_t n, uint32_t *ret_bad)
{
    search.chunk = chunk;
    search.n = n;
    search.ret_bad = ret_bad;
}

static void find_aliases(const struct span *chunk, size_t n, uint32_t *ret_bad)
{
    memset(ret_bad, 0, n * sizeof(*ret_bad));
    for (size_t i = 0; i < n; i += SEARCH_CHUNKS) {
        search_in(chunk + i, min_u64(n - i, SEARCH_CHUNKS), ret_bad + i);
        do {
            search.has_found = false;
            find_own();
        } while (search.has_found);
    }
    search_in(chunk, n, ret_bad);
    find_pairs();
}

void candidate_pages_check(const struct span *chunk, size_t n, uint32_t *ret_bad)
{
    static struct span sound[ARENA_CHUNKS_MAX];
    static uint32_t bad[ARENA_CHUNKS_MAX];
    size_t n_sound = 0;

    ASSERT(n <= ARENA_CHUNKS_MAX);
    find_aliases(chunk, n, ret_bad);
    for (size_t i = 0; i < n; i++) {
        if (!ret_bad[i])
            sound[n_sound++] = chunk[i];
    }
    if (n_sound)
        probe_march(sound, n_sound, bad);
    n_sound = 0;
    for (size_t i = 0; i < n; i++)
        ret_bad[i] = ret_bad[i] ? UINT32_MAX : bad[n_sound++];
}

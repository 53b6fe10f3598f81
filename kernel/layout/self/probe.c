// SPDX-License-Identifier: MIT
#include "self/probe.h"

#include <stdbool.h>

#include "alias/page_tags.h"
#include "arch/cpuid.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "self/pages_alias.h"
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

/* Adds one more. */
static void probe_note_bad_page(uint64_t page_phys)
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

/*
 * Marches over chunks of unused pages, with solid and alternating bits and with their addresses. A
 * page is bad if it fails now or is known as bad; ret_bad as arena_check has it (memory/arena.h).
 */
static void probe_march(const struct span *chunk, size_t n, uint32_t *ret_bad)
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

/*
 * A page of okram's own that turns out to share these cells gets 0 back. So a page whose word is
 * not quite 0 is not taken.
 */
static void mark_zero(uint64_t page)
{
    if (!*page_word(page))
        mark(page);
    else if (!page_word_read(page))
        leave_out(page);
}

static void compare(uint64_t okrams)
{
    uint64_t word = *page_word(okrams), at = 0, unused;

    if (page_tags_is_mark(search.key, word, &unused) && pass_over(unused)) {
        page_word_store(okrams, 0);
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

// SPDX-License-Identifier: MIT
/*
 * One word of each page, at the same offset in all, by which pages that share cells with okram's
 * own are recognized (self/own_aliases.c, self/probe.c).
 *
 * A word of okram's own that is 0 may be a mark while such a search lasts, because the page under
 * test that shares its cells may be marked; any other word changes for a moment at most. So a
 * search chooses words that nothing uses meanwhile. Boot CPU only, except reading and flushing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/paging.h"
#include "lib/span.h"
#include "memory/arena.h"

/* In page tables the CPU sets these, "accessed" and "dirty", at any time: SDM vol. 3A, 4.8. */
#define PAGE_WORDS_UNSTEADY UINT64_C(0x60)

/*
 * Chooses the words: of lines that are not in use, because the write-back of a line's other words
 * would undo a mark. in_use: virtual addresses of n pieces of code and data that are in use, except
 * this module's and the stacks; of 640 bytes in all.
 */
void page_words_choose(const struct span *in_use, size_t n);

/* The words chosen. */
extern struct page_words {
    uint64_t offset; /* in each page */
    bool clflushopt; /* all CPUs have it; false before they are surveyed */
} page_words;

static inline volatile uint64_t *page_word(uint64_t page)
{
    return direct(page + page_words.offset);
}

/* The word, without the bits that the CPU may change. */
static inline uint64_t page_word_read(uint64_t page)
{
    return *page_word(page) & ~PAGE_WORDS_UNSTEADY;
}

/* Takes it out of the caches; complete only after a fence. */
static inline void page_word_flush(uint64_t page)
{
    volatile char *at = (volatile char *)page_word(page);

    if (page_words.clflushopt)
        __asm__ volatile("clflushopt %0" : : "m"(*at) : "memory");
    else
        __asm__ volatile("clflush %0" : : "m"(*at) : "memory");
}

/* Writes a page's word to DRAM; complete on return. */
void page_word_store(uint64_t page, uint64_t word);

/* Calls visit for each page of a place. */
void page_words_visit(const struct footprint *place, void (*visit)(uint64_t page));

/* Calls visit for each page that okram uses, including those that do not move. */
void page_words_visit_own(void (*visit)(uint64_t page));

/* Flushes the words of all okram's pages; complete on return. */
void page_words_flush_own(void);

/*
 * Whether a change of one page's word changes the other's. What is written is restored at once,
 * because the other may be in use.
 */
bool pages_alias(uint64_t written_page, uint64_t watched_page);

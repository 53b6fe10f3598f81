// SPDX-License-Identifier: MIT
#include "alias/page_tags.h"

#include "lib/panic.h"
#include "lib/splitmix.h"

/* A mark: the page's number above bit 0, above that check bits of number and key. */
#define NUMBER_SHIFT 1
#define CHECK_SHIFT  (46 - PAGE_SHIFT + NUMBER_SHIFT)
#define CHECK_ODD    UINT64_C(1) /* so that no mark is 0 */

static uint64_t mark_of(uint64_t key, uint64_t number)
{
    uint64_t check = splitmix_mix(splitmix_mix(key) ^ number) | CHECK_ODD;

    return check << CHECK_SHIFT | number << NUMBER_SHIFT;
}

uint64_t page_tags_mark(uint64_t key, uint64_t page_phys)
{
    ASSERT(page_phys < PAGE_TAGS_PHYS_END);
    return mark_of(key, page_phys >> PAGE_SHIFT);
}

bool page_tags_is_mark(uint64_t key, uint64_t word, uint64_t *ret_page_phys)
{
    uint64_t number = (word & ((UINT64_C(1) << CHECK_SHIFT) - 1)) >> NUMBER_SHIFT;

    if (word != mark_of(key, number))
        return false;
    *ret_page_phys = number << PAGE_SHIFT;
    return true;
}

static uint64_t entries_for(uint64_t n_pages)
{
    uint64_t n = 2;

    while (n < 2 * n_pages)
        n *= 2;
    return n;
}

uint64_t page_tags_bytes(uint64_t n_pages)
{
    return entries_for(n_pages) * sizeof(struct page_tag);
}

void page_tags_init(struct page_tags *words, void *memory, uint64_t n_pages)
{
    *words = (struct page_tags){ .entry = memory, .n_entries = entries_for(n_pages) };
}

/* The i-th place to look for a word. */
static struct page_tag *entry_at(const struct page_tags *words, uint64_t word, uint64_t i)
{
    return &words->entry[(splitmix_mix(word) + i) & (words->n_entries - 1)];
}

void page_tags_add(struct page_tags *words, uint64_t word, uint64_t page_phys)
{
    uint64_t i = 0;

    ASSERT(word && words->n_used + 1 < words->n_entries);
    while (entry_at(words, word, i)->word)
        i++;
    *entry_at(words, word, i) = (struct page_tag){ word, page_phys };
    words->n_used++;
}

bool page_tags_next(const struct page_tags *words, uint64_t word, uint64_t *at,
                    uint64_t *ret_page_phys)
{
    const struct page_tag *entry;

    while ((entry = entry_at(words, word, *at))->word) {
        ++*at;
        if (entry->word != word)
            continue;
        *ret_page_phys = entry->page_phys;
        return true;
    }
    return false;
}

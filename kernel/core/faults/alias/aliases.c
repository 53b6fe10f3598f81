// SPDX-License-Identifier: MIT
#include "alias/aliases.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

#define WORD_BITS 64
#define KEY_USED  UINT64_C(1) /* in a key: the bits of a page's number are above */

/* Two lines that share cells, and the places of their pages in the page space. */
struct pair {
    uint64_t low, high;
    uint64_t low_index, high_index;
};

size_t aliases_bitmap_bytes(const struct page_index *space)
{
    return div_up(space->n_pages, WORD_BITS) * sizeof(uint64_t);
}

void aliases_init(struct aliases *aliases, struct fault_log *log, void *bitmap)
{
    ASSERT((uintptr_t)bitmap % sizeof(uint64_t) == 0);
    memset(aliases, 0, sizeof(*aliases));
    memset(bitmap, 0, aliases_bitmap_bytes(log->marked));
    aliases->log = log;
    aliases->bitmap = bitmap;
    aliases->held = (struct spans){ .span = aliases->held_span, .max = ALIASES_HELD_MAX };
}

static bool has_index(const struct aliases *aliases, uint64_t index)
{
    uint64_t word = atomic_load_explicit(&aliases->bitmap[index / WORD_BITS], memory_order_relaxed);

    return word >> index % WORD_BITS & 1;
}

/* True: this call set it, no other. */
static bool add_index(struct aliases *aliases, uint64_t index)
{
    uint64_t mask = UINT64_C(1) << index % WORD_BITS;

    if (has_index(aliases, index))
        return false;
    /* First: whatever becomes of this CPU, the bit is not overlooked. */
    atomic_store(&aliases->has_grown, true);
    return !(atomic_fetch_or(&aliases->bitmap[index / WORD_BITS], mask) & mask);
}

/* The entry for a pair, which may be new; when all are taken, the one for all others. */
static struct alias_entry *entry_of(struct aliases *aliases, const struct pair *pair)
{
    uint64_t wanted = ((pair->low ^ pair->high) & ~(PAGE_SIZE - 1)) | KEY_USED;

    for (size_t i = 0; i < ALIASES_MAX; i++) {
        struct alias_entry *entry = &aliases->entry[i];
        uint64_t key = atomic_load_explicit(&entry->key, memory_order_relaxed);

        if ((!key && atomic_compare_exchange_strong(&entry->key, &key, wanted)) || key == wanted)
            return entry;
    }
    return &aliases->entry[ALIASES_MAX];
}

/* Whether the lower pages of all pairs are kept. */
static bool is_few(const struct alias_entry *entry)
{
    return !atomic_load_explicit(&entry->more_pairs, memory_order_relaxed);
}

/* Whether a page is listed now: false when others fill the list. */
static bool list_lower(struct alias_entry *entry, uint64_t index)
{
    for (size_t i = 0; i < ALIASES_FEW_PAGES; i++) {
        uint64_t listed = atomic_load_explicit(&entry->lower[i], memory_order_relaxed);

        if ((!listed && atomic_compare_exchange_strong(&entry->lower[i], &listed, index + 1)) ||
            listed == index + 1)
            return true;
    }
    return false;
}

static uint64_t pairs_of(const struct alias_entry *entry)
{
    uint64_t n = 0;

    while (n < ALIASES_FEW_PAGES && atomic_load_explicit(&entry->lower[n], memory_order_relaxed))
        n++;
    return n + atomic_load_explicit(&entry->more_pairs, memory_order_relaxed);
}

static void raise_to(_Atomic uint64_t *value, uint64_t least)
{
    uint64_t seen = atomic_load_explicit(value, memory_order_relaxed);

    while (seen < least && !atomic_compare_exchange_weak(value, &seen, least))
        ;
}

static void include_page(struct alias_reach *reach, uint64_t addr)
{
    uint64_t page = align_down(addr, PAGE_SIZE);

    raise_to(&reach->not_base, ~page);
    raise_to(&reach->end, page + PAGE_SIZE);
}

static struct span span_of(const struct alias_reach *reach)
{
    uint64_t base = ~atomic_load_explicit(&reach->not_base, memory_order_relaxed);

    return (struct span){ base, atomic_load_explicit(&reach->end, memory_order_relaxed) - base };
}

static void offer_example(struct alias_entry *entry, const struct pair *pair)
{
    unsigned mine, none = 0;

    if (atomic_load_explicit(&entry->whole, memory_order_relaxed))
        return;
    mine = atomic_fetch_add(&entry->n_offers, 1);
    if (mine >= ALIAS_OFFERS)
        return;
    entry->offer[mine].addr = pair->high;
    entry->offer[mine].partner = pair->low;
    atomic_compare_exchange_strong(&entry->whole, &none, mine + 1);
}

/*
 * Counts a pair, unless that has been done. An entry of many pairs goes by the upper page: once
 * that is given up others need not look, so what they would leave out comes before.
 */
static void count_pair(struct aliases *aliases, struct alias_entry *entry, const struct pair *pair)
{
    bool is_new;

    if (!is_few(entry) && has_index(aliases, pair->high_index))
        return;
    include_page(&entry->lower_reach, pair->low);
    include_page(&entry->upper_reach, pair->high);
    offer_example(entry, pair);
    is_new = add_index(aliases, pair->high_index);
    if (!list_lower(entry, pair->low_index) && is_new)
        atomic_fetch_add(&entry->more_pairs, 1);
}

/* STATUS_NOT_FOUND: these are not two lines of RAM. */
static enum status make_pair(const struct aliases *aliases, uint64_t line, uint64_t partner,
                             struct pair *ret_pair)
{
    const struct page_index *space = aliases->log->marked;
    struct pair pair = { .low = min_u64(line, partner), .high = max_u64(line, partner) };

    if (line == partner || partner % LINE_SIZE ||
        page_index_index(space, pair.low >> PAGE_SHIFT, &pair.low_index) ||
        page_index_index(space, pair.high >> PAGE_SHIFT, &pair.high_index))
        return STATUS_NOT_FOUND;
    *ret_pair = pair;
    return STATUS_OK;
}

bool aliases_add(struct aliases *aliases, uint64_t phys, uint64_t partner_phys)
{
    struct alias_entry *entry;
    struct pair pair;

    if (make_pair(aliases, align_down(phys, LINE_SIZE), partner_phys, &pair))
        return true;
    entry = entry_of(aliases, &pair);
    count_pair(aliases, entry, &pair);
    return phys > partner_phys && !atomic_load_explicit(&entry->from_above, memory_order_relaxed) &&
           !atomic_exchange(&entry->from_above, true);
}

void aliases_give_up(struct aliases *aliases, uint64_t phys)
{
    uint64_t index;

    if (page_index_index(aliases->log->marked, phys >> PAGE_SHIFT, &index))
        return;
    add_index(aliases, index);
}

static void give_up_lower(struct aliases *aliases, const struct alias_entry *entry)
{
    uint64_t pages = pairs_of(entry);

    for (uint64_t i = 0; i < pages; i++)
        add_index(aliases, entry->lower[i] - 1);
}

/* Returns how many there are. */
static uint64_t mark_all(const struct aliases *aliases)
{
    const struct page_index *space = aliases->log->marked;
    size_t n_words = aliases_bitmap_bytes(space) / sizeof(uint64_t);
    uint64_t n = 0;

    for (size_t i = 0; i < n_words; i++) {
        uint64_t word = atomic_load_explicit(&aliases->bitmap[i], memory_order_relaxed);

        for (; word; word &= word - 1, n++) {
            uint64_t index = i * WORD_BITS + (uint64_t)__builtin_ctzll(word);

            fault_log_mark_page(aliases->log, page_index_page(space, index) << PAGE_SHIFT);
        }
    }
    return n;
}

uint64_t aliases_finish(struct aliases *aliases)
{
    uint64_t before = aliases->n_left_out;

    if (!atomic_exchange(&aliases->has_grown, false))
        return 0;
    aliases->n_left_out = mark_all(aliases) + spans_bytes(&aliases->held) / PAGE_SIZE;
    atomic_store_explicit(&aliases->any, aliases->n_left_out != 0, memory_order_relaxed);
    return aliases->n_left_out - before;
}

void aliases_hold(struct aliases *aliases, uint64_t phys)
{
    struct span page = { align_down(phys, PAGE_SIZE), PAGE_SIZE };

    if (!spans_add(&aliases->held, page))
        aliases_give_up(aliases, phys);
    atomic_store(&aliases->has_grown, true);
    atomic_store_explicit(&aliases->any, true, memory_order_relaxed);
}

void aliases_release(struct aliases *aliases)
{
    aliases->n_left_out -= spans_bytes(&aliases->held) / PAGE_SIZE;
    aliases->held.n = 0;
}

static void give_up_held(struct aliases *aliases)
{
    for (size_t i = 0; i < aliases->held.n; i++) {
        struct span s = aliases->held.span[i];

        for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE)
            aliases_give_up(aliases, page);
    }
    aliases_release(aliases);
}

uint64_t aliases_settle(struct aliases *aliases)
{
    uint64_t n = aliases_finish(aliases);

    give_up_held(aliases);
    for (size_t i = 0; i <= ALIASES_MAX; i++) {
        if (is_few(&aliases->entry[i]))
            give_up_lower(aliases, &aliases->entry[i]);
    }
    return n + aliases_finish(aliases);
}

bool aliases_may_be_upper(const struct aliases *aliases, uint64_t phys)
{
    uint64_t index;

    for (size_t i = 0; i < ALIASES_MAX; i++) {
        const struct alias_entry *entry = &aliases->entry[i];
        uint64_t partner = phys ^ (entry->key & ~KEY_USED);

        if (!is_few(entry) && partner < phys &&
            !page_index_index(aliases->log->marked, partner >> PAGE_SHIFT, &index))
            return true;
    }
    return false;
}

static struct alias alias_of(const struct aliases *aliases, const struct alias_entry *entry)
{
    struct alias alias = {
        .address_bits = entry->key & ~KEY_USED,
        .various = entry == &aliases->entry[ALIASES_MAX],
        .pages = pairs_of(entry),
        .upper = span_of(&entry->upper_reach),
        .lower = span_of(&entry->lower_reach),
        .both = is_few(entry),
    };
    unsigned whole = entry->whole;

    /* None is whole: all that offered one have stopped. */
    alias.addr = whole ? entry->offer[whole - 1].addr : alias.upper.base;
    alias.partner = whole ? entry->offer[whole - 1].partner : alias.lower.base;
    return alias;
}

bool aliases_drain(struct aliases *aliases, struct alias *ret_alias)
{
    for (size_t i = 0; i <= ALIASES_MAX; i++) {
        struct alias_entry *entry = &aliases->entry[i];
        uint64_t pages = pairs_of(entry);

        if (entry->reported_pages == pages)
            continue;
        entry->reported_pages = pages;
        *ret_alias = alias_of(aliases, entry);
        return true;
    }
    return false;
}

bool aliases_largest(const struct aliases *aliases, struct alias *ret_alias)
{
    uint64_t most = 0;

    for (size_t i = 0; i <= ALIASES_MAX; i++) {
        const struct alias_entry *entry = &aliases->entry[i];

        if (pairs_of(entry) <= most)
            continue;
        most = pairs_of(entry);
        *ret_alias = alias_of(aliases, entry);
    }
    return most != 0;
}

bool aliases_has_page(const struct aliases *aliases, uint64_t phys)
{
    uint64_t index;

    if (!aliases_any(aliases))
        return false;
    if (aliases->held.n && spans_first_in(&aliases->held, (struct span){ phys, 1 }).size)
        return true;
    /* The log says that a finish has marked it. */
    return !page_index_index(aliases->log->marked, phys >> PAGE_SHIFT, &index) &&
           has_index(aliases, index) && fault_log_is_bad(aliases->log, phys);
}

#include "faults/aliases.h"

#include "lib/panic.h"
#include "lib/string.h"

#define WORD_BITS 64

/* Two lines that share cells, and the places of their pages in the page space. */
struct pair {
    uint64_t low, high;
    uint64_t low_index, high_index;
};

size_t aliases_bitmap_bytes(const struct page_space *space)
{
    return (space->n_pages + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
}

void aliases_init(struct aliases *aliases, struct fault_log *log, void *bitmap)
{
    ASSERT((uintptr_t)bitmap % sizeof(uint64_t) == 0);
    memset(aliases, 0, sizeof(*aliases));
    memset(bitmap, 0, aliases_bitmap_bytes(log->space));
    aliases->log = log;
    aliases->bitmap = bitmap;
    atomic_flag_clear(&aliases->lock);
}

static void lock(struct aliases *aliases)
{
    while (atomic_flag_test_and_set_explicit(&aliases->lock, memory_order_acquire))
        __builtin_ia32_pause();
}

static void unlock(struct aliases *aliases)
{
    atomic_flag_clear_explicit(&aliases->lock, memory_order_release);
}

static bool has_index(const struct aliases *aliases, uint64_t index)
{
    uint64_t word = atomic_load_explicit(&aliases->bitmap[index / WORD_BITS], memory_order_relaxed);

    return word >> index % WORD_BITS & 1;
}

/* Holding the lock. */
static void add_index(struct aliases *aliases, uint64_t index)
{
    if (has_index(aliases, index))
        return;
    atomic_fetch_or_explicit(&aliases->bitmap[index / WORD_BITS], UINT64_C(1) << index % WORD_BITS,
                             memory_order_relaxed);
    aliases->n_pages++;
}

static uint64_t address_bits_of(const struct pair *pair)
{
    return (pair->low ^ pair->high) & ~(PAGE_SIZE - 1);
}

/* The entry for a pair; NULL: there is none yet. */
static struct alias_entry *find_entry(struct aliases *aliases, const struct pair *pair)
{
    size_t n = atomic_load_explicit(&aliases->n_entries, memory_order_acquire);

    for (size_t i = 0; i < n; i++) {
        if (aliases->entry[i].alias.address_bits == address_bits_of(pair))
            return &aliases->entry[i];
    }
    return n > ALIASES_MAX ? &aliases->entry[ALIASES_MAX] : NULL;
}

/* Holding the lock. */
static struct alias_entry *open_entry(struct aliases *aliases, const struct pair *pair)
{
    size_t n = atomic_load_explicit(&aliases->n_entries, memory_order_relaxed);
    struct alias_entry *entry = &aliases->entry[n];

    entry->alias = (struct alias){
        .addr = pair->high,
        .partner = pair->low,
        .address_bits = n < ALIASES_MAX ? address_bits_of(pair) : 0,
        .various = n == ALIASES_MAX,
    };
    atomic_store_explicit(&aliases->n_entries, n + 1, memory_order_release);
    return entry;
}

static bool is_few(const struct alias_entry *entry)
{
    return atomic_load_explicit(&entry->pages, memory_order_relaxed) <= ALIASES_FEW_PAGES;
}

/* Whether the entry counts the pair already. An entry of many pairs tells by the upper page. */
static bool has_pair(const struct aliases *aliases, const struct alias_entry *entry,
                     const struct pair *pair)
{
    uint64_t pages = atomic_load_explicit(&entry->pages, memory_order_relaxed);

    if (!has_index(aliases, pair->high_index))
        return false;
    if (!is_few(entry))
        return true;
    for (uint64_t i = 0; i < pages; i++) {
        if (entry->lower[i] == pair->low_index)
            return true;
    }
    return false;
}

static void include_page(struct span *span, uint64_t addr)
{
    uint64_t page = align_down(addr, PAGE_SIZE);

    if (!span->size)
        *span = (struct span){ page, PAGE_SIZE };
    else if (page < span->base)
        *span = (struct span){ page, span_end(*span) - page };
    else if (page >= span_end(*span))
        span->size = page + PAGE_SIZE - span->base;
}

/* Holding the lock. */
static void count_pair(struct aliases *aliases, struct alias_entry *entry, const struct pair *pair)
{
    uint64_t pages = atomic_load_explicit(&entry->pages, memory_order_relaxed);

    if (has_pair(aliases, entry, pair))
        return;
    if (pages < ALIASES_FEW_PAGES)
        entry->lower[pages] = pair->low_index;
    include_page(&entry->alias.lower, pair->low);
    include_page(&entry->alias.upper, pair->high);
    add_index(aliases, pair->high_index);
    atomic_store_explicit(&entry->pages, pages + 1, memory_order_relaxed);
}

/* STATUS_NOT_FOUND: these are no two lines of RAM. */
static enum status make_pair(const struct aliases *aliases, uint64_t line, uint64_t partner,
                             struct pair *ret_pair)
{
    const struct page_space *space = aliases->log->space;
    struct pair pair = { .low = line < partner ? line : partner,
                         .high = line < partner ? partner : line };

    if (line == partner || partner % LINE_SIZE ||
        page_space_index(space, pair.low >> PAGE_SHIFT, &pair.low_index) ||
        page_space_index(space, pair.high >> PAGE_SHIFT, &pair.high_index))
        return STATUS_NOT_FOUND;
    *ret_pair = pair;
    return STATUS_OK;
}

bool aliases_add(struct aliases *aliases, uint64_t phys, uint64_t partner_phys)
{
    struct pair pair;
    struct alias_entry *entry;
    bool first_from_above = false;

    if (make_pair(aliases, align_down(phys, LINE_SIZE), partner_phys, &pair))
        return true;
    entry = find_entry(aliases, &pair);
    /* Of a large alias most is seen again and again: no lock then. */
    if (entry && !is_few(entry) && has_index(aliases, pair.high_index) &&
        (phys < partner_phys || atomic_load_explicit(&entry->from_above, memory_order_relaxed)))
        return false;

    lock(aliases);
    entry = find_entry(aliases, &pair);
    if (!entry)
        entry = open_entry(aliases, &pair);
    count_pair(aliases, entry, &pair);
    if (phys > partner_phys)
        first_from_above =
            !atomic_exchange_explicit(&entry->from_above, true, memory_order_relaxed);
    unlock(aliases);
    return first_from_above;
}

void aliases_give_up(struct aliases *aliases, uint64_t phys)
{
    uint64_t index;

    if (page_space_index(aliases->log->space, phys >> PAGE_SHIFT, &index))
        return;
    lock(aliases);
    add_index(aliases, index);
    unlock(aliases);
}

static void give_up_lower(struct aliases *aliases, const struct alias_entry *entry)
{
    uint64_t pages = atomic_load_explicit(&entry->pages, memory_order_relaxed);

    for (uint64_t i = 0; i < pages; i++)
        add_index(aliases, entry->lower[i]);
}

static void mark_all(const struct aliases *aliases)
{
    const struct page_space *space = aliases->log->space;
    size_t n_words = aliases_bitmap_bytes(space) / sizeof(uint64_t);

    for (size_t i = 0; i < n_words; i++) {
        uint64_t word = atomic_load_explicit(&aliases->bitmap[i], memory_order_relaxed);

        for (; word; word &= word - 1) {
            uint64_t index = i * WORD_BITS + (uint64_t)__builtin_ctzll(word);

            fault_log_mark_page(aliases->log, page_space_page(space, index) << PAGE_SHIFT);
        }
    }
}

uint64_t aliases_finish(struct aliases *aliases)
{
    uint64_t before = aliases->n_given_up;
    size_t n = atomic_load_explicit(&aliases->n_entries, memory_order_acquire);

    for (size_t i = 0; i < n; i++) {
        if (is_few(&aliases->entry[i]))
            give_up_lower(aliases, &aliases->entry[i]);
    }
    if (aliases->n_pages == before)
        return 0;
    mark_all(aliases);
    aliases->n_given_up = aliases->n_pages;
    atomic_store_explicit(&aliases->any, true, memory_order_relaxed);
    return aliases->n_given_up - before;
}

bool aliases_drain(struct aliases *aliases, struct alias *ret_alias)
{
    size_t n = atomic_load_explicit(&aliases->n_entries, memory_order_acquire);

    for (size_t i = 0; i < n; i++) {
        struct alias_entry *entry = &aliases->entry[i];
        uint64_t pages = atomic_load_explicit(&entry->pages, memory_order_relaxed);

        if (entry->told_pages == pages)
            continue;
        entry->told_pages = pages;
        *ret_alias = entry->alias;
        ret_alias->pages = pages;
        ret_alias->both = is_few(entry);
        return true;
    }
    return false;
}

bool aliases_has_page(const struct aliases *aliases, uint64_t phys)
{
    uint64_t index;

    /* The log says that a finish has marked it. */
    return aliases_any(aliases) &&
           !page_space_index(aliases->log->space, phys >> PAGE_SHIFT, &index) &&
           has_index(aliases, index) && fault_log_is_bad(aliases->log, phys);
}

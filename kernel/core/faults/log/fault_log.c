// SPDX-License-Identifier: MIT
#include "log/fault_log.h"

#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

#define SCRUB_PAGES 16 /* of bits, at each call */

/*
 * The word with these bits. Its check is of its place, too, so zeros and words of elsewhere are not
 * sound. By the factor any one or two bits that turn over are noticed (test_log_redundant.c).
 */
static uint64_t seal(uint64_t word, uint64_t data)
{
    uint64_t product = (data + word + 1) * UINT64_C(0x9e3779b97f4a7c15);

    return data | product >> LOG_WORD_BITS << LOG_WORD_BITS;
}

static bool is_sound(uint64_t word, uint64_t held)
{
    return seal(word, held & LOG_WORD_MASK) == held;
}

/* The number of words for n_bits, rounded up to whole pages. */
static uint64_t words_for(uint64_t n_bits)
{
    return div_up(div_up(n_bits, LOG_WORD_BITS), LOG_PAGE_WORDS) * LOG_PAGE_WORDS;
}

static size_t n_copies(const struct log_bits *bits)
{
    return bits->copy[1] ? LOG_COPIES : 1;
}

static void init_bits(struct log_bits *bits, void *const copy[LOG_COPIES], uint64_t n_words)
{
    *bits = (struct log_bits){ { copy[0], copy[1], copy[2] }, n_words };
    for (size_t i = 0; i < n_copies(bits); i++) {
        ASSERT((uintptr_t)copy[i] % sizeof(uint64_t) == 0);
        for (uint64_t word = 0; word < n_words; word++)
            atomic_store_explicit(&bits->copy[i][word], seal(word, 0), memory_order_relaxed);
    }
}

/* A word as each copy has it. */
struct held {
    uint64_t in[LOG_COPIES];
};

static struct held read_word(const struct log_bits *bits, uint64_t word)
{
    struct held held;

    for (size_t i = 0; i < LOG_COPIES; i++)
        held.in[i] =
            atomic_load_explicit(&bits->copy[bits->copy[1] ? i : 0][word], memory_order_relaxed);
    return held;
}

/* The bits that are set. False: guessed. */
static bool vote(const struct held *held, uint64_t word, uint64_t *ret_data)
{
    uint64_t majority = bits_majority(held->in[0], held->in[1], held->in[2]), data = 0;
    bool any = false;

    for (size_t i = 0; i < LOG_COPIES; i++) {
        if (is_sound(word, held->in[i])) {
            data |= held->in[i] & LOG_WORD_MASK;
            any = true;
        }
    }
    *ret_data = any ? data : majority & LOG_WORD_MASK;
    return any || is_sound(word, majority);
}

/* Where copies differ. */
static uint64_t vote_now(const struct log_bits *bits, uint64_t word)
{
    struct held held = read_word(bits, word);
    uint64_t data;

    vote(&held, word, &data);
    return data;
}

/* The bits of a word; cheap while the copies agree. */
static inline uint64_t bits_of(const struct log_bits *bits, uint64_t word)
{
    uint64_t a = atomic_load_explicit(&bits->copy[0][word], memory_order_relaxed);

    if (bits->copy[1] && (atomic_load_explicit(&bits->copy[1][word], memory_order_relaxed) != a ||
                          atomic_load_explicit(&bits->copy[2][word], memory_order_relaxed) != a))
        return vote_now(bits, word);
    return a & LOG_WORD_MASK;
}

/*
 * Sets bits in one copy; a damaged word stays unsound. False: it is. *ret_new: whether they were
 * not set.
 */
static bool set_in_copy(_Atomic uint64_t *at, uint64_t word, uint64_t mask, bool *ret_new)
{
    uint64_t held = atomic_load_explicit(at, memory_order_relaxed), wanted;
    bool sound;

    do {
        sound = is_sound(word, held);
        *ret_new = !(held & mask);
        wanted = sound ? seal(word, (held & LOG_WORD_MASK) | mask) : held | mask;
    } while (*ret_new && !atomic_compare_exchange_weak(at, &held, wanted));
    return sound;
}

/* True: this call set it, no other. Next to damage two calls may be told so. */
static bool set_bit(struct log_bits *bits, uint64_t bit)
{
    uint64_t word = bit / LOG_WORD_BITS, mask = UINT64_C(1) << bit % LOG_WORD_BITS;
    bool is_known = false, is_first = false, is_new;

    /* What is set is set again and again: all CPUs only read it then. */
    if (bits_of(bits, word) & mask)
        return false;
    for (size_t i = 0; i < n_copies(bits); i++) {
        bool sound = set_in_copy(&bits->copy[i][word], word, mask, &is_new);

        /* Of many CPUs one is the first in the first word that can be relied upon. */
        if (sound && !is_known)
            is_first = is_new;
        is_known |= sound;
    }
    return is_first || !is_known;
}

/* Of bits that were set meanwhile none is lost: the word is left for the next time then. */
static void repair_word(_Atomic uint64_t *at, uint64_t word, uint64_t held, uint64_t truth,
                        struct log_damage *damage)
{
    uint64_t wanted = seal(word, truth);

    if (held == wanted || !atomic_compare_exchange_strong(at, &held, wanted))
        return;
    /* A sound one was only late. */
    if (!is_sound(word, held))
        log_damage_add(damage, (const void *)at, held ^ wanted);
}

/*
 * Repairs page `page` of each copy, while other CPUs go on. Bits from *ret_first_lost to before
 * *ret_lost_end are those that had to be guessed, if any damage is lost.
 */
static void repair_bits(struct log_bits *bits, uint64_t page, struct log_damage damage[LOG_COPIES],
                        uint64_t *ret_first_lost, uint64_t *ret_lost_end)
{
    uint64_t end = (page + 1) * LOG_PAGE_WORDS;

    for (uint64_t word = page * LOG_PAGE_WORDS; bits->copy[1] && word < end; word++) {
        struct held held = read_word(bits, word);
        uint64_t truth;

        if (held.in[0] == held.in[1] && held.in[0] == held.in[2] && is_sound(word, held.in[0]))
            continue;
        if (!vote(&held, word, &truth)) {
            if (!damage[0].lost)
                *ret_first_lost = word * LOG_WORD_BITS;
            *ret_lost_end = (word + 1) * LOG_WORD_BITS;
            damage[0].lost = true;
        }
        for (size_t i = 0; i < LOG_COPIES; i++)
            repair_word(&bits->copy[i][word], word, held.in[i], truth, &damage[i]);
    }
}

/* In each copy the counts' page comes first, the records' pages last. */
size_t fault_log_copy_bytes(const struct page_index *space)
{
    return (LOG_PAGE_WORDS * (1 + LOG_RECORD_PAGES) + words_for(space->n_pages)) * sizeof(uint64_t);
}

void fault_log_init(struct fault_log *log, const struct page_index *space,
                    const struct fault_log_memory *memory)
{
    size_t n_copies = memory->copy[1] ? LOG_COPIES : 1;
    uint64_t n_words = words_for(space->n_pages);
    void *bits[LOG_COPIES] = { 0 }, *records[LOG_COPIES] = { 0 };

    for (size_t i = 0; i < n_copies; i++) {
        bits[i] = (uint64_t *)memory->copy[i] + LOG_PAGE_WORDS;
        records[i] = (uint64_t *)bits[i] + n_words;
    }
    memset(log, 0, sizeof(*log));
    log->space = log->marked = space;
    log->memory = *memory;
    log_counts_init(&log->counts, memory->copy, n_copies);
    init_bits(&log->bits, bits, n_words);
    log_records_init(&log->records, records, n_copies);
}

void fault_log_set_ram(struct fault_log *log, const struct page_index *ram)
{
    log->space = ram;
}

static void count_page(struct fault_log *log)
{
    log_counts_add(&log->counts, LOG_COUNT_BAD_PAGES, 1);
}

static enum status count_outside(struct fault_log *log, uint64_t addr)
{
    log_counts_set_once(&log->counts, LOG_COUNT_OUTSIDE_ADDR, ~addr);
    log_counts_add(&log->counts, LOG_COUNT_OUTSIDE, 1);
    return STATUS_NOT_FOUND;
}

static enum status mark_without_bit(struct fault_log *log, uint64_t addr)
{
    uint64_t page = addr >> PAGE_SHIFT, index;

    if (page_index_index(log->space, page, &index))
        return count_outside(log, addr);
    switch (log_pages_add(&log->counts, page)) {
    case LOG_PAGE_NEW: count_page(log); break;
    case LOG_PAGE_KNOWN: break;
    case LOG_PAGE_NO_ROOM: return count_outside(log, addr);
    }
    return STATUS_OK;
}

/* STATUS_NOT_FOUND: no room in the log; counted as outside. */
static enum status mark_page(struct fault_log *log, uint64_t addr)
{
    uint64_t index;

    if (page_index_index(log->marked, addr >> PAGE_SHIFT, &index))
        return mark_without_bit(log, addr);
    if (set_bit(&log->bits, index))
        count_page(log);
    return STATUS_OK;
}

void fault_log_mark_page(struct fault_log *log, uint64_t addr)
{
    mark_page(log, addr);
}

static uint32_t count_of_test(uint32_t test)
{
    return LOG_COUNT_TEST + min_u64(test, FAULT_TESTS_MAX);
}

bool fault_log_has_room(const struct fault_log *log)
{
    return log_records_have_room(&log->records);
}

void fault_log_tally(struct fault_log *log, struct fault_tally *tally, uint64_t addr,
                     uint64_t wrong_bits)
{
    tally->n++;
    tally->wrong_bits |= wrong_bits;
    if (fault_tally_has_marked(tally, addr))
        return;
    tally->errors++;
    if (mark_page(log, addr) == STATUS_OK)
        tally->marked = (addr >> PAGE_SHIFT) + 1;
}

void fault_log_add_tally(struct fault_log *log, struct fault_tally *tally)
{
    if (!tally->n)
        return;
    log_counts_add(&log->counts, count_of_test(tally->test), tally->n);
    log_counts_set_bits(&log->counts, LOG_COUNT_FAILING_BITS, tally->wrong_bits);
    log_counts_add(&log->counts, LOG_COUNT_ERRORS, tally->errors);
    tally->n = tally->errors = 0;
    tally->wrong_bits = 0;
}

void fault_log_add_record(struct fault_log *log, const struct fault *fault)
{
    log_records_keep(&log->records, fault);
}

bool fault_log_drain(struct fault_log *log, struct fault *ret_fault)
{
    return log_records_drain(&log->records, ret_fault);
}

size_t fault_log_list(const struct fault_log *log, struct fault *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < FAULT_RECORDS; i++)
        n += log_records_read(&log->records, i, &ret[n]);
    return n;
}

uint64_t fault_log_bad_pages(const struct fault_log *log)
{
    return log_counts_read(&log->counts, LOG_COUNT_BAD_PAGES);
}

uint64_t fault_log_faults(const struct fault_log *log)
{
    uint64_t sum = 0;

    for (uint32_t i = LOG_COUNT_TEST; i < LOG_COUNT_PAGE; i++)
        sum += log_counts_read(&log->counts, i);
    return sum;
}

uint64_t fault_log_test_faults(const struct fault_log *log, uint32_t test)
{
    return test < FAULT_TESTS_MAX ? log_counts_read(&log->counts, count_of_test(test)) : 0;
}

uint64_t fault_log_errors(const struct fault_log *log)
{
    return log_counts_read(&log->counts, LOG_COUNT_ERRORS);
}

void fault_log_add_errors(struct fault_log *log, uint64_t n)
{
    log_counts_add(&log->counts, LOG_COUNT_ERRORS, n);
}

uint64_t fault_log_failing_bits(const struct fault_log *log)
{
    return log_counts_read(&log->counts, LOG_COUNT_FAILING_BITS);
}

uint64_t fault_log_outside(const struct fault_log *log, uint64_t *ret_first_addr)
{
    uint64_t n = log_counts_read(&log->counts, LOG_COUNT_OUTSIDE);

    if (n)
        *ret_first_addr = ~log_counts_read(&log->counts, LOG_COUNT_OUTSIDE_ADDR);
    return n;
}

bool fault_log_is_bad(const struct fault_log *log, uint64_t addr)
{
    uint64_t index;

    if (page_index_index(log->marked, addr >> PAGE_SHIFT, &index))
        return log_pages_has(&log->counts, addr >> PAGE_SHIFT);
    return bits_of(&log->bits, index / LOG_WORD_BITS) >> index % LOG_WORD_BITS & 1;
}

/* The first index in [from, end) whose bit, XORed with flip, is set; end when there is none. */
static uint64_t find_bit(const struct fault_log *log, uint64_t from, uint64_t end, uint64_t flip)
{
    uint64_t left = LOG_WORD_MASK << from % LOG_WORD_BITS & LOG_WORD_MASK;

    for (uint64_t i = from / LOG_WORD_BITS; i * LOG_WORD_BITS < end; i++, left = LOG_WORD_MASK) {
        uint64_t word = (bits_of(&log->bits, i) ^ flip) & left;

        if (word)
            return min_u64(i * LOG_WORD_BITS + (uint64_t)__builtin_ctzll(word), end);
    }
    return end;
}

/* The first bad page from `page` on; PAGES_MAX when there is none. */
static uint64_t next_bad(const struct fault_log *log, uint64_t page)
{
    const struct page_index *marked = log->marked;
    size_t i = page_index_extent(marked, page);
    uint64_t index = marked->n_pages, other = log_pages_next(&log->counts, page), found;

    if (i < marked->n_extents) {
        const struct page_extent *extent = &marked->extent[i];
        uint64_t skipped = page > extent->run.first ? page - extent->run.first : 0;

        index = find_bit(log, extent->index + skipped, marked->n_pages, 0);
    }
    if (index == marked->n_pages)
        return other;
    found = page_index_page(marked, index);
    return min_u64(found, other);
}

/* The end of the bad pages from `page` on, which is bad, or limit where all until then are. */
static uint64_t bad_end(const struct fault_log *log, uint64_t page, uint64_t limit)
{
    while (page < limit) {
        size_t i = page_index_extent(log->marked, page);
        const struct page_extent *extent = &log->marked->extent[i];

        if (i < log->marked->n_extents && page >= extent->run.first) {
            uint64_t end = extent->index + extent->run.count;
            uint64_t at = extent->index + (page - extent->run.first);

            at = find_bit(log, at, end, UINT64_MAX);
            page = extent->run.first + (at - extent->index);
            if (at < end)
                break;
        } else if (log_pages_has(&log->counts, page)) {
            page++;
        } else {
            break;
        }
    }
    return page;
}

bool fault_log_next_run(const struct fault_log *log, uint64_t *index, struct page_run *ret_run)
{
    const struct page_extent *extent;
    uint64_t first, end;

    if (*index == log->space->n_pages)
        return false;
    first = next_bad(log, page_index_page(log->space, *index));
    if (first == PAGES_MAX)
        return false;
    extent = &log->space->extent[page_index_extent(log->space, first)];
    end = bad_end(log, first, page_run_end(extent->run));
    *index = extent->index + (end - extent->run.first);
    *ret_run = (struct page_run){ .first = first, .count = end - first };
    return true;
}

static void emit_damage(struct fault_log *log, struct fault_log_damage damage)
{
    bool is_known;

    log->was_damaged = true;
    if (!log->memory.phys_of)
        return;
    damage.phys = log->memory.phys_of(damage.what.at);
    is_known = fault_log_is_bad(log, damage.phys);
    fault_log_mark_page(log, damage.phys);
    if (log->memory.damaged && (!is_known || damage.what.lost))
        log->memory.damaged(&damage);
}

/* Of the same page of each copy; what is lost goes with the first. */
static void emit_damages(struct fault_log *log, const struct log_damage what[LOG_COPIES],
                         uint64_t first_lost, uint64_t lost_end)
{
    uint64_t end = min_u64(lost_end, log->marked->n_pages);
    struct fault_log_damage damage = { .has_pages = first_lost < end };
    bool lost = what[0].lost && (damage.has_pages || !lost_end);

    if (damage.has_pages) {
        damage.first_page = page_index_page(log->marked, first_lost);
        damage.last_page = page_index_page(log->marked, end - 1);
    }
    for (uint32_t i = 0; i < LOG_COPIES; i++) {
        if (!what[i].words)
            continue;
        damage.what = what[i];
        damage.what.copy = i;
        damage.what.lost = lost;
        emit_damage(log, damage);
        lost = false;
    }
}

static void scrub_bits(struct fault_log *log, uint64_t n_pages)
{
    for (; n_pages; n_pages--) {
        struct log_damage damage[LOG_COPIES] = { 0 };
        uint64_t first = 0, end = 0;

        repair_bits(&log->bits, log->next_page, damage, &first, &end);
        emit_damages(log, damage, first, end);
        log->next_page = (log->next_page + 1) % (log->bits.n_words / LOG_PAGE_WORDS);
    }
}

void fault_log_scrub(struct fault_log *log)
{
    scrub_bits(log, min_u64(SCRUB_PAGES, log->bits.n_words / LOG_PAGE_WORDS));
}

void fault_log_scrub_all(struct fault_log *log)
{
    scrub_bits(log, log->bits.n_words / LOG_PAGE_WORDS);
}

static void scrub_records(struct fault_log *log)
{
    for (size_t page = 0; page < LOG_RECORD_PAGES; page++) {
        struct log_damage damage[LOG_COPIES] = { 0 };

        log_records_scrub(&log->records, page, damage);
        emit_damages(log, damage, 0, 0);
    }
}

/* A CPU that stopped while it counted leaves one word that differs from the other copies'. */
static void scrub_counts(struct fault_log *log)
{
    struct log_damage damage[LOG_COPIES] = { 0 };

    log_counts_scrub(&log->counts, damage);
    for (size_t i = 0; i < LOG_COPIES; i++) {
        if (damage[i].words <= log->n_half_written)
            damage[i].words = 0;
    }
    emit_damages(log, damage, 0, 0);
}

static void recount(struct fault_log *log)
{
    uint64_t index = 0, n = 0;
    struct page_run run;

    while (fault_log_next_run(log, &index, &run))
        n += run.count;
    log_counts_write(&log->counts, LOG_COUNT_BAD_PAGES, n);
}

void fault_log_writers_lost(struct fault_log *log, uint32_t n_lost)
{
    log->n_half_written += n_lost - log->n_writers_lost;
    log->n_writers_lost = n_lost;
}

void fault_log_reconcile(struct fault_log *log)
{
    scrub_counts(log);
    fault_log_scrub_all(log);
    scrub_records(log);
    if (log->was_damaged || log->n_half_written)
        recount(log);
    log->was_damaged = false;
    log->n_half_written = 0;
    log_records_settle(&log->records);
}

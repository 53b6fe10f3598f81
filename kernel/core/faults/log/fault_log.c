// SPDX-License-Identifier: MIT
#include "log/fault_log.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "log/log_pages.h"
#include "log/log_vote.h"

_Static_assert(FAULT_TESTS_MAX == LOG_COUNT_TESTS, "the place after the last is for all others");

static uint32_t bitmap_blocks(const struct page_index *space)
{
    return (uint32_t)div_up(space->n_pages, LOG_BLOCK_BITS);
}

static uint32_t blocks(const struct page_index *space)
{
    return bitmap_blocks(space) + LOG_RECORD_BLOCKS;
}

/* In each part the block of counts comes first. */
size_t fault_log_copy_bytes(const struct page_index *space)
{
    return (size_t)(1 + blocks(space)) * LOG_BLOCK_BYTES;
}

size_t fault_log_parity_bytes(const struct page_index *space)
{
    return (size_t)(1 + log_store_groups(blocks(space))) * LOG_BLOCK_BYTES;
}

static void *behind_counts(void *part)
{
    return part ? (uint8_t *)part + LOG_BLOCK_BYTES : NULL;
}

void fault_log_init(struct fault_log *log, const struct page_index *space,
                    const struct fault_log_memory *memory)
{
    void *part[LOG_PARTS] = { memory->copy[0], memory->copy[1], memory->parity };
    size_t n_parts = !part[LOG_COPY_B] ? 1 : !part[LOG_PARITY] ? 2 : LOG_PARTS;

    memset(log, 0, sizeof(*log));
    log->space = log->marked = space;
    log->memory = *memory;
    log_counts_init(&log->counts, part, n_parts);
    log_store_init(&log->store, blocks(space), bitmap_blocks(space),
                   behind_counts(part[LOG_COPY_A]), behind_counts(part[LOG_COPY_B]),
                   behind_counts(part[LOG_PARITY]));
    log_records_init(&log->records, &log->store);
}

void fault_log_set_ram(struct fault_log *log, const struct page_index *ram)
{
    log->space = ram;
}

static void count_page(void *ctx)
{
    struct fault_log *log = ctx;

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
    if (log_store_set(&log->store, index))
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
    if (!fault_tally_has_marked(tally, addr) && mark_page(log, addr) == STATUS_OK)
        tally->marked = (addr >> PAGE_SHIFT) + 1;
}

void fault_log_add_tally(struct fault_log *log, struct fault_tally *tally)
{
    if (!tally->n)
        return;
    log_counts_add(&log->counts, count_of_test(tally->test), tally->n);
    log_counts_set_bits(&log->counts, LOG_COUNT_FAILING_BITS, tally->wrong_bits);
    tally->n = 0;
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
    return log_word(&log->store, (uint32_t)(index / LOG_BLOCK_BITS),
                    index / LOG_WORD_BITS % LOG_BLOCK_WORDS) >>
               index % LOG_WORD_BITS &
           1;
}

/* The first index in [from, end) whose bit, XORed with flip, is set; end when there is none. */
static uint64_t find_bit(const struct fault_log *log, uint64_t from, uint64_t end, uint64_t flip)
{
    uint64_t skipped = UINT64_MAX << from % LOG_WORD_BITS, at = from - from % LOG_WORD_BITS;
    uint32_t block = (uint32_t)(at / LOG_BLOCK_BITS);
    uint32_t i = at / LOG_WORD_BITS % LOG_BLOCK_WORDS;

    for (; at < end; at += LOG_WORD_BITS, skipped = UINT64_MAX) {
        uint64_t word = (log_word(&log->store, block, i) ^ flip) & skipped;

        if (word) {
            at += (uint64_t)__builtin_ctzll(word);
            return min_u64(at, end);
        }
        if (++i == LOG_BLOCK_WORDS) {
            i = 0;
            block++;
        }
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

static void name_pages(const struct fault_log *log, uint32_t first_block, uint32_t last_block,
                       struct fault_log_damage *damage)
{
    uint64_t end = (uint64_t)(last_block + 1) * LOG_BLOCK_BITS, n = log->marked->n_pages;

    damage->first_page = page_index_page(log->marked, first_block * LOG_BLOCK_BITS);
    damage->last_page = page_index_page(log->marked, min_u64(end, n) - 1);
}

/* A record, or a bit of the bitmap or a count, and what goes with it in the other parts. */
static bool is_half_written(const struct fault_log *log, const struct log_damage *what)
{
    bool is_word = what->part != LOG_PARITY && what->block < log->store.first_record;

    return what->words <= log->n_half_written * (is_word ? 1 : LOG_RECORD_WORDS);
}

static void emit_damage(void *ctx, const struct log_damage *what)
{
    struct fault_log *log = ctx;
    struct fault_log_damage damage = { .what = *what };
    bool is_known;

    log->was_guessed |= what->lost;
    if (!log->memory.phys_of || (log->n_half_written && is_half_written(log, what)))
        return;
    damage.phys = log->memory.phys_of(what->at);
    if (what->lost && what->block < log->store.first_record)
        name_pages(log, what->block, what->block, &damage);
    is_known = fault_log_is_bad(log, damage.phys);
    fault_log_mark_page(log, damage.phys);
    if (log->memory.damaged && (!is_known || what->lost))
        log->memory.damaged(&damage);
}

static struct log_listener listener(struct fault_log *log)
{
    return (struct log_listener){ emit_damage, log };
}

static void emit_lost_bits(struct fault_log *log)
{
    uint32_t lost = log->store.pending.lost;
    struct fault_log_damage damage = { .what = { .at = &log->store.pending, .lost = true } };

    if (lost == log->reported_lost || !log->memory.damaged)
        return;
    log->reported_lost = lost;
    damage.phys = log->memory.phys_of ? log->memory.phys_of(damage.what.at) : 0;
    name_pages(log, 0, log->store.first_record - 1, &damage);
    log->memory.damaged(&damage);
}

void fault_log_scrub(struct fault_log *log)
{
    uint32_t group = log->store.next_group % log->store.n_groups;

    log_scrub_pending(&log->store, listener(log), count_page, log);
    if (log_scrub_group(&log->store, group, listener(log)))
        log->store.next_group = group + 1;
    emit_lost_bits(log);
}

void fault_log_scrub_all(struct fault_log *log)
{
    log_scrub_all(&log->store, listener(log));
    log_scrub_pending(&log->store, listener(log), count_page, log);
    emit_lost_bits(log);
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
    /* Do not wait for a CPU that stopped half-way. */
    atomic_store(&log->store.started, 0);
    atomic_store(&log->store.finished, 0);
    log_counts_scrub(&log->counts, listener(log));
    fault_log_scrub_all(log);
    if (log->was_guessed || log->n_half_written)
        recount(log);
    log->was_guessed = false;
    log->n_half_written = 0;
    log_records_settle(&log->records);
}

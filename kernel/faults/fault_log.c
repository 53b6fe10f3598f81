#include "faults/fault_log.h"

#include "lib/panic.h"
#include "lib/string.h"

#define WORD_BITS 64
#define NO_ADDR   UINT64_MAX

static uint64_t load(const _Atomic uint64_t *x)
{
    return atomic_load_explicit(x, memory_order_relaxed);
}

static void count(_Atomic uint64_t *x)
{
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed);
}

size_t fault_log_bitmap_bytes(const struct page_space *space)
{
    return (space->n_pages + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
}

void fault_log_init(struct fault_log *log, const struct page_space *space, void *bitmap)
{
    ASSERT((uintptr_t)bitmap % sizeof(uint64_t) == 0);
    memset(log, 0, sizeof(*log));
    memset(bitmap, 0, fault_log_bitmap_bytes(space));
    log->space = space;
    log->bitmap = bitmap;
    log->outside_addr = NO_ADDR;
}

void fault_log_mark_page(struct fault_log *log, uint64_t addr)
{
    uint64_t index, bit, none = NO_ADDR;
    _Atomic uint64_t *word;

    if (page_space_index(log->space, addr >> PAGE_SHIFT, &index)) {
        atomic_compare_exchange_strong(&log->outside_addr, &none, addr);
        atomic_fetch_add_explicit(&log->outside, 1, memory_order_release);
        return;
    }
    word = &log->bitmap[index / WORD_BITS];
    bit = UINT64_C(1) << index % WORD_BITS;
    /* A bad page fails again and again: all CPUs only read the word then. */
    if (load(word) & bit || atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit)
        return;
    atomic_fetch_add_explicit(&log->bad_pages, 1, memory_order_release);
}

static void keep_record(struct fault_log *log, const struct fault *fault)
{
    size_t i;

    /* Read first: the counter cannot wrap, and is no longer written once the records are full. */
    if (atomic_load_explicit(&log->n_records, memory_order_relaxed) >= FAULT_RECORDS)
        return;
    i = atomic_fetch_add_explicit(&log->n_records, 1, memory_order_relaxed);
    if (i >= FAULT_RECORDS)
        return;
    log->record[i].fault = *fault;
    atomic_store_explicit(&log->record[i].complete, true, memory_order_release);
}

void fault_log_add(struct fault_log *log, const struct fault *fault)
{
    uint64_t bits = fault->expected ^ fault->found;

    keep_record(log, fault);
    count(&log->faults);
    if (fault->test < FAULT_TESTS_MAX)
        count(&log->test_faults[fault->test]);
    if (bits & ~load(&log->failing_bits))
        atomic_fetch_or_explicit(&log->failing_bits, bits, memory_order_relaxed);
    fault_log_mark_page(log, fault->addr);
}

bool fault_log_drain(struct fault_log *log, struct fault *ret_fault)
{
    struct fault_record *r = &log->record[log->n_drained];

    if (log->n_drained == FAULT_RECORDS ||
        !atomic_load_explicit(&r->complete, memory_order_acquire))
        return false;
    *ret_fault = r->fault;
    log->n_drained++;
    return true;
}

uint64_t fault_log_bad_pages(const struct fault_log *log)
{
    return atomic_load_explicit(&log->bad_pages, memory_order_acquire);
}

uint64_t fault_log_faults(const struct fault_log *log)
{
    return load(&log->faults);
}

uint64_t fault_log_test_faults(const struct fault_log *log, uint32_t test)
{
    return test < FAULT_TESTS_MAX ? load(&log->test_faults[test]) : 0;
}

uint64_t fault_log_failing_bits(const struct fault_log *log)
{
    return load(&log->failing_bits);
}

uint64_t fault_log_outside(const struct fault_log *log, uint64_t *ret_first_addr)
{
    uint64_t n = atomic_load_explicit(&log->outside, memory_order_acquire);

    if (n)
        *ret_first_addr = load(&log->outside_addr);
    return n;
}

bool fault_log_is_bad(const struct fault_log *log, uint64_t addr)
{
    uint64_t index;

    if (page_space_index(log->space, addr >> PAGE_SHIFT, &index))
        return false;
    return load(&log->bitmap[index / WORD_BITS]) >> index % WORD_BITS & 1;
}

/* The first index in [from, end) whose bit, XORed with flip, is set; end when there is none. */
static uint64_t find_bit(const struct fault_log *log, uint64_t from, uint64_t end, uint64_t flip)
{
    uint64_t skipped = UINT64_MAX << from % WORD_BITS;

    for (uint64_t i = from / WORD_BITS; i * WORD_BITS < end; i++, skipped = UINT64_MAX) {
        uint64_t word = (load(&log->bitmap[i]) ^ flip) & skipped;

        if (word) {
            uint64_t found = i * WORD_BITS + (uint64_t)__builtin_ctzll(word);

            return found < end ? found : end;
        }
    }
    return end;
}

bool fault_log_next_run(const struct fault_log *log, uint64_t *index, struct page_run *ret_run)
{
    uint64_t end = log->space->n_pages, first = find_bit(log, *index, end, 0), page;
    const struct page_extent *extent;

    if (first == end)
        return false;
    page = page_space_page(log->space, first);
    extent = &log->space->extent[page_space_extent(log->space, page)];
    *index = find_bit(log, first, extent->index + extent->run.count, UINT64_MAX);
    *ret_run = (struct page_run){ .first = page, .count = *index - first };
    return true;
}

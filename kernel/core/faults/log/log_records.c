// SPDX-License-Identifier: MIT
#include "log/log_records.h"

struct record_position {
    uint32_t block, word;
};

static struct record_position position_of(const struct log_records *records, size_t i)
{
    return (struct record_position){ records->store->first_record +
                                         (uint32_t)(i / LOG_BLOCK_RECORDS),
                                     (uint32_t)(i % LOG_BLOCK_RECORDS) * LOG_RECORD_WORDS };
}

void log_records_init(struct log_records *records, struct log_store *store)
{
    *records = (struct log_records){ .store = store };
}

/*
 * Whether a record's position is taken. ret_head: its first word in copy A. Damage to one part does
 * not make a free position look taken, or a taken one free; what was damaged in a free one is
 * overwritten.
 */
static bool is_taken(const struct log_records *records, size_t i, uint64_t *ret_head)
{
    const struct log_store *store = records->store;
    struct record_position p = position_of(records, i);
    uint64_t a = log_store_raw(store, 0, p.block, p.word), b;

    *ret_head = a;
    if (!store->copy[1])
        return a;
    b = log_store_raw(store, 1, p.block, p.word);
    return (a && b) || a == LOG_RECORD_CLAIMED || log_record_is_head(a) || log_record_is_head(b) ||
           log_record_is_head(log_store_parity(store, p.block, p.word));
}

static bool claim(struct log_records *records, size_t i)
{
    struct record_position p = position_of(records, i);
    uint64_t head;

    return !is_taken(records, i, &head) &&
           atomic_compare_exchange_strong(&records->store->copy[0][p.block].word[p.word], &head,
                                          LOG_RECORD_CLAIMED);
}

/* The hint, unless it cannot be right: then all positions are looked at. */
static size_t first_to_try(const struct log_records *records)
{
    size_t n = atomic_load_explicit(&records->n_taken, memory_order_relaxed);
    uint64_t head;

    return n <= FAULT_RECORDS && n && is_taken(records, n - 1, &head) ? n : 0;
}

bool log_records_have_room(const struct log_records *records)
{
    return first_to_try(records) < FAULT_RECORDS;
}

void log_records_keep(struct log_records *records, const struct fault *fault)
{
    size_t i = first_to_try(records);
    uint64_t words[LOG_RECORD_WORDS];
    struct record_position p;

    if (i == FAULT_RECORDS)
        return;
    log_record_pack(fault, words);
    log_store_begin(records->store);
    while (i < FAULT_RECORDS && !claim(records, i))
        i++;
    if (i < FAULT_RECORDS) {
        p = position_of(records, i);
        log_store_write(records->store, p.block, p.word, words, LOG_RECORD_WORDS);
        i++;
    }
    atomic_store_explicit(&records->n_taken, i, memory_order_relaxed);
    log_store_end(records->store);
}

static bool read_copy(const struct log_records *records, unsigned copy, size_t i,
                      struct fault *ret_fault)
{
    struct record_position p = position_of(records, i);
    uint64_t words[LOG_RECORD_WORDS];

    for (uint32_t w = 0; w < LOG_RECORD_WORDS; w++)
        words[w] = atomic_load_explicit(&records->store->copy[copy][p.block].word[p.word + w],
                                        memory_order_acquire);
    return log_record_unpack(words, ret_fault);
}

bool log_records_read(const struct log_records *records, size_t i, struct fault *ret_fault)
{
    return read_copy(records, 0, i, ret_fault) ||
           (records->store->copy[1] && read_copy(records, 1, i, ret_fault));
}

bool log_records_drain(struct log_records *records, struct fault *ret_fault)
{
    while (records->n_drained < FAULT_RECORDS) {
        if (log_records_read(records, records->n_drained, ret_fault)) {
            records->n_drained++;
            return true;
        }
        if (records->n_drained >= records->n_settled)
            return false;
        records->n_drained++;
    }
    return false;
}

void log_records_settle(struct log_records *records)
{
    struct fault fault;
    uint64_t head;
    size_t n = FAULT_RECORDS;

    while (n > records->n_settled && !log_records_read(records, n - 1, &fault) &&
           !is_taken(records, n - 1, &head))
        n--;
    records->n_settled = n;
}

// SPDX-License-Identifier: MIT
#include "log/log_records.h"

#include <stddef.h>

#include "lib/bits.h"
#include "lib/crc32c.h"
#include "lib/string.h"

void log_records_init(struct log_records *records, void *const copy[LOG_COPIES], size_t n_copies)
{
    *records = (struct log_records){ .n_copies = n_copies };
    for (size_t i = 0; i < n_copies; i++) {
        records->copy[i] = copy[i];
        memset(copy[i], 0, LOG_RECORD_PAGES * LOG_PAGE_WORDS * sizeof(uint64_t));
    }
}

#define TAG UINT64_C(0x6661756c) /* in the first word, above the CRC of the others */

/* Whether a word may be the first of a record: 0 is not. */
static bool is_head(uint64_t word)
{
    return word >> 32 == TAG;
}

static _Atomic uint64_t *words_of(const struct log_records *records, size_t copy, size_t i)
{
    return &records->copy[copy][i * LOG_RECORD_WORDS];
}

/*
 * Whether a record's position is taken. ret_head: its first word in the first copy. Damage to two
 * copies does not make a free position look taken, or a taken one free; what was damaged in a free
 * one is overwritten.
 */
static bool is_taken(const struct log_records *records, size_t i, uint64_t *ret_head)
{
    bool taken;

    *ret_head = atomic_load_explicit(words_of(records, 0, i), memory_order_relaxed);
    taken = *ret_head == LOG_RECORD_CLAIMED;
    for (size_t copy = 0; copy < records->n_copies; copy++)
        taken |= is_head(atomic_load_explicit(words_of(records, copy, i), memory_order_relaxed));
    return taken;
}

static bool claim(struct log_records *records, size_t i)
{
    uint64_t head;

    return !is_taken(records, i, &head) &&
           atomic_compare_exchange_strong(words_of(records, 0, i), &head, LOG_RECORD_CLAIMED);
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

/* The first word of the first copy, which is the claim, comes last. */
static void write_record(struct log_records *records, size_t i, const struct fault *fault)
{
    uint64_t words[LOG_RECORD_WORDS];

    log_record_pack(fault, words);
    for (size_t copy = records->n_copies; copy-- > 0;) {
        for (size_t w = LOG_RECORD_WORDS; w-- > 0;)
            atomic_store_explicit(&words_of(records, copy, i)[w], words[w], memory_order_release);
    }
}

void log_records_keep(struct log_records *records, const struct fault *fault)
{
    size_t i = first_to_try(records);

    while (i < FAULT_RECORDS && !claim(records, i))
        i++;
    if (i < FAULT_RECORDS)
        write_record(records, i++, fault);
    atomic_store_explicit(&records->n_taken, i, memory_order_relaxed);
}

static void read_words(const struct log_records *records, size_t copy, size_t i,
                       uint64_t ret[LOG_RECORD_WORDS])
{
    for (size_t w = 0; w < LOG_RECORD_WORDS; w++)
        ret[w] = atomic_load_explicit(&words_of(records, copy, i)[w], memory_order_acquire);
}

/* Where no copy's check holds, bit by bit the majority may have one that does. False: none. */
static bool vote(const struct log_records *records, size_t i, uint64_t ret[LOG_RECORD_WORDS],
                 struct fault *ret_fault)
{
    uint64_t words[LOG_COPIES][LOG_RECORD_WORDS];

    for (size_t copy = 0; copy < records->n_copies; copy++) {
        read_words(records, copy, i, words[copy]);
        if (log_record_unpack(words[copy], ret_fault)) {
            memcpy(ret, words[copy], sizeof(words[copy]));
            return true;
        }
    }
    for (size_t w = 0; records->n_copies == LOG_COPIES && w < LOG_RECORD_WORDS; w++)
        ret[w] = bits_majority(words[0][w], words[1][w], words[2][w]);
    return records->n_copies == LOG_COPIES && log_record_unpack(ret, ret_fault);
}

bool log_records_read(const struct log_records *records, size_t i, struct fault *ret_fault)
{
    uint64_t words[LOG_RECORD_WORDS];

    return vote(records, i, words, ret_fault);
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

static void scrub_record(struct log_records *records, size_t i,
                         struct log_damage damage[LOG_COPIES])
{
    uint64_t truth[LOG_RECORD_WORDS], head;
    struct fault fault;
    bool is_whole = vote(records, i, truth, &fault), taken = is_taken(records, i, &head);

    bool half_written = head == LOG_RECORD_CLAIMED;

    if (!is_whole)
        memset(truth, 0, sizeof(truth));
    damage[0].lost |= !is_whole && taken && !half_written;
    for (size_t copy = 0; copy < records->n_copies; copy++) {
        for (size_t w = 0; w < LOG_RECORD_WORDS; w++) {
            _Atomic uint64_t *at = &words_of(records, copy, i)[w];
            uint64_t wrong = atomic_exchange(at, truth[w]) ^ truth[w];

            if (wrong && !half_written)
                log_damage_add(&damage[copy], (const void *)at, wrong);
        }
    }
}

void log_records_scrub(struct log_records *records, size_t page,
                       struct log_damage damage[LOG_COPIES])
{
    size_t end = (page + 1) * LOG_PAGE_RECORDS;

    for (size_t i = page * LOG_PAGE_RECORDS; records->n_copies == LOG_COPIES && i < end; i++)
        scrub_record(records, i, damage);
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

enum {
    WORD_HEAD,
    WORD_ADDR,
    WORD_EXPECTED,
    WORD_FOUND,
    WORD_TEST_PASS,
    WORD_CPU_NODE,
    WORD_WRITER_AGAIN,
    WORD_HEAT,
};

static uint64_t head_of(const uint64_t words[LOG_RECORD_WORDS])
{
    return TAG << 32 | crc32c(&words[WORD_ADDR], (LOG_RECORD_WORDS - WORD_ADDR) * sizeof(words[0]));
}

void log_record_pack(const struct fault *fault, uint64_t ret_words[LOG_RECORD_WORDS])
{
    for (size_t i = 0; i < LOG_RECORD_WORDS; i++)
        ret_words[i] = 0;
    ret_words[WORD_ADDR] = fault->addr;
    ret_words[WORD_EXPECTED] = fault->expected;
    ret_words[WORD_FOUND] = fault->found;
    ret_words[WORD_TEST_PASS] = (uint64_t)fault->test << 32 | fault->pass;
    ret_words[WORD_CPU_NODE] = (uint64_t)fault->cpu << 32 | fault->node;
    ret_words[WORD_WRITER_AGAIN] = (uint64_t)fault->writer << 32 | fault->again;
    ret_words[WORD_HEAT] = fault->heat;
    ret_words[WORD_HEAD] = head_of(ret_words);
}

uint64_t log_record_addr(const uint64_t words[LOG_RECORD_WORDS])
{
    return words[WORD_ADDR];
}

bool log_record_unpack(const uint64_t words[LOG_RECORD_WORDS], struct fault *ret_fault)
{
    if (!is_head(words[WORD_HEAD]) || words[WORD_HEAD] != head_of(words))
        return false;
    *ret_fault = (struct fault){
        .addr = words[WORD_ADDR],
        .expected = words[WORD_EXPECTED],
        .found = words[WORD_FOUND],
        .test = (uint16_t)(words[WORD_TEST_PASS] >> 32),
        .pass = (uint32_t)words[WORD_TEST_PASS],
        .cpu = (uint16_t)(words[WORD_CPU_NODE] >> 32),
        .node = (uint32_t)words[WORD_CPU_NODE],
        .writer = (uint16_t)(words[WORD_WRITER_AGAIN] >> 32),
        .again = (uint16_t)words[WORD_WRITER_AGAIN],
        .heat = words[WORD_HEAT],
    };
    return true;
}

// SPDX-License-Identifier: MIT
/*
 * One fault as 8 words of the log, with a check of their own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LOG_RECORD_WORDS 8
#define LOG_RECORD_TAG   UINT64_C(0x6661756c) /* in the first word, above the CRC of the others */

/* The first word while a record is written: no bit that turns over makes it, or makes it 0. */
#define LOG_RECORD_CLAIMED UINT64_C(0x6d696e656d696e65)

/* One 64-bit word that did not hold what was written to it. */
struct fault {
    uint64_t addr; /* physical, 8-byte aligned */
    uint64_t expected, found;
    uint32_t test; /* index of the test in the pass */
    uint32_t pass, cpu, node;
};

/* Whether a word may be the first of a record: 0 is not. */
static inline bool log_record_is_head(uint64_t word)
{
    return word >> 32 == LOG_RECORD_TAG;
}

void log_record_pack(const struct fault *fault, uint64_t ret_words[LOG_RECORD_WORDS]);

/* Of a packed one: its address. */
uint64_t log_record_addr(const uint64_t words[LOG_RECORD_WORDS]);

/* False, and nothing is written: the words are not a record. */
bool log_record_unpack(const uint64_t words[LOG_RECORD_WORDS], struct fault *ret_fault);

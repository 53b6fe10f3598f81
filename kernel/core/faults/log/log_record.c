// SPDX-License-Identifier: MIT
#include "log/log_record.h"

#include <stddef.h>

#include "lib/crc32c.h"

enum { WORD_HEAD, WORD_ADDR, WORD_EXPECTED, WORD_FOUND, WORD_TEST_PASS, WORD_CPU_NODE };

static uint64_t head_of(const uint64_t words[LOG_RECORD_WORDS])
{
    return LOG_RECORD_TAG << 32 |
           crc32c(&words[WORD_ADDR], (LOG_RECORD_WORDS - WORD_ADDR) * sizeof(words[0]));
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
    ret_words[WORD_HEAD] = head_of(ret_words);
}

uint64_t log_record_addr(const uint64_t words[LOG_RECORD_WORDS])
{
    return words[WORD_ADDR];
}

bool log_record_unpack(const uint64_t words[LOG_RECORD_WORDS], struct fault *ret_fault)
{
    if (words[WORD_HEAD] != head_of(words))
        return false;
    *ret_fault = (struct fault){
        .addr = words[WORD_ADDR],
        .expected = words[WORD_EXPECTED],
        .found = words[WORD_FOUND],
        .test = (uint32_t)(words[WORD_TEST_PASS] >> 32),
        .pass = (uint32_t)words[WORD_TEST_PASS],
        .cpu = (uint32_t)(words[WORD_CPU_NODE] >> 32),
        .node = (uint32_t)words[WORD_CPU_NODE],
    };
    return true;
}

// SPDX-License-Identifier: MIT
/* Faults, put together by the 64-bit words of memory that they are of. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kind/fault_sample.h"
#include "log/log_record.h"
#include "log/log_records.h"

#define KIND_WORDS_MAX (FAULT_RECORDS + FAULT_SAMPLE_MAX)

struct kind_word {
    uint64_t addr;
    uint64_t rises, falls; /* bits that were 1 instead of 0, and 0 instead of 1 */
    uint32_t count;        /* among the records; 0: of the sample only */
};

static inline uint64_t kind_word_bits(const struct kind_word *w)
{
    return w->rises | w->falls;
}

/* By address, each once. */
struct kind_words {
    struct kind_word word[KIND_WORDS_MAX];
    size_t n;
};

/* At most FAULT_RECORDS records and FAULT_SAMPLE_MAX of the sample are taken. */
void kind_words_make(struct kind_words *ret, const struct fault *record, size_t n_records,
                     const struct fault *sample, size_t n_sample);

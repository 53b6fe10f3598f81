// SPDX-License-Identifier: MIT
/* How often faults come, and what makes them come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kind_input;
struct kind_words;

struct kind_repeats {
    bool all_counted;    /* the records have every fault of the run */
    size_t n_once;       /* words that were wrong once */
    uint32_t most;       /* times that one word was wrong */
    unsigned rate;       /* of its reads while it was to be the other value, per cent; 0: unknown */
    uint64_t by_waiting; /* faults that tests found which wait */
    uint64_t by_hammering;
    uint64_t by_others;
    bool others_ran;                   /* tests that neither wait nor hammer */
    uint32_t n_again;                  /* pages that were tested again */
    uint32_t always, sometimes, never; /* of them: how often they were bad again */
    uint32_t lost;                     /* of never: bad after a wait only */
};

void kind_repeats_make(const struct kind_input *input, const struct kind_words *words,
                       struct kind_repeats *ret);

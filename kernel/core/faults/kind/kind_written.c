// SPDX-License-Identifier: MIT
#include "kind/kind_written.h"

#include <stddef.h>

static unsigned count_lanes(uint64_t bits)
{
    unsigned n = 0;

    for (; bits; bits >>= 8)
        n += (bits & 0xff) != 0;
    return n;
}

bool kind_looks_written(const struct kind_input *input, const struct kind_words *words)
{
    size_t wide = 0;

    if (input->n_bad_pages > KIND_WRITTEN_PAGES_MAX || input->alias_pages || input->is_encrypted)
        return false;
    for (size_t i = 0; i < words->n; i++)
        wide += count_lanes(kind_word_bits(&words->word[i])) >= KIND_WRITTEN_LANES_MIN;
    return wide * 2 > words->n;
}

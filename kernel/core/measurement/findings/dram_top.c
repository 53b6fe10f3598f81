// SPDX-License-Identifier: MIT
#include "findings/dram_top.h"

#define MIB       (UINT64_C(1) << 20)
#define FOUR_GIB  (UINT64_C(4) << 30)
#define LOCK      1u                   /* bit 0 of each: it cannot be changed any more */
#define TAKEN_MAX (UINT64_C(16) << 30) /* stolen memory has 4 GiB at most, the rest far less */

/* Words from DRAM_TOP_FIRST on; the first two registers have 64 bits. */
enum { TOM = 0, TOUUD = 2, BDSM = 4, BGSM, TSEGMB, TOLUD };

static uint64_t wide(const uint32_t *word)
{
    return (uint64_t)word[1] << 32 | (word[0] & ~LOCK);
}

static bool are_whole_mib(const uint32_t word[DRAM_TOP_WORDS])
{
    for (unsigned i = 0; i < DRAM_TOP_WORDS; i++) {
        bool is_high_half = i == TOM + 1 || i == TOUUD + 1;

        if (!is_high_half && (word[i] & ~LOCK) % MIB)
            return false;
    }
    return true;
}

bool dram_top_decode(const uint32_t word[DRAM_TOP_WORDS], struct dram_top *ret_top)
{
    uint64_t tom = wide(&word[TOM]), touud = wide(&word[TOUUD]);
    uint64_t tseg = word[TSEGMB] & ~LOCK, gtt = word[BGSM] & ~LOCK;
    uint64_t stolen = word[BDSM] & ~LOCK, low_end = word[TOLUD] & ~LOCK;
    struct dram_top top = { .total_bytes = tom, .usable[0] = { 0, tseg } };

    if (!are_whole_mib(word) || !tseg || tseg > gtt || gtt > stolen || stolen > low_end)
        return false;
    if (touud > FOUR_GIB)
        top.usable[1] = (struct span){ FOUR_GIB, touud - FOUR_GIB };
    if (tom < top.usable[0].size + top.usable[1].size || dram_top_taken(&top) > TAKEN_MAX)
        return false;
    *ret_top = top;
    return true;
}

uint64_t dram_top_taken(const struct dram_top *top)
{
    return top->total_bytes - top->usable[0].size - top->usable[1].size;
}

// SPDX-License-Identifier: MIT
#include "kind/kind_places.h"

#include "lib/bits.h"
#include "lib/gf2.h"
#include "lib/minmax.h"
#include "lib/span.h"

#define LINE_SHIFT 6

void kind_places_make(const struct kind_words *words, struct kind_places *ret)
{
    struct gf2_basis basis = { 0 };
    uint64_t first = words->n ? words->word[0].addr : 0, differing = 0, line = ~UINT64_C(0),
             page = ~UINT64_C(0);
    unsigned offsets = 0;
    size_t in_page = 0;

    *ret = (struct kind_places){ 0 };
    for (size_t i = 0; i < words->n; i++) { /* they are in order */
        uint64_t addr = words->word[i].addr;

        if (addr >> PAGE_SHIFT != page)
            in_page = 0;
        in_page += addr >> LINE_SHIFT != line;
        ret->most_in_page = max_u64(ret->most_in_page, in_page);
        ret->n_lines += addr >> LINE_SHIFT != line;
        ret->n_pages += addr >> PAGE_SHIFT != page;
        line = addr >> LINE_SHIFT;
        page = addr >> PAGE_SHIFT;
        differing |= addr ^ first;
        offsets |= 1u << (addr / sizeof(uint64_t) % 8);
        gf2_add(&basis, (addr ^ first) >> LINE_SHIFT);
    }
    ret->region_bits = differing ? 64 - (unsigned)__builtin_clzll(differing) : 0;
    ret->rank = basis.rank;
    ret->n_offsets = bits_count(offsets);
}

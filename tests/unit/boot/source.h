// SPDX-License-Identifier: MIT
/* What tests of loaders share: memory to look through, from its beginning, a few pages at a time.
 */
#pragma once

#include "boot/load/good_pages.h"

struct source {
    struct page_source source;
    uint32_t next, end;
    uint32_t chunk;    /* pages given at a time */
    uint32_t n_tested; /* as was told last */
};

static inline uint32_t source_next(void *ctx, uint32_t *ret_page)
{
    struct source *s = ctx;
    uint32_t n = 0;

    while (n < s->chunk && s->next < s->end)
        ret_page[n++] = s->next++;
    return n;
}

static inline void source_tested(void *ctx, uint32_t n_tested)
{
    ((struct source *)ctx)->n_tested = n_tested;
}

static inline void source_make(struct source *s, const void *memory, uint32_t n_pages,
                               uint32_t chunk)
{
    *s = (struct source){
        .source = { source_next, source_tested, s },
        .next = page_number(memory),
        .end = page_number(memory) + n_pages,
        .chunk = chunk,
    };
}

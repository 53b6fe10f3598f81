// SPDX-License-Identifier: MIT
#include "report/badram_snapshot.h"

#include "lib/panic.h"
#include "lib/string.h"
#include "report/format_text.h"

void badram_snapshot_set(struct badram_snapshot *k, const struct event_badram *b)
{
    k->length = string_copy(k->line, b->line, sizeof(k->line));
    ASSERT(k->length < sizeof(k->line));
    k->bad_pages = b->bad_pages;
    k->n_patterns = b->cover->n_patterns;
    k->sacrificed_pages = b->cover->sacrificed_pages;
    k->ranges = b->cover->ranges;
    k->use = b->use;
}

void badram_snapshot_describe(const struct badram_snapshot *k, struct fmt_buffer *out)
{
    fmt_append(out,
               "%zu pattern%s for %lu bad page%s, %lu page%s (%s) sacrificed, "
               "%lu range%s",
               k->n_patterns, fmt_plural(k->n_patterns), k->bad_pages, fmt_plural(k->bad_pages),
               k->sacrificed_pages, fmt_plural(k->sacrificed_pages),
               FMT_SIZE(k->sacrificed_pages << PAGE_SHIFT), k->ranges, fmt_plural(k->ranges));
}

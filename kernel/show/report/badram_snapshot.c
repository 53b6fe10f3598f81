// SPDX-License-Identifier: MIT
#include "report/badram_snapshot.h"

#include "lib/panic.h"
#include "lib/string.h"
#include "report/format_text.h"

#define USUAL_BAUD     115200
#define BITS_OF_A_BYTE 10.0 /* 8N1 */
#define SHARE          0.05
/* What the first lines of a run may take, before a share of the time amounts to anything. */
#define GRACE_SECONDS 2.0

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

bool rate_limit_allows(struct rate_limit *p, double t, size_t n)
{
    double cost = (double)n * BITS_OF_A_BYTE / (p->baud ? p->baud : USUAL_BAUD);

    if (!p->ask && p->spent_seconds + cost > GRACE_SECONDS + SHARE * t)
        return false;
    p->ask = false;
    p->spent_seconds += cost;
    return true;
}

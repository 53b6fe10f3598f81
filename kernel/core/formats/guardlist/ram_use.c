// SPDX-License-Identifier: MIT
#include "guardlist/ram_use.h"

#include "lib/minmax.h"
#include "lib/sort.h"

#define PAGE_BYTES  4096u
#define PAGES_BELOW (UINT64_C(1) << 20) /* 4 GiB */
#define FREE_PARTS  2                   /* at most one of them may be taken */

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return ((const struct guard_piece *)a)->first < ((const struct guard_piece *)b)->first;
}

void guard_ram_use_sort(struct guard_ram_use *pieces)
{
    uint64_t next = 0;
    size_t kept = 0;

    sort(pieces->piece, pieces->n, sizeof(*pieces->piece), is_lower, NULL);
    for (size_t i = 0; i < pieces->n; i++) {
        struct guard_piece p = pieces->piece[i];
        uint64_t first = max_u64(p.first, next);

        if (p.first >= GUARD_LIST_PAGES || p.n > GUARD_LIST_PAGES - p.first ||
            p.first + p.n <= first)
            continue;
        next = p.first + p.n;
        pieces->piece[kept++] = (struct guard_piece){ first, next - first, p.use };
    }
    pieces->n = kept;
}

uint64_t guard_ram_use_bytes(const struct guard_ram_use *pieces)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < pieces->n; i++)
        pages += pieces->piece[i].n;
    return pages * PAGE_BYTES;
}

uint64_t guard_ram_use_free(const struct guard_ram_use *pieces)
{
    uint64_t pages = 0;

    for (size_t i = 0; i < pieces->n; i++)
        pages += pieces->piece[i].use == GUARD_FREE ? pieces->piece[i].n : 0;
    return pages;
}

/* The first piece that ends after the page; pieces->n: there is none. */
static size_t find(const struct guard_ram_use *pieces, uint64_t page)
{
    size_t low = 0, high = pieces->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct guard_piece *p = &pieces->piece[middle];

        if (p->first + p->n <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct guard_piece guard_ram_use_part(const struct guard_ram_use *pieces, struct guard_run run)
{
    size_t i = find(pieces, run.first);
    const struct guard_piece *p;
    uint64_t first;

    if (i == pieces->n || pieces->piece[i].first >= run.first + run.n)
        return (struct guard_piece){ run.first, 0, GUARD_FREE };
    p = &pieces->piece[i];
    first = max_u64(p->first, run.first);
    return (struct guard_piece){ first, min_u64(p->first + p->n, run.first + run.n) - first,
                                 p->use };
}

/* Moves the run's beginning after the part; false: nothing of the run is left. */
static bool go_on_after(struct guard_run *run, const struct guard_piece *part)
{
    uint64_t end = run->first + run->n;

    run->first = part->first + part->n;
    run->n = end - run->first;
    return part->n && run->n;
}

static void add(struct guard_writer *writer, const struct guard_piece *part)
{
    if (writer)
        guard_writer_add(writer, (struct guard_run){ part->first, part->n });
}

static void tally_part(const struct guard_piece *part, struct guard_writer *masked,
                       struct guard_writer *usable, struct guard_tally *t)
{
    switch (part->use) {
    case GUARD_FREE:
        t->free += part->n;
        add(usable, part);
        break;
    case GUARD_HELD:
        t->held += part->n;
        add(usable, part);
        break;
    case GUARD_KEPT: t->kept += part->n; break;
    case GUARD_UNUSABLE:
        t->masked += part->n;
        add(masked, part);
        break;
    }
}

void guard_tally(const struct guard_list *list, const struct guard_ram_use *pieces,
                 struct guard_writer *masked, struct guard_writer *usable,
                 struct guard_tally *ret_tally)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_tally t = { 0 };
    struct guard_piece part;
    struct guard_run run;

    while (guard_reader_next(&reader, &run)) {
        do {
            part = guard_ram_use_part(pieces, run);
            tally_part(&part, masked, usable, &t);
        } while (go_on_after(&run, &part));
    }
    t.outside = list->head.n_pages - t.free - t.held - t.kept - t.masked;
    *ret_tally = t;
}

void guard_append_count(const struct guard_counts *c, struct fmt_buffer *out)
{
    uint64_t all = max_u64(c->listed, c->masked);

    if (c->masked < all)
        fmt_append(out, "%llu of ", (unsigned long long)c->masked);
    fmt_append(out, "%llu bad page%s masked", (unsigned long long)all, fmt_plural(all));
}

/* Who uses the pages that are not masked. */
static const char *user(const struct guard_counts *c, uint64_t rest)
{
    return rest == c->kept                 ? "firmware still uses"
           : rest <= c->kept + c->reserved ? "Windows still uses"
                                           : "Windows and Linux still use";
}

void guard_append_masked(const struct guard_counts *c, const char *note, struct fmt_buffer *out)
{
    uint64_t rest = c->listed > c->masked ? c->listed - c->masked : 0;

    guard_append_count(c, out);
    if (note[0])
        fmt_append(out, " (%s)", note);
    if (!rest)
        return;
    fmt_append(out, "; %s ", user(c, rest));
    if (!c->masked)
        fmt_append(out, rest == 1 ? "it" : "them");
    else if (rest == 1)
        fmt_append(out, "the other");
    else
        fmt_append(out, "the other %llu", (unsigned long long)rest);
    fmt_append(out, ": replace the module");
}

static uint64_t pages_below(const struct guard_piece *p)
{
    return p->first < PAGES_BELOW ? min_u64(p->n, PAGES_BELOW - p->first) : 0;
}

bool guard_takes_too_much(const struct guard_list *list, const struct guard_ram_use *pieces)
{
    struct guard_reader reader = guard_list_read(list);
    uint64_t free = guard_ram_use_free(pieces), free_below = 0, taken = 0, taken_below = 0;
    struct guard_piece part;
    struct guard_run run;

    for (size_t i = 0; i < pieces->n; i++) {
        if (pieces->piece[i].use == GUARD_FREE)
            free_below += pages_below(&pieces->piece[i]);
    }
    while (guard_reader_next(&reader, &run)) {
        do {
            part = guard_ram_use_part(pieces, run);
            if (part.use == GUARD_FREE) {
                taken += part.n;
                taken_below += pages_below(&part);
            }
        } while (go_on_after(&run, &part));
    }
    return taken > free / FREE_PARTS || taken_below > free_below / FREE_PARTS;
}

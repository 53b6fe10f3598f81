// SPDX-License-Identifier: MIT
#include "memory/page_list.h"

#include "lib/panic.h"
#include "lib/string.h"

void page_list_init(struct page_list *place, struct place_run *run, size_t max)
{
    *place = (struct page_list){ .run = run, .max = max };
}

void page_list_clear(struct page_list *place)
{
    place->n = 0;
    place->bytes = 0;
}

enum status page_list_copy(struct page_list *to, const struct page_list *from)
{
    if (from->n > to->max)
        return STATUS_NO_SPACE;
    memcpy(to->run, from->run, from->n * sizeof(*from->run));
    to->n = from->n;
    to->bytes = from->bytes;
    return STATUS_OK;
}

struct span page_list_span(const struct page_list *place, size_t i)
{
    uint64_t before = place->run[i].before;
    uint64_t end = i + 1 < place->n ? place->run[i + 1].before : place->bytes >> PAGE_SHIFT;

    return (struct span){ place->run[i].first << PAGE_SHIFT, (end - before) << PAGE_SHIFT };
}

/* The number of runs below a page. */
static size_t n_below(const struct page_list *place, uint64_t page)
{
    size_t low = 0, high = place->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (place->run[place->run[middle].by_address].first <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Inserts the last run, which is new, by address. */
static void sort_in(struct page_list *place)
{
    uint32_t last = (uint32_t)place->n - 1;
    size_t at;

    place->n--;
    at = n_below(place, place->run[last].first);
    place->n++;
    for (size_t i = last; i > at; i--)
        place->run[i].by_address = place->run[i - 1].by_address;
    place->run[at].by_address = last;
}

enum status page_list_add(struct page_list *place, struct span pages)
{
    uint64_t n_pages = place->bytes >> PAGE_SHIFT;
    bool adjoins = place->n && span_end(page_list_span(place, place->n - 1)) == pages.base;

    ASSERT((pages.base | pages.size) % PAGE_SIZE == 0 && n_pages <= UINT32_MAX);
    if (!adjoins) {
        if (place->n == place->max)
            return STATUS_NO_SPACE;
        place->run[place->n].first = pages.base >> PAGE_SHIFT;
        place->run[place->n++].before = (uint32_t)n_pages;
        sort_in(place);
    }
    place->bytes += pages.size;
    return STATUS_OK;
}

struct span page_list_at(const struct page_list *place, uint64_t offset)
{
    size_t low = 0, high = place->n;
    struct span s;

    ASSERT(offset < place->bytes);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if ((uint64_t)place->run[middle].before << PAGE_SHIFT <= offset)
            low = middle;
        else
            high = middle;
    }
    s = page_list_span(place, low);
    offset -= (uint64_t)place->run[low].before << PAGE_SHIFT;
    return (struct span){ s.base + offset, s.size - offset };
}

enum status page_list_offset(const struct page_list *place, uint64_t phys, uint64_t *ret_offset)
{
    size_t below = n_below(place, phys >> PAGE_SHIFT);
    uint32_t i;
    struct span s;

    if (!below)
        return STATUS_NOT_FOUND;
    i = place->run[below - 1].by_address;
    s = page_list_span(place, i);
    if (!span_contains(s, phys))
        return STATUS_NOT_FOUND;
    *ret_offset = ((uint64_t)place->run[i].before << PAGE_SHIFT) + (phys - s.base);
    return STATUS_OK;
}

/* The number of runs that begin before byte number `bytes` of the place. */
static size_t n_beginning_before(const struct page_list *place, uint64_t bytes)
{
    size_t n = 0;

    while (n < place->n && (uint64_t)place->run[n].before << PAGE_SHIFT < bytes)
        n++;
    return n;
}

static enum status add_from(struct page_list *to, const struct page_list *from, uint64_t offset)
{
    page_list_clear(to);
    while (offset < from->bytes) {
        struct span s = page_list_at(from, offset);

        if (page_list_add(to, s) != STATUS_OK)
            return STATUS_NO_SPACE;
        offset += s.size;
    }
    return STATUS_OK;
}

enum status page_list_truncate(struct page_list *place, uint64_t bytes, struct page_list *ret_rest)
{
    size_t n = n_beginning_before(place, bytes), kept = 0;

    ASSERT(bytes % PAGE_SIZE == 0 && bytes <= place->bytes);
    if (ret_rest && add_from(ret_rest, place, bytes) != STATUS_OK)
        return STATUS_NO_SPACE;
    for (size_t i = 0; i < place->n; i++) {
        if (place->run[i].by_address < n)
            place->run[kept++].by_address = place->run[i].by_address;
    }
    place->n = n;
    place->bytes = bytes;
    return STATUS_OK;
}

/* A walk through free memory, from one run of good pages to the next. */
struct walk {
    struct page_search where; /* from the next span on */
    struct span left;         /* of the current span */
};

/* The next run of good pages; size 0: there is none. */
static struct span next_run(struct walk *w, uint64_t max_bytes)
{
    struct span run;

    while (!w->left.size || !w->where.good(w->where.ctx, w->left.base)) {
        if (w->left.size) {
            w->left.base += PAGE_SIZE;
            w->left.size -= PAGE_SIZE;
        } else if (w->where.n) {
            w->left = span_whole_pages(*w->where.free++);
            w->where.n--;
        } else {
            return (struct span){ 0 };
        }
    }
    run = (struct span){ w->left.base, PAGE_SIZE };
    while (run.size < w->left.size && run.size < max_bytes &&
           w->where.good(w->where.ctx, span_end(run)))
        run.size += PAGE_SIZE;
    w->left.base += run.size;
    w->left.size -= run.size;
    return run;
}

#define LENGTHS 64

static unsigned length_of(uint64_t bytes)
{
    return LENGTHS - 1 - (unsigned)__builtin_clzll(bytes);
}

/*
 * The largest minimum length of runs, a power of two or `bytes`, that gives enough; 0: none does.
 */
static uint64_t longest_enough(struct walk w, uint64_t bytes)
{
    uint64_t held[LENGTHS] = { 0 }, enough = 0; /* bytes in runs of each length */
    struct span run;

    while ((run = next_run(&w, bytes)).size) {
        if (run.size == bytes)
            return bytes;
        held[length_of(run.size)] += run.size;
    }
    for (unsigned length = LENGTHS; length-- > 0;) {
        enough += held[length];
        if (enough >= bytes)
            return UINT64_C(1) << length;
    }
    return 0;
}

/* Gathers runs of min_bytes or more, and a shorter one at the end if that is enough. */
static enum status gather(struct walk w, uint64_t bytes, uint64_t min_bytes,
                          struct page_list *place)
{
    struct span run;

    page_list_clear(place);
    while (place->bytes < bytes && (run = next_run(&w, bytes - place->bytes)).size) {
        if (run.size < min_bytes && run.size < bytes - place->bytes)
            continue;
        if (page_list_add(place, run) != STATUS_OK)
            return STATUS_NOT_FOUND;
    }
    return place->bytes == bytes ? STATUS_OK : STATUS_NOT_FOUND;
}

enum status page_list_find(const struct page_search *where, uint64_t bytes,
                           struct page_list *ret_place)
{
    const struct walk w = { .where = *where };
    uint64_t all = 0, min_bytes;

    ASSERT(bytes && bytes % PAGE_SIZE == 0);
    for (size_t i = 0; i < where->n; i++)
        all += where->free[i].size;
    min_bytes = all >= bytes ? longest_enough(w, bytes) : 0;
    return min_bytes ? gather(w, bytes, min_bytes, ret_place) : STATUS_NOT_FOUND;
}

enum status footprint_copy(struct footprint *to, const struct footprint *from)
{
    if (page_list_copy(&to->data, &from->data) != STATUS_OK)
        return STATUS_NO_SPACE;
    return page_list_copy(&to->tables, &from->tables);
}

bool footprint_holds(const struct footprint *at, uint64_t phys)
{
    uint64_t offset;

    return page_list_offset(&at->data, phys, &offset) == STATUS_OK ||
           page_list_offset(&at->tables, phys, &offset) == STATUS_OK;
}

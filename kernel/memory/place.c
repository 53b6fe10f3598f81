#include "memory/place.h"

#include "lib/panic.h"

/* Each time no place is found, runs may be so much shorter. */
#define SHORTER 4

enum status place_add(struct place *place, struct span pages)
{
    struct span *last = place->n ? &place->span[place->n - 1] : NULL;

    ASSERT((pages.base | pages.size) % PAGE_SIZE == 0);
    if (last && span_end(*last) == pages.base) {
        last->size += pages.size;
    } else {
        if (place->n == PLACE_SPANS_MAX)
            return STATUS_NO_SPACE;
        place->span[place->n++] = pages;
    }
    place->bytes += pages.size;
    return STATUS_OK;
}

struct span place_at(const struct place *place, uint64_t offset)
{
    ASSERT(offset < place->bytes);
    for (size_t i = 0;; i++) {
        struct span s = place->span[i];

        if (offset < s.size)
            return (struct span){ s.base + offset, s.size - offset };
        offset -= s.size;
    }
}

enum status place_offset(const struct place *place, uint64_t phys, uint64_t *ret_offset)
{
    uint64_t before = 0;

    for (size_t i = 0; i < place->n; i++) {
        if (span_contains(place->span[i], phys)) {
            *ret_offset = before + (phys - place->span[i].base);
            return STATUS_OK;
        }
        before += place->span[i].size;
    }
    return STATUS_NOT_FOUND;
}

void place_cut(struct place *place, uint64_t bytes, struct place *ret_rest)
{
    size_t kept = 0;
    uint64_t before = 0;

    ASSERT(bytes % PAGE_SIZE == 0 && bytes <= place->bytes);
    ret_rest->n = 0;
    ret_rest->bytes = 0;
    for (size_t i = 0; i < place->n; i++) {
        struct span s = place->span[i];
        uint64_t first = bytes > before ? bytes - before : 0;

        before += s.size;
        if (first >= s.size) {
            kept++;
            continue;
        }
        ASSERT(place_add(ret_rest, (struct span){ s.base + first, s.size - first }) == STATUS_OK);
        if (first) {
            place->span[i].size = first;
            kept++;
        }
    }
    place->n = kept;
    place->bytes = bytes;
}

/* Takes the first run of good pages off what is left of a span; size 0: there is none. */
static struct span next_run(struct span *left, uint64_t max_bytes, place_page_good good, void *ctx)
{
    struct span run;

    while (left->size && !good(ctx, left->base)) {
        left->base += PAGE_SIZE;
        left->size -= PAGE_SIZE;
    }
    run = (struct span){ left->base, 0 };
    while (run.size < left->size && run.size < max_bytes && good(ctx, span_end(run)))
        run.size += PAGE_SIZE;
    left->base += run.size;
    left->size -= run.size;
    return run;
}

/* Gathers runs of min_bytes or more, and a shorter one at the end where that is enough. */
static bool gather(const struct span *free, size_t n, uint64_t bytes, uint64_t min_bytes,
                   place_page_good good, void *ctx, struct place *place)
{
    place->n = 0;
    place->bytes = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t base = align_up(free[i].base, PAGE_SIZE);
        uint64_t end = align_down(span_end(free[i]), PAGE_SIZE);
        struct span left = { base, end > base ? end - base : 0 }, run;

        while ((run = next_run(&left, bytes - place->bytes, good, ctx)).size) {
            if (run.size < min_bytes && run.size < bytes - place->bytes)
                continue;
            if (place_add(place, run) != STATUS_OK)
                return false;
            if (place->bytes == bytes)
                return true;
        }
    }
    return false;
}

enum status place_find(const struct span *free, size_t n, uint64_t bytes, place_page_good good,
                       void *ctx, struct place *ret_place)
{
    uint64_t min_bytes = bytes;

    ASSERT(bytes && bytes % PAGE_SIZE == 0);
    while (!gather(free, n, bytes, min_bytes, good, ctx, ret_place)) {
        if (min_bytes <= PAGE_SIZE)
            return STATUS_NOT_FOUND;
        min_bytes /= SHORTER;
    }
    return STATUS_OK;
}

// SPDX-License-Identifier: MIT
#include "memory/pieces.h"

#include "lib/string.h"

enum status pieces_add(struct pieces *p, struct span span, const char *why)
{
    if (p->n == p->max)
        return STATUS_NO_SPACE;
    p->piece[p->n++] = (struct piece){ span, why };
    return STATUS_OK;
}

/* Cuts piece i in two, the first with first_bytes. */
static enum status split(struct pieces *p, size_t i, uint64_t first_bytes)
{
    struct piece *piece = &p->piece[i];

    if (p->n == p->max)
        return STATUS_NO_SPACE;
    memmove(piece + 1, piece, (p->n - i) * sizeof(*piece));
    p->n++;
    piece[0].span.size = first_bytes;
    piece[1].span.base += first_bytes;
    piece[1].span.size -= first_bytes;
    return STATUS_OK;
}

enum status pieces_exclude(struct pieces *p, struct span span, const char *why)
{
    enum status result = STATUS_OK;

    for (size_t i = 0; i < p->n; i++) {
        struct span common = span_intersect(p->piece[i].span, span);
        uint64_t before = common.base - p->piece[i].span.base;

        if (!common.size || p->piece[i].why)
            continue;
        if (before) {
            if (split(p, i, before) == STATUS_OK)
                i++;
            else
                result = STATUS_NO_SPACE;
        }
        if (p->piece[i].span.size > common.size && split(p, i, common.size) != STATUS_OK)
            result = STATUS_NO_SPACE;
        p->piece[i].why = why;
    }
    return result;
}

enum status pieces_trim_to_lines(struct pieces *p, const char *why)
{
    enum status result = STATUS_OK;

    for (size_t i = 0; i < p->n; i++) {
        struct span s = p->piece[i].span;
        uint64_t first = align_up(s.base, LINE_SIZE), last = align_down(span_end(s), LINE_SIZE);
        struct span head = { s.base, first - s.base }, tail = { last, span_end(s) - last };

        if (p->piece[i].why)
            continue;
        if (first >= last) {
            p->piece[i].why = why;
            continue;
        }
        if (head.size && pieces_exclude(p, head, why) != STATUS_OK)
            result = STATUS_NO_SPACE;
        if (tail.size && pieces_exclude(p, tail, why) != STATUS_OK)
            result = STATUS_NO_SPACE;
    }
    return result;
}

void pieces_join(struct pieces *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++) {
        struct piece *last = kept ? &p->piece[kept - 1] : NULL;

        if (last && span_end(last->span) == p->piece[i].span.base && last->why == p->piece[i].why)
            last->span.size += p->piece[i].span.size;
        else
            p->piece[kept++] = p->piece[i];
    }
    p->n = kept;
}

enum status pieces_tested(const struct pieces *p, struct spans *ret)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!p->piece[i].why && !spans_append(ret, p->piece[i].span))
            return STATUS_NO_SPACE;
    }
    return STATUS_OK;
}

static uint64_t sum(const struct pieces *p, bool tested)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (!p->piece[i].why == tested)
            bytes += p->piece[i].span.size;
    }
    return bytes;
}

uint64_t pieces_tested_bytes(const struct pieces *p)
{
    return sum(p, true);
}

uint64_t pieces_untested_bytes(const struct pieces *p)
{
    return sum(p, false);
}

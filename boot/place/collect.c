// SPDX-License-Identifier: MIT
#include "boot/place/collect.h"

#include <stdbool.h>
#include <stddef.h>

#include "boot/place/march.h"
#include "lib/crc32c.h"

static void note_bad(struct collection *c, uint32_t page)
{
    c->n_bad++;
    bad_pages_add(c->bad, (uint64_t)page << PAGE_SHIFT);
}

/* The first sound page of all holds the list. */
static void add(struct collection *c, uint32_t page)
{
    if (!c->page)
        c->page = page_pointer(page);
    if (c->n < c->wanted)
        c->page[c->n++] = page;
    if (!c->run_n || c->run_first + c->run_n != page) {
        c->run_first = page;
        c->run_n = 0;
    }
    c->run_n++;
}

static void take_run(struct collection *c)
{
    for (uint32_t i = 0; i < c->wanted; i++)
        c->page[i] = c->run_first + i;
    c->n = c->wanted;
}

static bool is_enough(struct collection *c)
{
    if (c->run_n == c->wanted)
        take_run(c);
    return c->n == c->wanted && (c->run_n == c->wanted || c->n_tested >= COLLECT_PIECE_TRIES);
}

/* Tests a chunk. False: there is none. */
static bool try_next(struct collection *c, const struct collect_source *source)
{
    uint32_t page[COLLECT_CHUNK], n = source->next(source->ctx, page);

    march_pages(page, n);
    for (uint32_t i = 0; i < n; i++) {
        if (page[i] & PAGE_IS_BAD)
            note_bad(c, page[i] & ~PAGE_IS_BAD);
        else if (c->run_n < c->wanted)
            add(c, page[i]);
    }
    c->n_tested += n;
    source->tested(source->ctx, c->n_tested);
    return n != 0;
}

static uint32_t list_sum(const struct collection *c)
{
    march_flush(c->page, PAGE_SIZE);
    return crc32c(c->page, c->n * sizeof(*c->page));
}

static void begin_anew(struct collection *c)
{
    c->page = NULL;
    c->n = 0;
    c->run_n = 0;
}

/*
 * All pages but the list's are written before any is read: those that share cells show. Whether one
 * shares the list's is seen at once, before a number that was written over is taken for a page.
 */
static bool are_apart(struct collection *c)
{
    uint32_t own = page_number(c->page), sum = list_sum(c);
    bool apart = true;

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t page = c->page[i];

        if (page == own)
            continue;
        march_tag(page);
        if (list_sum(c) != sum) {
            note_bad(c, own);
            note_bad(c, page);
            begin_anew(c);
            return false;
        }
    }
    for (uint32_t i = c->n; i-- > 0;) {
        if (c->page[i] == own || march_has_tag(c->page[i]))
            continue;
        collect_strike_off(c, i);
        apart = false;
    }
    return apart;
}

enum status collect(struct collection *c, const struct collect_source *source)
{
    do {
        while (!is_enough(c) && try_next(c, source))
            ;
        if (c->n < c->wanted)
            return STATUS_NOT_FOUND;
    } while (!are_apart(c));
    return STATUS_OK;
}

void collect_strike_off(struct collection *c, uint32_t i)
{
    note_bad(c, c->page[i]);
    c->page[i] = c->page[--c->n];
    c->run_n = 0;
}

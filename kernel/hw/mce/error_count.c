// SPDX-License-Identifier: MIT
#include "mce/error_count.h"

#include "lib/crc32c.h"

#define SEND_AGAIN_AT 10 /* times as many */

/* The first is, then each time that there are ten times as many. */
static bool is_worth_sending(uint64_t all, uint64_t sent)
{
    return !sent || all / SEND_AGAIN_AT >= sent;
}

static bool is_same_place(const struct mca_record *a, const struct mca_record *b)
{
    if (a->bank != b->bank || a->has_addr != b->has_addr || a->corrected != b->corrected)
        return false;
    return a->has_addr ? a->addr == b->addr : a->cpu == b->cpu;
}

static struct mce_count_entry *mce_entry(struct mce_count *c, const struct mca_record *record)
{
    for (size_t i = 0; i < c->n; i++) {
        if (is_same_place(&c->entry[i].last, record))
            return &c->entry[i];
    }
    if (c->n == MCE_COUNT_ENTRIES)
        return NULL;
    c->entry[c->n] = (struct mce_count_entry){ .last = *record };
    c->entry[c->n].last.count = 0;
    return &c->entry[c->n++];
}

bool mce_count_add(struct mce_count *c, const struct mca_record *record, struct mca_record *ret)
{
    struct mce_count_entry *e = mce_entry(c, record);
    uint64_t all;

    if (!e) {
        c->uncounted += record->count;
        return false;
    }
    all = e->last.count + record->count;
    e->last = *record;
    e->last.count = all;
    if (record->corrected && !is_worth_sending(all, e->sent))
        return false;
    e->sent = all;
    *ret = e->last;
    return true;
}

bool mce_count_next_unsent(struct mce_count *c, struct mca_record *ret)
{
    for (size_t i = 0; i < c->n; i++) {
        struct mce_count_entry *e = &c->entry[i];

        if (e->sent == e->last.count)
            continue;
        e->sent = e->last.count;
        *ret = e->last;
        return true;
    }
    return false;
}

static struct cper_count_entry *cper_entry(struct cper_count *c, uint32_t source,
                                           const struct cper_memory *memory)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->entry[i].all.source == source &&
            cper_memory_is_same(&c->entry[i].all.memory, memory))
            return &c->entry[i];
    }
    if (c->n == CPER_COUNT_ENTRIES)
        return NULL;
    c->entry[c->n] = (struct cper_count_entry){ .all = { source, *memory, 0 } };
    return &c->entry[c->n++];
}

bool cper_count_add(struct cper_count *c, uint32_t source, const struct cper_memory *memory,
                    struct cper_report *ret)
{
    struct cper_count_entry *e = cper_entry(c, source, memory);

    if (!e) {
        c->uncounted++;
        return false;
    }
    e->all.count++;
    if (!is_worth_sending(e->all.count, e->sent))
        return false;
    e->sent = e->all.count;
    *ret = e->all;
    return true;
}

bool cper_count_next_unsent(struct cper_count *c, struct cper_report *ret)
{
    for (size_t i = 0; i < c->n; i++) {
        struct cper_count_entry *e = &c->entry[i];

        if (e->sent == e->all.count)
            continue;
        e->sent = e->all.count;
        *ret = e->all;
        return true;
    }
    return false;
}

void error_watch_empty(struct error_watch *w)
{
    *w = (struct error_watch){ 0 };
}

enum error_news error_watch_report(struct error_watch *w, const void *bytes, size_t n)
{
    uint32_t crc = crc32c(bytes, n);
    bool is_same = w->is_there && crc == w->crc;

    if (!is_same)
        w->n_same = 0;
    else if (w->n_same <= ERROR_WATCH_SAME_MAX)
        w->n_same++;
    w->is_there = true;
    w->crc = crc;
    if (w->n_same == ERROR_WATCH_SAME_MAX)
        return ERROR_IGNORED;
    return w->n_same > ERROR_WATCH_SAME_MAX || (is_same && w->is_uncleared) ? ERROR_NO_NEWS
                                                                            : ERROR_NEWS;
}

void error_watch_cleared(struct error_watch *w, bool is_empty)
{
    w->is_uncleared = !is_empty;
}

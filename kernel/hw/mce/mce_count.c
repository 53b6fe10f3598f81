// SPDX-License-Identifier: MIT
#include "mce/mce_count.h"

#define SEND_AGAIN_AT 10 /* times as many */

static bool is_same_place(const struct mca_record *a, const struct mca_record *b)
{
    if (a->bank != b->bank || a->has_addr != b->has_addr || a->corrected != b->corrected)
        return false;
    return a->has_addr ? a->addr == b->addr : a->cpu == b->cpu;
}

static struct mce_count_entry *entry_of(struct mce_count *c, const struct mca_record *record)
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
    struct mce_count_entry *e = entry_of(c, record);
    uint64_t all;

    if (!e) {
        c->uncounted += record->count;
        return false;
    }
    all = e->last.count + record->count;
    e->last = *record;
    e->last.count = all;
    if (record->corrected && e->sent && all / SEND_AGAIN_AT < e->sent)
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

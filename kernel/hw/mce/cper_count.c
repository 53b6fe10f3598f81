// SPDX-License-Identifier: MIT
#include "mce/cper_count.h"

#define SEND_AGAIN_AT 10 /* times as many */

static struct cper_count_entry *entry_of(struct cper_count *c, uint32_t source,
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
    struct cper_count_entry *e = entry_of(c, source, memory);

    if (!e) {
        c->uncounted++;
        return false;
    }
    e->all.count++;
    if (e->sent && e->all.count / SEND_AGAIN_AT < e->sent)
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

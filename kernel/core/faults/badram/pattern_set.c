// SPDX-License-Identifier: MIT
#include "badram/pattern_set.h"

#include "lib/panic.h"

#define END UINT16_MAX

_Static_assert(PATTERN_SET_MAX <= END, "places are 16-bit numbers");

void pattern_set_clear(struct pattern_set *set)
{
    set->n = 0;
    set->addr_bits = 0;
    for (size_t i = 0; i < PATTERN_SET_BUCKETS; i++)
        set->head[i] = END;
}

/* Where the chain that p belongs to begins: Fibonacci hashing. */
static uint16_t *chain_of(struct pattern_set *set, struct pattern p)
{
    uint64_t hash = (p.addr ^ p.mask << 7) * UINT64_C(0x9e3779b97f4a7c15);

    return &set->head[(hash >> 32) % PATTERN_SET_BUCKETS];
}

/* The link that leads to p; one that holds END when p is not in the set. */
static uint16_t *find(struct pattern_set *set, struct pattern p)
{
    uint16_t *link = chain_of(set, p);

    while (*link != END &&
           (set->pattern[*link].addr != p.addr || set->pattern[*link].mask != p.mask))
        link = &set->next[*link];
    return link;
}

static void insert(struct pattern_set *set, struct pattern p)
{
    uint16_t *head = chain_of(set, p), i = (uint16_t)set->n;

    ASSERT(set->n < PATTERN_SET_MAX);
    set->pattern[i] = p;
    set->next[i] = *head;
    *head = i;
    set->n++;
}

/* Takes out what link leads to; the last one moves into its place. */
static void remove_at(struct pattern_set *set, uint16_t *link)
{
    uint16_t i = *link, last = (uint16_t)(set->n - 1);

    *link = set->next[i];
    if (i != last) {
        *find(set, set->pattern[last]) = i;
        set->pattern[i] = set->pattern[last];
        set->next[i] = set->next[last];
    }
    set->n--;
}

void pattern_set_add(struct pattern_set *set, struct pattern p)
{
    uint64_t bits;

    set->addr_bits |= p.addr;
    bits = p.mask & set->addr_bits;
    while (bits) {
        uint64_t bit = bits & -bits;
        uint16_t *link = find(set, (struct pattern){ p.addr ^ bit, p.mask });

        bits ^= bit;
        if (*link != END) {
            remove_at(set, link);
            p.addr &= ~bit;
            p.mask ^= bit;
            bits = p.mask & set->addr_bits;
        }
    }
    if (*find(set, p) == END)
        insert(set, p);
}

void pattern_set_rebuild(struct pattern_set *set)
{
    size_t n = set->n;

    pattern_set_clear(set);
    for (size_t i = 0; i < n; i++) /* never overtakes itself: each adds at most one */
        pattern_set_add(set, set->pattern[i]);
}

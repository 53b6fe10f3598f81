// SPDX-License-Identifier: MIT
#include "external/low_memory.h"

#include "lib/panic.h"

enum { FREE, CLAIMED, RECORDED };

void low_memory_add(struct low_memory *low, const struct low_change *change)
{
    size_t page = change->addr >> PAGE_SHIFT;
    unsigned state = FREE;

    ASSERT(change->addr < LOW_MEMORY_END);
    if (!atomic_compare_exchange_strong(&low->page[page].state, &state, CLAIMED))
        return;
    low->page[page].change = *change;
    atomic_store(&low->page[page].state, RECORDED);
}

bool low_memory_drain(struct low_memory *low, struct low_change *ret_change)
{
    for (size_t i = 0; i < LOW_MEMORY_END >> PAGE_SHIFT; i++) {
        unsigned state = atomic_exchange(&low->page[i].state, FREE);

        if (state == RECORDED) {
            *ret_change = low->page[i].change;
            return true;
        }
    }
    return false;
}

// SPDX-License-Identifier: MIT
#include "kind/fault_sample.h"

#include "lib/span.h"
#include "lib/splitmix.h"

enum { SLOT_FREE, SLOT_WRITING, SLOT_WHOLE };

/* Where fault number n goes: FAULT_SAMPLE_MAX or more is nowhere. */
static uint64_t place_of(uint64_t n)
{
    return n < FAULT_SAMPLE_MAX ? n : splitmix_mix(n * SPLITMIX_STEP) % (n + 1);
}

void fault_sample_add(struct fault_sample *sample, const struct fault *fault)
{
    uint64_t place = place_of(atomic_fetch_add(&sample->n_seen, 1));
    struct fault_sample_slot *slot;

    if (place >= FAULT_SAMPLE_MAX)
        return;
    slot = &sample->slot[place];
    /* Of two that come to a place at once, the second is left out. */
    if (atomic_exchange(&slot->state, SLOT_WRITING) == SLOT_WRITING)
        return;
    log_record_pack(fault, slot->words);
    atomic_store(&slot->state, SLOT_WHOLE);
}

bool fault_sample_of_page(const struct fault_sample *sample, uint64_t page, struct fault *ret)
{
    for (size_t i = 0; i < FAULT_SAMPLE_MAX; i++) {
        const struct fault_sample_slot *slot = &sample->slot[i];

        if (log_record_addr(slot->words) >> PAGE_SHIFT == page &&
            atomic_load(&slot->state) == SLOT_WHOLE && log_record_unpack(slot->words, ret))
            return true;
    }
    return false;
}

size_t fault_sample_list(const struct fault_sample *sample, struct fault *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < FAULT_SAMPLE_MAX; i++) {
        const struct fault_sample_slot *slot = &sample->slot[i];

        if (atomic_load(&slot->state) == SLOT_WHOLE && log_record_unpack(slot->words, &ret[n]))
            n++;
    }
    return n;
}

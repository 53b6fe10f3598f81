// SPDX-License-Identifier: MIT
#include "log/pending_bits.h"

#include "lib/crc32c.h"

#define BIT_BITS 40
#define BIT_MASK ((UINT64_C(1) << BIT_BITS) - 1)

/* Never 0: the check of bit 0 is not. */
static uint64_t entry_of(uint64_t bit)
{
    uint64_t check = crc32c(&bit, sizeof(bit));

    return bit | check << BIT_BITS;
}

void pending_bits_add(struct pending_bits *pending, uint64_t bit)
{
    uint64_t wanted = entry_of(bit);

    for (uint32_t i = 0; i < PENDING_BITS_MAX; i++) {
        _Atomic uint64_t *entry = &pending->entry[(bit + i) % PENDING_BITS_MAX];
        uint64_t there = 0;

        if (atomic_compare_exchange_strong(entry, &there, wanted) || there == wanted) {
            atomic_store(&pending->any, 1);
            return;
        }
    }
    atomic_fetch_add(&pending->lost, 1);
}

bool pending_bits_take(struct pending_bits *pending, uint32_t *at, uint64_t *ret_bit)
{
    while (*at < PENDING_BITS_MAX) {
        _Atomic uint64_t *entry = &pending->entry[(*at)++];
        uint64_t there = atomic_load_explicit(entry, memory_order_relaxed);

        if (!there)
            continue;
        there = atomic_exchange(entry, 0);
        if (there == entry_of(there & BIT_MASK)) {
            *ret_bit = there & BIT_MASK;
            return true;
        }
        atomic_fetch_add(&pending->lost, 1);
    }
    return false;
}

// SPDX-License-Identifier: MIT
#include "cover/cover_schedule.h"

#include "lib/minmax.h"

#define PAUSE_US UINT64_C(1000000) /* at least, and SHARE times what the derivation took... */
#define SHARE    10
#define SLACK_US UINT64_C(500000) /* ...unless a page would wait too long: polls are late, too */

/* At least half of took_us is left to testing. */
static uint64_t pause_after(uint64_t took_us)
{
    uint64_t wanted = max_u64(PAUSE_US, SHARE * took_us), fresh = COVER_SCHEDULE_MAX_US - SLACK_US;
    uint64_t longest = max_u64(fresh > 2 * took_us ? fresh - 2 * took_us : 0, took_us / 2);

    return min_u64(wanted, longest);
}

enum derivation cover_schedule_due(const struct cover_schedule *f, uint64_t us, uint64_t bad_pages)
{
    if (us < f->next_us)
        return DERIVE_NOTHING;
    if (bad_pages != f->derived_pages)
        return DERIVE_FAST;
    return f->last == DERIVE_FAST && us >= f->next_full_us ? DERIVE_FULL : DERIVE_NOTHING;
}

void cover_schedule_derived(struct cover_schedule *f, enum derivation derivation,
                            uint64_t bad_pages, uint64_t began_us, uint64_t ended_us)
{
    uint64_t took_us = ended_us - began_us;

    f->derived_pages = bad_pages;
    f->last = derivation;
    if (derivation == DERIVE_FAST) {
        f->next_us = ended_us + pause_after(took_us);
        f->next_full_us = ended_us + max_u64(PAUSE_US, SHARE * took_us);
    }
}

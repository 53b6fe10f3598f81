// SPDX-License-Identifier: MIT
/*
 * When to derive the cover again: soon after a bad page was found, but in at most a tenth of the
 * boot CPU's time if that is soon enough. Quickly while pages keep coming, thoroughly once they
 * have stopped.
 */
#pragma once

#include <stdint.h>

/*
 * No bad page waits longer than this for a line that covers it, if a derivation takes less than 2
 * seconds. A page that is found as a derivation begins waits for that, the pause, and the next one.
 */
#define COVER_SCHEDULE_MAX_US UINT64_C(5000000)

enum derivation { DERIVE_NOTHING, DERIVE_FAST, DERIVE_FULL };

/* All zeros: nothing has been derived. */
struct cover_schedule {
    uint64_t derived_pages; /* bad pages that the current cover covers */
    enum derivation last;
    uint64_t next_us, next_full_us; /* not before these times */
};

/* What is due at us microseconds, with bad_pages known. */
enum derivation cover_schedule_due(const struct cover_schedule *f, uint64_t us, uint64_t bad_pages);

/* The lines were derived from bad_pages bad pages, from began_us to ended_us. */
void cover_schedule_derived(struct cover_schedule *f, enum derivation derivation,
                            uint64_t bad_pages, uint64_t began_us, uint64_t ended_us);

// SPDX-License-Identifier: MIT
/*
 * Finding and repairing what has been damaged in the log, group by group, while other CPUs go on
 * logging. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log/log_store.h"

/* What was wrong in one block of a part. It has been repaired before this is reported. */
struct log_damage {
    const void *at; /* the first word that was wrong, or the block's head */
    uint64_t bits;  /* of that word, the wrong ones; 0: the head */
    uint32_t words; /* that were wrong */
    enum log_part part;
    uint32_t block; /* its number, or the group's */
    bool lost;      /* uncorrectable: the content was guessed */
};

struct log_listener {
    void (*damaged)(void *ctx, const struct log_damage *damage);
    void *ctx;
};

/*
 * Reads all of a group. False: another CPU is changing the log, and whether there is damage is
 * unknown; try again.
 */
bool log_scrub_group(struct log_store *store, uint32_t group, struct log_listener listener);

/*
 * The same, one group after the other. True: all have been read. A store without copy B has nothing
 * to be compared.
 */
bool log_scrub_all(struct log_store *store, struct log_listener listener);

/*
 * Sets the pending bits that are not set yet, and calls on_set for each; those that cannot be
 * decided now stay pending.
 */
void log_scrub_pending(struct log_store *store, struct log_listener listener,
                       void (*on_set)(void *ctx), void *ctx);

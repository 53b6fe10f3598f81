// SPDX-License-Identifier: MIT
/*
 * The copies of the fault log, and what was wrong in a page of one of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_COPIES     3
#define LOG_PAGE_WORDS 512 /* 4 KiB */

/* It has been repaired before it is reported. */
struct log_damage {
    const void *at; /* the first word that was wrong */
    uint64_t bits;  /* of that word, the wrong ones */
    uint32_t words; /* that were wrong; 0: none */
    uint32_t copy;
    bool lost; /* no copy shows what some of them were: it was guessed. Of the first copy */
};

/* Counts a word that was wrong; they come in order. */
static inline void log_damage_add(struct log_damage *damage, const void *at, uint64_t bits)
{
    if (!damage->words++) {
        damage->at = at;
        damage->bits = bits;
    }
}

// SPDX-License-Identifier: MIT
/*
 * Errors of memory that ECC has corrected or only detected, counted for the verdict: together, and
 * by the channel that reports them. Pure: the host tests it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fmt.h"

#define ECC_CHANNELS_MAX 32 /* errors of further ones are counted in the sums only */
#define ECC_CHANNEL_SIZE 40 /* of a name, with the closing NUL */

struct ecc_channel {
    char name[ECC_CHANNEL_SIZE]; /* "node 1, UMC 3": as the hardware names it */
    uint64_t corrected, uncorrected;
};

/* All zero: none yet. Sums stay at UINT64_MAX where they would go beyond. */
struct ecc_count {
    uint64_t corrected, uncorrected;
    uint64_t with_page; /* of both: the page is known and bad */
    struct ecc_channel channel[ECC_CHANNELS_MAX];
    size_t n_channels;
};

struct ecc_error {
    uint64_t count; /* that many at once */
    bool corrected;
    bool has_page;
    const char *channel; /* "": not known */
};

void ecc_count_add(struct ecc_count *c, const struct ecc_error *error);

/*
 * "ECC corrected 43 errors in 1 page", "ECC corrected 5 errors, and could not correct 1 (2 of them
 * in 1 page)". with_page: of both, those that are in the bad pages. There must be one.
 */
void ecc_append_errors(uint64_t corrected, uint64_t uncorrected, uint64_t with_page,
                       uint64_t bad_pages, struct fmt_buffer *out);

/* The page of n errors, which were added without a page, was found later. */
void ecc_count_find_page(struct ecc_count *c, uint64_t count);

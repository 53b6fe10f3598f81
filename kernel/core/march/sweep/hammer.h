// SPDX-License-Identifier: MIT
/*
 * Row hammer: rows of DRAM that are opened very often between two refreshes of their neighbours,
 * or kept open for long, disturb these: bits flip in rows that were not written.
 *
 * What is known:
 * - 139,000 openings of one row within a refresh period of 64 ms flipped bits of DDR3 (Kim et al.,
 *   "Flipping Bits in Memory Without Accessing Them", ISCA 2014). It takes fewer when both
 *   neighbours of the victim are opened in turn: 4,800 of each for the weakest LPDDR4 (Kim et al.,
 *   "Revisiting RowHammer", ISCA 2020).
 * - Modules that watch for such rows and refresh their neighbours fail when there are many
 *   (Frigo et al., "TRRespass", S&P 2020).
 * - Rows that stay open for microseconds flip bits after one to two orders of magnitude fewer
 *   openings, and other bits (Luo et al., "RowPress", ISCA 2023).
 *
 * What is guessed, which the user must know: which addresses are neighbouring rows. A memory
 * controller first spreads addresses over the columns, banks and channels, and only then goes on
 * to the next row. So the guess is that the next row of all banks is some power of two higher:
 * every size from 64 KiB (a channel of 8 banks) to 1 MiB is tried. Between them, every
 * 8 KiB (the row of one bank) belongs to another bank, in whatever way the controller mixes
 * address bits to choose it. So a "row" here is a row of all banks, all are hammered at a time,
 * and the mixing need not be known. Banks work in parallel, so this slows each only a little. A
 * wrong guess still hammers some rows; memory that passes may have flips that no guess provoked.
 *
 * Aggressor rows hold the complement of what all others hold, in both polarities.
 */
#pragma once

#include "lib/span.h"
#include "sweep/engine.h"

/* A good size for the region of a round: all patterns find place in it. */
#define HAMMER_REGION_BYTES (UINT64_C(8) << 20)

/*
 * Aggressors keep this far from the ends of the region, the longest distance between rows: what
 * they disturb is in the region, where it is noticed, and not in okram itself. So regions should
 * overlap by twice as much, or some rows never have their turn.
 */
#define HAMMER_MARGIN_BYTES (UINT64_C(1) << 20)

#define HAMMER_BANK_BYTES UINT64_C(8192) /* of a row, in one bank */
#define HAMMER_ALL_SIDES  UINT32_MAX

/*
 * Line reads for each site: with 16 ns for one it is two refresh periods. An aggressor is opened,
 * in each bank, once every sides * row_bytes / HAMMER_BANK_BYTES * columns of them.
 */
#define HAMMER_READS (UINT64_C(1) << 23)

struct hammer_pattern {
    const char *name;
    uint64_t row_bytes; /* guessed distance of neighbours: a power of two, at least the bank's */
    uint32_t sides;     /* aggressors, 2 or more; fewer when no more find place */
    uint32_t step;      /* rows from one to the next: 2: with one victim between them */
    uint32_t columns;   /* lines read in each bank while the row is open, up to 128 */
};

/* Aggressors that are hammered together. */
struct hammer_site {
    uint64_t first; /* physical address of the lowest aggressor row */
    uint64_t step_bytes;
    uint32_t sides;
};

/*
 * The table: for each distance many-sided, double-sided, single-sided hammering (a second row, too
 * far to have a common victim, closes the first) and pressing. NULL past the end.
 */
const struct hammer_pattern *hammer_pattern(size_t i);

/* How many sites the pattern has in a region: 0 if it is too small. */
uint64_t hammer_sites(const struct hammer_pattern *pattern, struct span region);

/* Site number i, from 0 to hammer_sites() - 1. */
struct hammer_site hammer_site(const struct hammer_pattern *pattern, struct span region,
                               uint64_t i);

/* Whether phys is in one of the site's aggressor rows. */
bool hammer_is_aggressor(const struct hammer_pattern *pattern, const struct hammer_site *site,
                         uint64_t phys);

/*
 * For each site of the region, in both polarities: writes the region, reads the aggressors' lines
 * over and over, about n_reads reads in all and each line at least once, and verifies the region.
 * stopped(ctx) is asked every millisecond or so; from when it says yes it must go on to say yes:
 * what has been hammered is still verified, and then the round ends. Does nothing when the region
 * has no site. Returns how often it wrote or read the whole region around the hammering. Hammers
 * best when one CPU of a node does it at a time: others' reads take the banks' time.
 */
uint64_t hammer_round(const struct sweep *sweep, struct slice region,
                      const struct hammer_pattern *pattern, uint64_t n_reads,
                      bool (*stopped)(void *ctx), void *ctx);

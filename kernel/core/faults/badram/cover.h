// SPDX-License-Identifier: MIT
/*
 * The BadRAM cover: few address/mask patterns that cover every bad page and few good ones.
 *
 * It has two limits. A bootloader's line has room for a number of patterns; and because GRUB turns
 * each contiguous run of covered RAM into an entry of a memory map that holds 168, the runs
 * (*ranges*) are limited too. Within both, the least RAM is given up.
 *
 * GRUB on BIOS needs some patterns several times, in a certain order (grub_holes.h). Where its
 * map is given, a cover holds the pairs as they are to be written.
 *
 * The folder: pattern.h is the arithmetic of patterns and what they cost. The searches merge
 * patterns (merge.h), split and anneal a division of the pages (division.h), or choose blocks
 * (block_cover.h). grub_holes.h simulates GRUB. make bench-cover shows what each is worth.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "badram/block_cover.h"
#include "badram/division.h"
#include "badram/grub_holes.h"
#include "badram/merge.h"
#include "badram/pattern.h"
#include "lib/fmt.h"
#include "lib/status.h"
#include "log/fault_log.h"

/* What the badram line is good for, on this machine and by the loader that started okram. */
enum badram_use {
    BADRAM_WORKS,
    BADRAM_IGNORED,          /* Secure Boot is on: GRUB ignores it; the guard works */
    BADRAM_IGNORED_NO_GUARD, /* so it does, and firmware is 32-bit, for which there is no guard */
    BADRAM_FALLS_SHORT,      /* GRUB on BIOS leaves some of the bad pages in use */
};

#define COVER_PATTERNS_MAX GRUB_PAIRS_MAX

/* This many ranges are not a limit, and are not counted further. */
#define COVER_RANGES_MAX UINT64_C(65536)

struct cover {
    /* In the order to write: by address, ascending; with GRUB's map as it needs them, some twice or
     * more. */
    struct pattern pattern[COVER_PATTERNS_MAX];
    size_t n_patterns;         /* repetitions included */
    bool grub_bios_misses;     /* GRUB on BIOS would leave some of it in use: no order helps */
    uint64_t sacrificed_pages; /* RAM pages covered, bad ones included; no page counts twice */
    uint64_t ranges;           /* contiguous runs of covered RAM: GRUB makes a map entry of each */
};

struct cover_limits {
    size_t max_patterns;        /* 1 or more; more than COVER_PATTERNS_MAX are not used */
    uint64_t max_ranges;        /* 1 or more; COVER_RANGES_MAX or more: no limit */
    const struct grub_map *map; /* of GRUB on BIOS; NULL: on UEFI, or the line is for no GRUB */
};

/* Working memory of cover_derive(): less than 400 KiB, of any content. */
struct cover_work {
    struct pattern atom[DIVISION_ATOMS_MAX];
    size_t n_atoms;
    struct pattern_set set;
    struct merge_list list;
    struct division division;
    union {
        struct split_work split;
        struct anneal_best anneal;
        struct block_cover_work blocks;
        struct few_blocks_work few;
        struct grub_bios_order_work turns;
    };
    struct cover best, trial;
    bool hit_range_limit; /* some cover made too many */
    bool pairs_bind;      /* some cover needed too many */
};

/*
 * Covers every bad page of the log. Any number of bad pages will do; with none the cover is empty.
 * The log may grow meanwhile: pages that come during the call may or may not be covered.
 *
 * max_patterns always holds; with GRUB's map it limits the pairs, repetitions included. max_ranges
 * holds wherever it can, as ret_cover->ranges shows: RAM's own gaps divide what is covered, so that
 * a single block may make several ranges. That GRUB on BIOS registers all comes before max_ranges;
 * ret_cover->grub_bios_misses is set where even one block over all is not registered.
 * STATUS_INVALID: a limit is 0.
 */
enum status cover_derive(const struct fault_log *log, const struct cover_limits *limits,
                         struct cover_work *work, struct cover *ret_cover);

/* The same in a fraction of the time; more good pages may be lost. */
enum status cover_derive_quickly(const struct fault_log *log, const struct cover_limits *limits,
                                 struct cover_work *work, struct cover *ret_cover);

/*
 * How many good pages a cover of up to max_ranges ranges spares, compared with the given one,
 * within the other limits.
 */
uint64_t cover_spares(const struct fault_log *log, const struct cover_limits *limits,
                      uint64_t max_ranges, const struct cover *cover, struct cover_work *work);

/*
 * GRUB's badram line is `badram=0xADDR,0xMASK[,0xADDR,0xMASK...]`, lower case, without spaces and
 * leading zeros, ADDR == ADDR & MASK, the mask's bits 0-11 and 52-63 clear. Bits above the
 * machine's RAM may be set in a mask.
 */

/* Bytes, with the closing NUL, that the badram line of n patterns needs at most. */
#define BADRAM_LINE_BYTES(n) (sizeof("badram=") + (n) * sizeof("0xfffffffffffff,0xffffffffff000"))

/* GRUB 2.06 to 2.14 stops where the pairs, in quotes, take more characters. */
#define BADRAM_PAIRS_CHARS_MAX 8188
_Static_assert(BADRAM_LINE_BYTES(COVER_PATTERNS_MAX) - sizeof("badram=") <= BADRAM_PAIRS_CHARS_MAX,
               "no cover is too long for GRUB");

/* "0xADDR,0xMASK,...": the pairs alone. */
void cover_append_pairs(struct fmt_buffer *out, const struct cover *cover);

/* Appends the badram line, without an end of line; nothing when the cover is empty. */
void badram_line_append(struct fmt_buffer *out, const struct cover *cover);

// SPDX-License-Identifier: MIT
/*
 * Which slices of memory were swept when a machine check without an address came. Corrected errors
 * raise no exception: a CPU finds one in a bank when it polls, and several CPUs may share the bank.
 * So the error came while any of them swept a slice, since the last time that the bank was read.
 *
 * "When" is counted, not measured, because the CPUs' time stamp counters may differ: whatever is
 * noted takes the next number of one counter. Lock-free, and pure: the host tests it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "mce/mca_decode.h"

#define SWEPT_SLICES    64   /* the last ones of each CPU */
#define SWEPT_SPANS_MAX 1024 /* of one report: hundreds of CPUs may be sweeping */
#define SWEPT_REPORTS   4    /* that wait for the boot CPU */

/* All zero: nothing has happened yet. */
typedef _Atomic uint64_t swept_clock;

uint64_t swept_now(swept_clock *clock);

struct swept_slice {
    _Atomic uint64_t base, size, began, ended; /* began 0: none, or about to change */
};

/* All zero: nothing was swept. Written by one CPU, read by any. */
struct swept_ring {
    struct swept_slice slice[SWEPT_SLICES];
    _Atomic uint64_t n; /* that have begun */
};

/* Around each slice, on the ring's CPU. */
void swept_begin(struct swept_ring *ring, swept_clock *clock, struct span slice);
void swept_end(struct swept_ring *ring, swept_clock *clock);

/* Both numbers of the counter. */
struct swept_window {
    uint64_t from, to;
};

/* A machine check, and what was swept since its bank had been read before. */
struct swept_report {
    struct mca_record record;
    struct span span[SWEPT_SPANS_MAX];
    size_t n;
    bool is_partial; /* there was more, which is no longer known or for which there was no room */
};

/* Adds what the CPU of this ring swept within the window; slices that adjoin are joined. */
void swept_collect(const struct swept_ring *ring, struct swept_window window,
                   struct swept_report *report);

/* Reports on their way from any CPU to the boot CPU. All zero: none. */
struct swept_reports {
    struct {
        atomic_uint state;
        struct swept_report report;
    } place[SWEPT_REPORTS];
};

/* Any CPU: an empty report to be filled, then put. NULL: there is no room. Never waits. */
struct swept_report *swept_reports_claim(struct swept_reports *r);
void swept_reports_put(struct swept_reports *r, struct swept_report *report);

/* Boot CPU: one that was put, or NULL; it stays good until it is freed. */
struct swept_report *swept_reports_take(struct swept_reports *r);
void swept_reports_free(struct swept_reports *r, struct swept_report *report);

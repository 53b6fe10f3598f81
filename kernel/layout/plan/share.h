// SPDX-License-Identifier: MIT
/*
 * The memory that is tested, shared out among the CPUs, and walks over a CPU's
 * share. The boot CPU shares out, between tests; the CPUs only read the shares.
 *
 * A run has one `struct shares` (run/run.h). Each share_* function fills
 * it anew. Between tests it has the main part.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/spans.h"
#include "lib/status.h"
#include "memory/arena.h"
#include "plan/found.h"
#include "plan/plan.h"
#include "sweep/engine.h"

/* A part of memory that one CPU sweeps. */
struct share_part {
    uint32_t worker;  /* index into the workers given */
    struct span span; /* whole lines */
};

/*
 * Memory of a share can be cut at the borders of some parts of it (cuts), each of which is kept or
 * left out. Spans are cut in the same places whichever cuts are left out.
 */
enum {
    CUT_KEPT = 1,
    CUT_LEFT_OUT,
};

/* No word of it is 0, if its base is not: self/own_aliases.c. */
struct cut {
    struct span span; /* not empty */
    uint64_t state;   /* CUT_KEPT or CUT_LEFT_OUT */
};

struct shares {
    struct plan *plan;       /* whose workers they are, all of whose memory they are of */
    struct found *found;     /* pages given up as aliases, which walks leave out */
    struct spans tested;     /* it may be written to */
    struct share_part *part; /* part[first[w]] to part[first[w + 1] - 1] are worker w's */
    size_t *first;
    uint64_t *bytes; /* of each worker */
    size_t max_parts;
    struct cut *cuts, *cuts_end; /* where walks are cut. Never NULL: self/own_aliases.c */
    size_t max_cuts;
    struct spans spans; /* room for places, and for what is tested with what okram has left */
};

/* Takes memory of the arena. After plan_allocate. */
void share_prepare(struct shares *ret, struct plan *plan, struct found *found);

/* Shares out the main part: all that is to be tested except where okram is. */
void share_main(struct shares *shares);

/*
 * Shares out n places where okram was, PLAN_PLACES_MAX at most; or one place and `also`, unless
 * that is NULL. okram is in none of them now.
 */
void share_vacated(struct shares *shares, const struct footprint *const *place, size_t n,
                   const struct spans *also);

enum share_cuts {
    SHARE_ALL_BUT_OKRAM, /* walks leave out the place that okram is in */
    SHARE_REST,          /* walks leave out all places */
};

/*
 * Shares out all that is to be tested, including where okram is: in one of n places,
 * PLAN_PLACES_MAX at most. Spans are cut at the borders of these places, so that sections and
 * slices of the rest are the same whichever of them okram is in. `tested` is the main part.
 * STATUS_NO_SPACE: they have too many borders, and nothing is shared out anew.
 */
enum status share_with_cuts(struct shares *shares, const struct footprint *const *cut_at, size_t n,
                            enum share_cuts which);

/* Shares out `tested` again, after a change of the workers or of their speeds. */
void share_rebuild(struct shares *shares);

/* The bytes of the largest share. */
uint64_t share_max_bytes(const struct shares *shares);

/* A worker's share's bytes first to first + size - 1, its parts counted one after the other. */
struct share_piece {
    uint32_t worker;
    uint64_t first, size;
    bool down; /* from the highest down */
};

/*
 * Cuts a piece into spans of adjoining memory and calls visit for each, from the lowest up, or
 * down. They are cut at the next page border of memory, so that no page is cut in two. Leaves out
 * pages given up as aliases, and what share_with_cuts leaves out. Ends early when the run is
 * stopped.
 *
 * For example, a share has the parts 0x10000-0x13fff and 0x20000-0x25fff, 0xa000 bytes. The page at
 * 0x11000 is given up, and share_with_cuts leaves out the page at 0x22000:
 *
 *     first 0, size 0x4800, up          0x10000-0x10fff, 0x12000-0x13fff, 0x20000-0x20fff
 *     first 0x4800, size 0x5800, down   0x23000-0x25fff, 0x21000-0x21fff
 *
 * Byte 0x4800 of the share is at 0x20800: the two spans meet at the next page border, 0x21000.
 */
void share_walk(const struct shares *shares, struct share_piece piece,
                void (*visit)(void *ctx, struct span span), void *ctx);

/* The memory of a span of tested RAM. */
struct slice share_slice(struct span span);

/* The longest part of a span in which no page is given up as an alias; size 0: there is none. */
struct span share_longest_kept(const struct shares *shares, struct span span);

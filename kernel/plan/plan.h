// SPDX-License-Identifier: MIT
/*
 * What this run tests, and who tests which part of it, now. The boot CPU makes it, between tests.
 *
 * Where range= or nodes= leave room, okram moves out of what is tested once, before the first test.
 * Else okram's own memory is tested like all other, but not at the same time. So each test is done
 * in two parts: the main part is all memory but where okram lives; then okram moves (self/move.h),
 * and the same test goes over the memory that it has left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "alias/aliases.h"
#include "badram/cover.h"
#include "boot/boot_info.h"
#include "event/events.h"
#include "log/fault_log.h"
#include "memory/arena.h"
#include "memory/pieces.h"
#include "options/options.h"
#include "plan/shares.h"

struct plan {
    struct pieces ram;      /* all of it: tested in this run, or not and why */
    struct pieces pieces;   /* what is tested now: free to be written to */
    struct worker *workers; /* the CPUs chosen by cpus= */
    uint32_t *worker_cpus;  /* their numbers */
    size_t n_workers;
    struct share_part *part;         /* of pieces; part[first[w] … first[w + 1] - 1] are */
    size_t *first;                   /* worker w's */
    struct span *spans, *order;      /* each room for as many as there are parts, for any use */
    uint64_t wanted_bytes;           /* of range= and nodes=, but what firmware keeps */
    uint64_t tested_bytes;           /* in both parts */
    struct event_untested *untested; /* room for as many as there are pieces */
    struct cover_limits limits;      /* of the badram line */
    struct grub_map grub_map;        /* booted by BIOS: limits.map */
};

extern struct plan plan;

/*
 * The faults found so far, and the pages they are in. What is tested has bits in it, and so much of
 * the other RAM as keeps it small; of the rest it takes some (log/log_pages.h).
 */
extern struct fault_log fault_log;

/* Pages that reach the same cells as others, and are no longer tested. */
extern struct aliases aliases;

/*
 * From the machine as found and the options; the main part comes first. Pages that boot found bad
 * are in the fault log then. Takes the last memory of the arena.
 */
void plan_make(const struct boot_info *boot, const struct options *options);

/* What is tested now: all but where okram lives. */
void plan_share_main(void);

/* What is tested now: where okram lived and, unless it is NULL, `also` (okram is in neither). */
void plan_share_left(const struct arena_place *left, const struct pieces *also);

/* What of a place is to be tested; ret has room for all pieces and spans. */
void plan_list_tested(const struct arena_place *place, struct pieces *ret);

/* Whether okram lives in memory that is to be tested, and so has to move. */
bool plan_includes_arena(void);

/*
 * Memory that could be tested, but is outside of range= or nodes=. ret has room for plan.ram.n.
 * Returns how many spans that is.
 */
size_t plan_list_outside(struct span *ret);

/* A test has gone over the main part; over what okram had left. */
void plan_main_is_tested(void);
void plan_left_is_tested(void);

/* The run has ended: what no test has gone over does not count as tested. */
void plan_end(void);

/* Whether so many bytes are 99 % of what is wanted. */
bool plan_is_complete(uint64_t tested_bytes);

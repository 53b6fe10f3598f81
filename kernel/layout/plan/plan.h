// SPDX-License-Identifier: MIT
/*
 * What this run tests, and which CPU tests which part of it, now. Made by the boot CPU, between
 * tests.
 *
 * If range= or nodes= leave room, okram moves out of what is tested once, before the first test.
 * Otherwise the memory that holds okram is tested like all other memory, but at another time. So
 * each test has two parts: the main part is all memory except where okram is; then okram moves
 * (self/move.h), and the same test covers the memory that it has left. (A march that waits twice:
 * testing/split_wait.h. A march that goes up, down and up again: testing/three_legs.h.)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "alias/aliases.h"
#include "badram/cover.h"
#include "event/events.h"
#include "external/external.h"
#include "external/low_memory.h"
#include "kind/fault_sample.h"
#include "log/fault_log.h"
#include "memory/arena.h"
#include "memory/pieces.h"
#include "options/options.h"
#include "plan/shares.h"

/* Below, other CPUs start, and firmware may write: okram does not move there. */
#define PLAN_LOW_END LOW_MEMORY_END

/* Why RAM is not tested, other than RAM that firmware keeps: texts for the report. */
enum plan_exclusion {
    EXCLUDED_OKRAM,
    EXCLUDED_RANGE,
    EXCLUDED_NODE,
    EXCLUDED_PARK,
    EXCLUDED_PART_LINE,
    EXCLUDED_STOPPED,
    EXCLUDED_HAMMER,
    EXCLUDED_TOO_HIGH,
    EXCLUDED_PAGE_0,
    EXCLUDED_LOW_ROM,
    EXCLUDED_LOWMEM,
    EXCLUDED_UEFI,
    EXCLUDED_USB,
    EXCLUDED_ERROR_SOURCE,
};
extern const char *const plan_exclusion[];

struct plan {
    struct pieces ram;      /* all of it: tested in this run, or not and why */
    struct spans tested;    /* what is to be tested of it, as it is before the first test */
    struct worker *workers; /* the CPUs chosen by cpus= that have a share now */
    uint32_t *worker_cpus;  /* their numbers */
    size_t n_workers, max_workers;
    uint64_t wanted_bytes;           /* of range= and nodes=, without what firmware and USB keep */
    uint64_t left_out_bytes;         /* what range=, nodes= and lowmem= leave out */
    uint64_t tested_bytes;           /* in both parts */
    bool tolerate_low_changes;       /* what changes below PLAN_LOW_END is not a fault */
    struct event_untested *untested; /* room for all pieces, and memory that is not RAM */
    struct cover_limits limits;      /* of the badram line */
    bool newer_grub_takes_more;      /* ranges than limits: by UEFI, and where nobody set ranges= */
};

extern struct plan plan;

/*
 * The faults found so far, and the pages they are in. What is tested has bits in it, and as much of
 * the other RAM as keeps it small; of the rest it takes some pages (log/log_counts.h).
 */
extern struct fault_log fault_log;

/* One fault each of bad pages all over the memory. */
extern struct fault_sample fault_sample;

/* Pages that reach the same cells as others, and are no longer tested. */
extern struct aliases aliases;

/* Lines and low memory that a device or firmware may have written to. */
extern struct external external;
extern struct low_memory low_memory;

/*
 * What is to be tested (plan.ram), and by which CPUs, from the machine and the options. Takes
 * memory of the arena, as plan_allocate does.
 */
void plan_make(const struct options *options);

/* The rest of the plan, once most of okram's memory is there: its place cuts pieces. */
void plan_allocate(void);

/* After a change of plan.workers: the numbers that plan_worker returns. */
void plan_index_workers(void);

/* A CPU's index in plan.workers. Meaningless for a CPU that was never one of them. */
uint32_t plan_worker(uint32_t cpu);

/* The most places that okram was in that are left out, or tested together. */
#define PLAN_PLACES_MAX 3

/* The most spans that n_places have. */
#define PLAN_PLACES_SPANS(n_places) ((n_places)*footprint_runs())

/* Lists n of okram's places by address; their spans are not joined. ret has room for all. */
void plan_list_places(const struct footprint *const *place, size_t n, struct spans *ret);

/* How much of a place is to be tested. */
uint64_t plan_tested_bytes(const struct footprint *place);

/* Whether okram is in memory that is to be tested, and so has to move. */
bool plan_includes_arena(void);

/* Adds memory that could be tested, but is outside of range= or nodes=: plan.ram.n spans at most.
 */
void plan_list_outside(struct spans *ret);

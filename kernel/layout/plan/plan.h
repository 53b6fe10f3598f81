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

#include "acpi/madt.h"
#include "badram/cover.h"
#include "boot/boot_info.h"
#include "event/events.h"
#include "external/low_memory.h"
#include "memory/arena.h"
#include "memory/pieces.h"
#include "options/options.h"

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

/* The speed of the fastest CPU. */
#define WORKER_FULL_SPEED 1000

struct worker {
    uint32_t cpu;   /* its number */
    uint32_t node;  /* index into node_map */
    uint32_t speed; /* at most WORKER_FULL_SPEED; 0: unknown, counts as that */
};

/* A worker that has no share for a while: plan/lost_cpus.h. */
struct absent_worker {
    uint32_t busy; /* the CPU; 0: none */
    bool is_worker;
    struct worker worker; /* if it is one */
    size_t at;            /* its place among them */
};

struct plan {
    struct pieces ram;      /* all of it: tested in this run, or not and why */
    struct spans tested;    /* what is to be tested of it, as it is before the first test */
    struct worker *workers; /* the CPUs chosen by cpus= that have a share now */
    uint32_t *worker_cpus;  /* their numbers */
    size_t n_workers, max_workers;
    uint16_t worker_of_cpu[MADT_CPUS_MAX + 1]; /* index into workers, of those that ever were one */
    struct absent_worker absent;
    uint64_t wanted_bytes;           /* of range= and nodes=, without what firmware and USB keep */
    uint64_t left_out_bytes;         /* what range=, nodes= and lowmem= leave out */
    uint64_t tested_bytes;           /* in both parts */
    bool tolerate_low_changes;       /* what changes below PLAN_LOW_END is not a fault */
    struct event_untested *untested; /* room for all pieces, and memory that is not RAM */
    struct cover_limits limits;      /* of the badram line */
    bool newer_grub_takes_more;      /* ranges than limits: by UEFI, and where nobody set ranges= */
};

/*
 * The limits of the badram line, and the memory map to which GRUB applies it. Takes memory of the
 * arena.
 */
void plan_make_limits(struct plan *plan, const struct boot_info *boot,
                      const struct options *options);

/*
 * What is to be tested (its `ram`), and by which CPUs, from the machine and the options. plan: all
 * zeros, or with limits. Takes memory of the arena, as plan_allocate does.
 */
void plan_make(struct plan *plan, const struct options *options);

/* The rest of the plan, once most of okram's memory is there: its place cuts pieces. */
void plan_allocate(struct plan *plan);

/* After a change of its workers: the numbers that plan_worker returns. */
void plan_index_workers(struct plan *plan);

/* A CPU's index in the workers. Meaningless for a CPU that was never one of them. */
static inline uint32_t plan_worker(const struct plan *plan, uint32_t cpu)
{
    return plan->worker_of_cpu[cpu];
}

/* The most places that okram was in that are left out, or tested together. */
#define PLAN_PLACES_MAX 3

/* The most spans that n_places have. */
#define PLAN_PLACES_SPANS(n_places) ((n_places)*footprint_runs())

/* Lists n of okram's places by address; their spans are not joined. ret has room for all. */
void plan_list_places(const struct footprint *const *place, size_t n, struct spans *ret);

/* How much of a place is to be tested. */
uint64_t plan_tested_bytes(const struct plan *plan, const struct footprint *place);

/* Whether okram is in memory that is to be tested, and so has to move. */
bool plan_includes_arena(const struct plan *plan);

/* Adds memory that could be tested, but is outside of range= or nodes=: as many spans as `ram` has
 * at most. */
void plan_list_outside(const struct plan *plan, struct spans *ret);

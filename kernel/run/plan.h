/*
 * What this run tests, and who tests which part of it. Made once by the boot CPU, then only read.
 */
#pragma once

#include <stdint.h>

#include "boot/boot_info.h"
#include "faults/aliases.h"
#include "faults/cover.h"
#include "faults/fault_log.h"
#include "memory/pieces.h"
#include "options/options.h"
#include "run/events.h"
#include "run/shares.h"

struct plan {
    struct pieces pieces;   /* all RAM: tested, or not and why */
    struct worker *workers; /* the CPUs chosen by cpus= */
    uint32_t *worker_cpus;  /* their numbers */
    size_t n_workers;
    struct share_part *part; /* part[first[w] … first[w + 1] - 1] are worker w's */
    size_t *first;
    uint64_t tested_bytes;
    struct event_untested *untested; /* room for as many as there are pieces */
    struct cover_limits limits;      /* of the badram line */
    struct grub_map grub_map;        /* booted by BIOS: limits.map */
};

extern struct plan plan;

/* The faults found so far, and the pages they are in: over all RAM of the machine. */
extern struct fault_log fault_log;

/* Pages that reach the same cells as others, and are no longer tested. */
extern struct aliases aliases;

/* From the machine as found and the options. Takes the last memory of the arena. */
void plan_make(const struct boot_info *boot, const struct options *options);

/* The run was stopped before any test had gone over all memory: no piece counts as tested. */
void plan_nothing_tested(void);

// SPDX-License-Identifier: MIT
/*
 * A run: what is to be tested and how, what has been tested, and what was found. kernel_main has
 * the one there is, and hands it down; a function takes all of it, or the part that it uses.
 *
 * Boot CPU only, with two exceptions: any CPU may add to the fault log, the aliases and `external`
 * (their headers), and all may read the rest while they work.
 */
#pragma once

#include "calibration/selection.h"
#include "cpus/cpu_pool.h"
#include "heat/heat.h"
#include "options/options.h"
#include "plan/found.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "plan/tested.h"
#include "plan/unpaired.h"

struct saver;
struct stick;

struct run {
    struct found found; /* first: tests/system/placement.py */
    struct options options;
    struct plan plan;
    struct shares shares; /* of the memory under test */
    struct selection selection;
    struct tested tested;
    struct unpaired unpaired;
    struct saver *saver; /* of its report, */
    struct stick *stick; /* which it also writes to */
    const char *cmdline; /* by BIOS: the options from GRUB, for the next start of cycles= */
    struct heating heating;
    struct cpu_poll poll; /* what the boot CPU does meanwhile: loop/poll.h */
};

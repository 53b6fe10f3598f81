// SPDX-License-Identifier: MIT
/* The options of okram-guard.efi: words as in a kernel command line (options/words.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bootcfg/lines.h"

#define GUARD_PATROL_MAX_S 240u /* firmware's watchdog may reset after 5 minutes */

/* Linux has room for some 1500, but starts very slowly with more than these (docs/guard.md). */
#define GUARD_RUNS_DEFAULT LINES_STUB_RANGES

struct guard_options {
    uint32_t max_runs; /* runs=N: most runs of pages to mask */
    unsigned patrol_s; /* patrol=SECONDS: test memory for so long at each boot; 0: do not */
    bool is_quiet;     /* quiet=on: nothing is printed */
    char wrong[48];    /* the last word that is no option of these, or ""; perhaps cut */
};

/* Later words win. What is wrong changes nothing else. */
void guard_options_read(const char *text, struct guard_options *options);

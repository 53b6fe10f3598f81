// SPDX-License-Identifier: MIT
/* The options of okram-guard.efi: words as in a kernel command line (options/words.h). */
#pragma once

#include <stdbool.h>

#include "guardlist/guard_choose.h"

#define GUARD_PATROL_MAX_S 240u /* firmware's watchdog may reset after 5 minutes */

struct guard_options {
    struct guard_limits limits; /* runs=N: most runs of pages to mask */
    unsigned patrol_s; /* patrol=SECONDS: test memory for so long at each boot; 0: do not */
    bool is_quiet;     /* quiet=on: nothing is printed */
    char wrong[48];    /* the last word that is not one of these options, or ""; perhaps cut */
};

struct guard_options guard_options_default(void);

/* Later words win. What is wrong changes nothing else. */
void guard_options_read(const char *text, struct guard_options *options);

/*
 * Of options that anybody can have written, Secure Boot being on: runs= and quiet= are as by
 * default, and of good memory less may be masked. True: one of them was given.
 */
bool guard_options_distrust(struct guard_options *options);

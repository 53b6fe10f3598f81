// SPDX-License-Identifier: MIT
/* How long a test will take on this machine, roughly: docs/performance.md has the model. Pure. */
#pragma once

#include <stdint.h>

#include "lib/fmt.h"
#include "options/options.h"

struct menu_machine {
    uint64_t ram_bytes;
    unsigned n_cpus;
    /* How long one CPU sweeps a byte in this test; 0: it cannot be measured. */
    double (*seconds_a_byte)(const struct test *test);
};

/* Seconds until these options end the run; passes=0: of one pass. 0: unknown. */
double menu_time_of(const struct menu_machine *machine, const struct options *options);

/* ", about 2 minutes"; with passes=0 and no limit ", about 2 minutes a pass". "": unknown. */
void menu_time_append(const struct menu_machine *machine, const struct options *options,
                      struct fmt_buffer *out);

/*
 * This machine, with what a march takes in a small piece of its memory. NULL: that cannot be
 * measured here. Firmware's; on 32-bit firmware always NULL.
 */
const struct menu_machine *menu_machine_find(void);

// SPDX-License-Identifier: MIT
/*
 * How long a test will take on this machine, roughly. Pure.
 *
 * The model is that of docs/performance.md: sweeps x bytes x the time of a byte / speed-up + waits
 * + start. Measured at each start: the time of a byte, by one CPU, for each march, and what the
 * first write to memory takes longer (a host provides a guest's memory then). Constants: the start
 * and bandwidth=quick, 3 s, where runs in QEMU took about 2; bandwidth=full, a guess; and how
 * often a test waits. Guessed: how much faster all CPUs are than one, because firmware's ways to
 * run code on them are known to hang on some boards. So it is wrong where one CPU already has all
 * bandwidth, where sockets have many channels, and where a host is busy or has fewer CPUs than it
 * shows. Once the run has begun, its screen shows the time left by its own, measured speed.
 */
#pragma once

#include <stdint.h>

#include "lib/fmt.h"
#include "options/options.h"

struct menu_machine {
    uint64_t ram_bytes;
    unsigned n_cpus;
    /* How long one CPU sweeps a byte in this test; 0: it cannot be measured. */
    double (*seconds_a_byte)(const struct test *test);
    double touch_s_a_byte; /* that the first write to it takes longer than others */
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

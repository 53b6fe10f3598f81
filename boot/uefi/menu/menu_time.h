// SPDX-License-Identifier: MIT
/*
 * How long a test will take on this machine, roughly. Pure.
 *
 * The model is that of docs/performance.md: sweeps x bytes x the time of a byte / speed-up + waits
 * + start. Measured at each start: the time of a byte, by one CPU, for each march, and what the
 * first write to memory takes longer (a host provides a guest's memory then). Measured once a key
 * was pressed: how much faster all CPUs are than one, by the march that most tests resemble, for a
 * tenth of a second. Until then, and where it cannot be measured, one CPU's time is given, as "up
 * to". It waits for a key because firmware's ways to run code on all CPUs are known to hang on some
 * boards: a count-down starts a test on these, too. Of fewer CPUs than all, each counts as one
 * until the speed of all is reached. Constants: the start and bandwidth=quick, 3 s, where runs in
 * QEMU took about 2; bandwidth=full, a guess; and how often a test waits. So it is wrong where
 * tests differ in how many CPUs they can use, where memory near a CPU is faster than the piece it
 * was measured on, and where a host becomes busy later. Once the run has begun, its screen shows
 * the time left by its own, measured speed.
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
    double speed_up;       /* of all CPUs compared with one; 0: not known */
    void (*try_all)(void); /* measures speed_up, in less than two seconds; or NULL */
};

/* Of a CPU: that it swept, and in what time. */
struct menu_rate {
    uint64_t bytes, ticks;
};

/* How many times as fast n CPUs together are as one alone; 0: one of them did nothing. */
double menu_time_speed_up(struct menu_rate alone, const struct menu_rate *together, unsigned n);

/*
 * How long it is until these options end the run: ", about 2 minutes", or ", up to 2 minutes"; with
 * passes=0 and no limit ", about 2 minutes a pass". "": unknown.
 */
void menu_time_append(const struct menu_machine *machine, const struct options *options,
                      struct fmt_buffer *out);

/*
 * This machine, with what a march takes in a small piece of its memory. NULL: that cannot be
 * measured here. Firmware's; on 32-bit firmware always NULL.
 */
const struct menu_machine *menu_machine_find(void);

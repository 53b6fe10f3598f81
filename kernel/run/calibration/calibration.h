// SPDX-License-Identifier: MIT
/*
 * How long a march takes on a little of the tested memory, whose content is lost: measured before
 * the tests, to choose line operations and to share memory out by the speed of each CPU. Boot CPU,
 * after plan_make, all other CPUs idle. Times are of each CPU's own time stamp counter.
 */
#pragma once

#include <stdint.h>

#include "cpus/cpu_pool.h"
#include "lib/span.h"
#include "plan/share.h"
#include "sweep/data.h"
#include "sweep/line_ops.h"
#include "sweep/march.h"
#include "sweep/order.h"

/* Operations like those of most tests, with waits between the operations on a line. */
#define CALIBRATION_MARCH "any(w0);up(r0,w1);any(r1)"
#define CALIBRATION_WAITS "any(w0);up(r0,r0,w1,w1)"

/* Where trials are made, and what the boot CPU does between them. */
struct trials {
    struct shares *shares;
    const struct cpu_poll *poll;
};

struct calibration {
    const struct line_ops *ops;
    enum order_lanes lanes;
    struct data data;
    struct march march;
};

/* The notation must be valid. */
struct calibration calibration_init(const struct line_ops *ops, const char *notation,
                                    enum order_lanes lanes);

/* At most most_bytes of a worker's share where no page is given up as an alias. Size 0: none. */
struct span calibration_piece(const struct shares *shares, uint32_t worker, uint64_t most_bytes);

/*
 * Like calibration_piece, guarded against aliases of okram's own memory (self/own_aliases.h): it
 * may be written.
 */
struct span calibration_span(struct trials trials, uint32_t worker, uint64_t most_bytes);

/* Runs it once, on the calling CPU. Returns the ticks. */
uint64_t calibration_run(const struct calibration *t, struct span s);

/* Bytes a tick that a worker's CPU sweeps: the best of some rounds. 0: unknown. */
double calibration_speed(struct trials trials, const struct calibration *t, uint32_t worker,
                         unsigned rounds, struct span s);

/*
 * memory_types.c: RAM to which MTRRs do not give the type write-back, and RAM whose type differs
 * between CPUs: a finding each, with the cost as measured, sent as a warning. Once, after
 * speeds_measure. If a hypervisor's firmware has left MTRRs off, they say nothing, and there are no
 * findings.
 */
void memory_types_report(struct trials trials, const struct line_ops *ops);

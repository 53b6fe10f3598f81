// SPDX-License-Identifier: MIT
/*
 * The machine-check architecture on the running CPU: its banks turned on, polled, and read when the
 * machine-check exception comes. Their records go into one queue (mce/mca_decode.h). Banks are
 * cleared when they have been read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"
#include "mce/mca_decode.h"
#include "mce/swept.h"

/* On the boot CPU, once the number of CPUs is known and before any other CPU's mca_enable. */
void mca_prepare(uint32_t n_cpus);

/*
 * On every CPU: reports what the banks hold as from before, has them report all that they can (SDM
 * vol. 3B, 15.8), and turns on the exception: without it a machine check is a silent reset.
 */
void mca_enable(void);

/* On the running CPU: reads its banks if that is due; cheap if not. */
void mca_poll(void);

/* Reads the running CPU's banks in any case. */
void mca_poll_now(void);

/*
 * On the running CPU, around each slice that a test sweeps: where a corrected error without an
 * address may have come from. After some slices the next mca_poll reads the banks.
 */
void mca_sweep_begin(struct span slice);
void mca_sweep_end(struct span slice);

/*
 * Boot CPU: a corrected error of memory without a usable address, with what was swept when it came;
 * NULL: none. Some of those that mca_next returns are missing, if there was no room. The caller
 * frees it.
 */
struct swept_report *mca_swept_take(void);
void mca_swept_free(struct swept_report *report);

/*
 * For MCA_RETRY: asks whether the line at a physical address may be overwritten, which makes it
 * readable again. Called in the exception. Without it, no line is overwritten.
 */
void mca_set_is_free(bool (*is_free)(const void *ctx, uint64_t phys), const void *ctx);

/*
 * While okram is copied to other memory a record would stay in the old place: until this is turned
 * off again, errors that a CPU survives stay in its banks, for the next poll.
 */
void mca_defer(bool on);

/* How often that has happened: each exception changes a stack, and so okram's memory. */
uint64_t mca_deferred(void);

/*
 * Boot CPU, or the CPU that panics (skip, see mce/mca_queue.h): the next machine check. It stays
 * the next until mca_done, so that a panic that comes in between finds it again.
 */
bool mca_next(bool skip, struct mca_record *ret);
void mca_done(void);

/* Machine checks that were lost because too many arrived at once. */
uint64_t mca_lost(void);

// SPDX-License-Identifier: MIT
/*
 * Machine checks and NMIs, sent as events. A machine check with an address in memory marks its page
 * as bad in the fault log.
 */
#pragma once

#include "log/fault_log.h"
#include "mce/mca_decode.h"
#include "plan/plan.h"

/*
 * Sends what the banks held before okram started. From now on machine checks are sent. After
 * log_memory_begin.
 */
void mce_emit_begin(const struct plan *plan, struct fault_log *log);

/* Called for each machine check of this run, before its event is sent. */
void mce_emit_set_listener(void (*hear)(void *ctx, const struct mca_record *record), void *ctx);

/* Boot CPU, repeatedly: sends what is new; cheap when nothing is. */
void mce_emit_poll(struct fault_log *log);

/* Boot CPU, at the end of each round, all other CPUs idle: all CPUs read their banks. */
void mce_emit_collect(struct fault_log *log);

/*
 * In a panic, with the other CPUs stopped. A record that was being sent has been counted, but its
 * line may be cut off: it is sent again. Before mce_emit_begin nothing is sent.
 */
void mce_emit_rest(struct fault_log *log);

/* Boot CPU, at the end of the run: sends the counts not sent yet and the number of NMIs. */
void mce_emit_finish(struct fault_log *log);

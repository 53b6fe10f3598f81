// SPDX-License-Identifier: MIT
/*
 * Machine checks and NMIs, sent as events. A machine check with an address in memory marks its page
 * as bad in the fault log.
 */
#pragma once

#include "mce/mca_decode.h"

/*
 * Sends what the banks held before okram started. From now on machine checks are sent. After
 * log_memory_begin.
 */
void mce_emit_begin(void);

/* Called for each machine check of this run, before its event is sent. */
void mce_emit_set_listener(void (*hear)(const struct mca_record *record));

/* Boot CPU, repeatedly: sends what is new; cheap when nothing is. */
void mce_emit_poll(void);

/* Boot CPU, at the end of each round, all other CPUs idle: all CPUs read their banks. */
void mce_emit_collect(void);

/* Boot CPU, at the end of the run: sends the counts not sent yet and the number of NMIs. */
void mce_emit_finish(void);

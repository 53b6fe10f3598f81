// SPDX-License-Identifier: MIT
/*
 * What the boot CPU does from time to time while all CPUs work: keys, the power button, the time
 * limit, the upkeep of okram's own memory, new faults and machine checks, the cover and the
 * progress. Boot CPU only.
 */
#pragma once

#include <stdint.h>

/* The next key that was pressed; -1: none. */
typedef int (*poll_key_source)(void);

/* Called when a person asks for the report so far, before it is sent. */
typedef void (*poll_report_hook)(void);

/* Before this call poll_due does nothing. */
void poll_begin(poll_key_source key, poll_report_hook ask);

/* Does what is due; cheap when nothing is. */
void poll_due(void);

/* Calls poll_due for us microseconds, or until a person stops the run. */
void poll_for(uint64_t us);

/*
 * The result was sent: from now on poll_due does nothing but answer the keys, and remembers that
 * one asked for a restart.
 */
void poll_take_restart(void);

/* Answers the keys until a person asks, or has asked, for a restart. */
void poll_until_restart(void);

// SPDX-License-Identifier: MIT
/*
 * The boot CPU's eye on the run while all CPUs work: progress and time left, keys, the time limit,
 * new faults, and the cover kept current. Only the boot CPU calls it; progress_is_stopped and
 * progress_swept are for every CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/events.h"
#include "options/options.h"

/* The keys a person may press, from wherever they come; -1: none now. */
typedef int (*progress_key_source)(void);

/* Called when a person asks for the report so far, before it is sent. */
typedef void (*progress_ask)(void);

void progress_begin(const struct options *options, uint32_t n_cpus, progress_key_source key,
                 progress_ask ask);

/* What is going on now, for the progress events. test "" and n_tests 0 outside tests. */
void progress_phase(const char *phase, uint32_t pass, const char *test, uint32_t test_index,
                 uint32_t n_tests);

/* The bytes that a whole pass sweeps, and the time that it spends otherwise; begins a pass. */
void progress_pass(uint64_t pass_total_bytes, uint64_t pass_wait_us);

/* So much of the other time has passed. */
void progress_waited(uint64_t us);

/* So many bytes will be swept once more: a test begins anew. */
void progress_again(uint64_t bytes);

/* A CPU has swept so many bytes more. */
void progress_swept(uint32_t cpu, uint64_t bytes);

/* All bytes swept since progress_begin. */
uint64_t progress_total_swept(void);

/* Tells of an alias that the given test found. */
void progress_tell_alias(const struct alias *alias, uint32_t pass, uint32_t test);

/* Tells of an alias of okram's own memory, which no test found. */
void progress_tell_own_alias(const struct alias *alias);

/* Looks after everything that is due; cheap when nothing is. */
void progress_poll(void);

/* Whether the run shall end: by the key q, or time=. */
bool progress_is_stopped(void);

/* Sends the faults not yet told, the final badram event and the lines of lines=. */
void progress_finish(void);

/* The run is over: answers the keys for ever. */
_Noreturn void progress_serve(void);

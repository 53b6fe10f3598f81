// SPDX-License-Identifier: MIT
/*
 * How far the run has come: what is being done, the bytes swept, and the time left. Boot CPU only,
 * except progress_swept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/events.h"
#include "options/options.h"
#include "run/run.h"

/* What a whole pass takes. wait_s: of pauses, which take as long on any machine. */
struct time_left_pass {
    uint64_t sweep_bytes;
    double work, wait_s;
};

/* Takes memory of the arena. */
void progress_begin(const struct options *options, uint32_t n_cpus);

/* What is being done, for the progress events. Outside tests, test is "" and n_tests 0. */
void progress_phase(const char *phase, uint32_t pass, const char *test, uint32_t test_index,
                    uint32_t n_tests);

/* Begins a pass that sweeps pass_total_bytes. */
void progress_pass(uint64_t pass_total_bytes, struct time_left_pass pass);

/* A test of the pass begins: the bytes that it sweeps, and what each costs (struct selection). */
void progress_test(double cost, uint64_t bytes);

/* us microseconds of the pass's pauses are over. */
void progress_waited(uint64_t us);

/* Traffic has paused for us microseconds. */
void progress_paused(uint64_t us);

/* What the modules' heat does to the run, for people; "": nothing. It stays valid. */
void progress_heat(const char *text);

/* The test was skipped: what was left of it, and of the us microseconds that it pauses, is not
 * done. */
void progress_skip(uint64_t us);

/* Bytes will be swept once more: a test is repeated. */
void progress_add_repeat(uint64_t bytes);

/* The run has lasted as long as time= allows. */
bool progress_time_is_up(void);

/* A CPU has swept `bytes` more bytes. */
void progress_swept(uint32_t cpu, uint64_t bytes);

/* Boot CPU: bytes were swept in a test that a pass's total does not count. */
void progress_add_uncounted(uint64_t bytes);

/* All bytes swept since progress_begin. */
uint64_t progress_total_swept(void);

/* Of a run with tests=stability; of others all is 0. */
struct error_rate progress_error_rate(const struct run *run);

/* No more tests: sends the last progress event. */
void progress_end(const struct run *run);

/* Sends a progress event, at most a few times a second. */
void progress_send(const struct run *run);
void progress_send_when_due(const struct run *run);

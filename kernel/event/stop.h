// SPDX-License-Identifier: MIT
/*
 * Whether the run is to end early: by the key q, Ctrl-C or time=; or its current test alone, by the
 * key n. Any CPU may ask, and asks often.
 */
#pragma once

#include <stdbool.h>

void stop_request(void);
/* Of the run, or of the test. */
bool stop_is_requested(void);

/* The current test is to end: as a stop, until stop_take_skip. Nothing between tests. Boot CPU. */
void stop_request_skip(void);
bool stop_is_skip(void);

/* Around tests: whether one that has ended now was skipped; `begins`: another is under way. */
bool stop_take_skip(bool begins);

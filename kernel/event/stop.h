// SPDX-License-Identifier: MIT
/*
 * Whether the run is to end early: by the key q, Ctrl-C or time=. Any CPU may ask, and asks often.
 */
#pragma once

#include <stdbool.h>

void stop_request(void);
bool stop_is_requested(void);

// SPDX-License-Identifier: MIT
/* Work after the driver's entry point has returned, when nothing can end the driver any more. */
#pragma once

#include <stdbool.h>

/* Does the work. False: a panic ended it. */
bool guard_attempt(void (*work)(void));

/* Of panic(): ends the work that is being done; returns if there is none. */
void guard_attempt_end(void);

// SPDX-License-Identifier: MIT
/* The event of a module that is not as its SPD states (spd/geometry.h). Boot CPU, all others idle.
 */
#pragma once

#include "run/run.h"
#include "spd/geometry.h"

/* Sends it if there is a finding, and another one than was sent last. */
void geometry_emit(const struct run *run);

/* By the last one. */
const struct geometry *geometry_emit_found(void);

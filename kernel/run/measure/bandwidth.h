// SPDX-License-Identifier: MIT
/*
 * The bandwidth part of a run: what each node's memory can do.
 */
#pragma once

#include "options/options.h"
#include "plan/share.h"

/* Takes memory of the arena: before plan_make. */
void bandwidth_prepare(const struct options *options);

/*
 * Measures what bandwidth= asks for and emits it as events, then what the figures mean as warnings.
 * Tested memory loses its content. Ends early when the run is stopped.
 */
void bandwidth_measure(const struct shares *shares, const struct options *options);

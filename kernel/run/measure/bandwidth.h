// SPDX-License-Identifier: MIT
/* The bandwidth part of a run: how fast each node's memory is. */
#pragma once

#include "run/run.h"

/* Takes memory of the arena: before plan_make. */
void bandwidth_prepare(const struct options *options);

/*
 * With all CPUs, including one that may still be in firmware: measures what bandwidth= asks for and
 * sends the figures as events, then the findings as warnings. Tested memory loses its content. Ends
 * early when the run is stopped.
 */
void bandwidth_measure(struct run *run);

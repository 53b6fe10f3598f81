// SPDX-License-Identifier: MIT
/* Idle latency, node by node, which another section shows, too. */
#pragma once

#include <stdbool.h>

#include "screen/grid.h"
#include "screen/screen_measured.h"

/* Whether there is some of more than one pair of nodes. */
bool matrix_has_latency(const struct measured *m);

/* With a heading, in at most MEASURED_NODES_MAX + 2 rows from this one on. */
void matrix_paint_latency(const struct measured *m, struct grid *g, unsigned row);

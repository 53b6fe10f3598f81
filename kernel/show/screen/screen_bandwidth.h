// SPDX-License-Identifier: MIT
/*
 * The page of bandwidth and latency, node by node. One pair of nodes is a table, several are a
 * matrix of each measurement: those that fit, the most important first. Then caches.
 */
#pragma once

#include "display/grid.h"
#include "screen/screen_state.h"

/* Keeps what an event says of it. */
void screen_bandwidth_receive(struct screen_measured *m, const struct event *e);

bool screen_bandwidth_exists(const struct screen_state *s);

void screen_bandwidth_paint(const struct screen_state *s, struct grid *g);

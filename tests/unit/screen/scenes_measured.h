// SPDX-License-Identifier: MIT
/* What bandwidth=full measures, told as events: figures as a machine could have them. */
#pragma once

#include "event/events.h"

/* Where a scene's events go. */
struct event_sink {
    void (*receive)(void *ctx, const struct event *e);
    void *ctx;
};

#define SCENE_LOCAL_MB_S  40123.4 /* read by all CPUs of a node */
#define SCENE_REMOTE_MB_S 21987.6
#define SCENE_LOCAL_NS    91.2
#define SCENE_REMOTE_NS   143.8

/* The nodes are 0 to nodes - 1, each with its CPUs and memory, and have been told of. */
void scene_measure(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink);

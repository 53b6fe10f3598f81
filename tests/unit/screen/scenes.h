// SPDX-License-Identifier: MIT
/* Runs as the screen and the reports may meet them, told as events to any sink. */
#pragma once

#include "event/events.h"
#include "scenes_measured.h"

#define SCENE_CPUS_OF_NODE 8

struct scene {
    const char *name;
    unsigned nodes;
    size_t n_warnings, n_patterns, n_faults;
    bool ended, stopped;
    bool measured;     /* by bandwidth=full: all there is to measure */
    const char *phase; /* of the last progress event; NULL: none was sent */
};

extern const struct scene scenes[];
extern const size_t n_scenes;

const struct scene *scene_find(const char *name);

void scene_play(const struct scene *scene, struct event_sink sink);

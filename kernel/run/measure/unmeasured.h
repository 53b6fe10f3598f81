// SPDX-License-Identifier: MIT
/* Why figures are not there that bandwidth= asks for: unmeasured events. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/events.h"

/* Why there is no latency where there is memory. */
#define FAULTY_CHAIN "the memory is faulty: a pointer chain in it is damaged"

/*
 * Says why figures of a node's CPUs with a node's memory are not there, unless measuring is over;
 * SITES_NONE: of all.
 */
void unmeasured_send(const char *what, uint32_t cpu_node, uint32_t mem_node, const char *why);

#define ONE_CPU_ALONE "only one CPU is in use"

/* Whether there are runs; if not, says why. */
bool unmeasured_has_runs(const struct event_stats *s, const char *what, uint32_t cpu_node,
                         uint32_t mem_node);

// SPDX-License-Identifier: MIT
/* The lines of the text log (report/text.h) with what bandwidth= measures. */
#pragma once

#include "event/events.h"
#include "report/writer.h"

void text_cache(const struct writer *out, double t, const struct event_cache *c);
void text_bandwidth(const struct writer *out, double t, const struct event_bandwidth *b);
void text_latency(const struct writer *out, double t, const struct event_latency *m);
void text_contention(const struct writer *out, double t, const struct event_contention *c);
void text_redundancy(const struct writer *out, double t, const struct event_redundancy *r);

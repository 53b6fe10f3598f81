// SPDX-License-Identifier: MIT
/* The lines of the text log (report/text.h) with what bandwidth= measures. */
#pragma once

#include "report/text.h"

void text_cache(struct text_log *l, const struct event_cache *c);
void text_bandwidth(struct text_log *l, const struct event_bandwidth *b);
void text_latency(struct text_log *l, const struct event_latency *m);
void text_contention(struct text_log *l, const struct event_contention *c);
void text_redundancy(struct text_log *l, const struct event_redundancy *r);

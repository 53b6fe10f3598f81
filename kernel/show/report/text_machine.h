// SPDX-License-Identifier: MIT
/* The lines of the text log (report/text.h) that say what okram was started with, and on what. */
#pragma once

#include "event/events.h"
#include "report/writer.h"

void text_start(const struct writer *out, double t, const struct event_start *s);

/* n_warned: how many of its warnings have been written. */
void text_machine(const struct writer *out, double t, const struct event_machine *m,
                  size_t n_warned);

void text_node(const struct writer *out, double t, const struct event_node *n);
void text_support(const struct writer *out, double t, const struct support *s);

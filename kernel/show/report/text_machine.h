// SPDX-License-Identifier: MIT
/* The lines of the text log (report/text.h) that say what okram was started with, and on what. */
#pragma once

#include "report/text.h"

void text_start(struct text_log *l, const struct event_start *s);
void text_machine(struct text_log *l, const struct event_machine *m);
void text_node(struct text_log *l, const struct event_node *n);
void text_support(struct text_log *l, const struct support *s);

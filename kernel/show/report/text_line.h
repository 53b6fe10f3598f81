// SPDX-License-Identifier: MIT
/*
 * For text.c and its parts: what the lines of the text log have in common, time and label first,
 * and the lines that have files of their own.
 */
#pragma once

#include "event/events.h"
#include "lib/fmt.h"
#include "lib/span.h"
#include "report/format_text.h"

struct text_log {
    struct fmt_buffer out; /* a stream */
    char room[256];        /* its buffer */
    double t;              /* of the event that is written */
    struct rate_limit pace;
    double next_progress; /* not before this time */
    size_t n_warnings;    /* written before the machine event, which repeats them */
    bool has_result;
    const char *headline;          /* what counts more than this run's verdict, or NULL */
    char advice[ADVICE_TEXT_SIZE]; /* for after the result, or "" */
    struct event_badram badram;    /* the last one */
};

/* "[     1.234] ", in seconds since kernel entry. */
#define TEXT_TIME "[%10.3f] "

/* The event's time, and a label, or "" under one, as wide as all labels are. */
void text_begin(struct text_log *l, const char *label);

/* A whole line. */
void text_line(struct text_log *l, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* In a line: "0x000000100000-0x00007ffe0000  2.0 GiB". */
void text_put_span(struct text_log *l, struct span s);

/* text_machine.c: what okram was started with, and on what. */
void text_start(struct text_log *l, const struct event_start *s);
void text_identity(struct text_log *l, const struct event_identity *i);
void text_machine(struct text_log *l, const struct event_machine *m);
void text_node(struct text_log *l, const struct event_node *n);
void text_module(struct text_log *l, const struct event_module *e);
void text_controller(struct text_log *l, const struct event_controller *c);
void text_temperature(struct text_log *l, const struct event_temperature *t);
void text_support(struct text_log *l, const struct support *s);

/* text_measured.c: what bandwidth= measures. */
void text_cache(struct text_log *l, const struct event_cache *c);
void text_bandwidth(struct text_log *l, const struct event_bandwidth *b);
void text_latency(struct text_log *l, const struct event_latency *m);
void text_cache_to_cache(struct text_log *l, const struct event_cache_to_cache *c);
void text_contention(struct text_log *l, const struct event_contention *c);
void text_redundancy(struct text_log *l, const struct event_redundancy *r);
void text_unmeasured(struct text_log *l, const struct event_unmeasured *u);

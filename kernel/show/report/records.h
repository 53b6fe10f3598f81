// SPDX-License-Identifier: MIT
/*
 * The table of records: each record of the JSON lines with its fields (lib/field_rows.h). Docs,
 * schema, the host command and the viewer are made from it: `make json-docs`.
 */
#pragma once

#include "event/events.h"
#include "lib/fields.h"
#include "saved/saved_lines.h"

/* Records that are not of an event: the first of a report that was kept. */
enum { RECORD_SAVED = EVENT_KEYS + 1, RECORD_STATE, RECORDS };

struct record {
    const char *type; /* NULL: the event is no record */
    const struct field *fields;
    size_t n_fields;
    const void *(*object)(const struct event *e); /* the struct with the values; else the event's */
    enum saved_rank rank;                         /* in UEFI variables */
    bool grouped;                                 /* there several may be one, with `also` */
#ifdef FIELD_DOCS
    const char *means;
    const char *formerly; /* its type in older reports */
    bool last_counts;     /* of several records, the last one alone */
    unsigned most;        /* that okram writes; 0: no limit */
#endif
};

extern const struct record records[RECORDS];

/* The fields of the event's record, which has one. */
void records_write(struct json *j, const struct event *e);

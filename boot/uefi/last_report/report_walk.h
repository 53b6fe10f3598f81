// SPDX-License-Identifier: MIT
/* The records of a report one by one, those that share a line (saved/saved_group.h), too. Pure. */
#pragma once

#include "saved/saved_read.h"

/*
 * What the further records of such lines may have together: a report that makes more of them is
 * not okram's, and files have room for this.
 */
#define REPORT_FURTHER_MAX SAVED_JSONL_MAX

struct report_walk {
    const char *line; /* NULL: at the end */
    size_t k, further;
    char record[SAVED_JSONL_MAX];
};

void report_walk_begin(struct report_walk *w, const struct saved_report *report);

/* The next record, of that type, or with NULL of any. NULL: there is none any more. */
const char *report_walk_next(struct report_walk *w, const char *type);

/* The last line of that type, of which each record has a line of its own. NULL: there is none. */
const char *report_walk_last(const struct saved_report *report, const char *type);

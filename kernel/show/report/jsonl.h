// SPDX-License-Identifier: MIT
/*
 * Events as JSON lines, one record a line: `serial=jsonl`. report/records.c is the table of records
 * and fields. Strings are plain ASCII, addresses and 64-bit words are strings "0x…", sizes are
 * bytes, a value that is not a number is null.
 */
#pragma once

#include "event/events.h"
#include "lib/warn.h"
#include "report/format_text.h"
#include "lib/fmt.h"

#define JSONL_LATE_MAX 16 /* further ones are dropped: the screen and the text log have them */

struct jsonl {
    struct writer out;
    struct rate_limit pace; /* pace.ask = true: the next badram object is written in any case */
    bool machine_written, result_written;
    char late[JSONL_LATE_MAX][WARNING_TEXT_MAX]; /* warnings for the result object */
    size_t n_late;
    uint64_t passes, bad_pages; /* the last known: for the result of a panic */
};

struct jsonl jsonl_make(struct writer out);

/* The sink: ctx is a struct jsonl. Progress is not written. */
void jsonl_receive(void *ctx, const struct event *e);

/*
 * The result of a run that could not go on: nothing counted as tested, the bad pages known by then,
 * and why, in `reason` and in `error`. The last record.
 */
void jsonl_panic(struct jsonl *l, double t, enum reason reason, const char *text);

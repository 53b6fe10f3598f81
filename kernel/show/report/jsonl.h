// SPDX-License-Identifier: MIT
/*
 * Events as JSON lines, one object a line: `serial=jsonl`. docs/jsonl.schema.json describes every
 * field. Strings are plain ASCII, addresses and 64-bit words are strings "0x…", sizes are bytes, a
 * value that is not a number is null.
 *
 * Objects and fields that are there only when needed:
 * - `alias`, after the test that found it: two lines that reach the same cells as an example, addr
 *   the higher one; diff: the address bits in which all pairs of pages differ, "0x0" for lines of
 *   one page, null when they vary; and the number of pairs. An alias that grows is written again
 *   with the same diff. Test "own memory": one page is in okram's own memory; pass 0: before tests.
 * - `line`, with lines=, for each but badram= itself, after the last badram object.
 * - `trace`, with trace=, but not after the result.
 * - in a test object `seed`, when its data depend on it, and `note`, a remark on the test.
 * - in an mce object `count`, of errors so far at this bank and address, and `page`, which was
 *   marked bad because the address is a physical one.
 * - in the result `reason`, of an error; `warnings`, those after the machine object, and `error`,
 * why it could not go on.
 */
#pragma once

#include "event/events.h"
#include "lib/warn.h"
#include "report/badram_snapshot.h"
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
 * The result of a run that could not go on: status "error", nothing counted as tested, the
 * bad pages known by then, and why, in `reason` (if it is not NULL) and in `error`. The last
 * object.
 */
void jsonl_panic(struct jsonl *l, double t, const char *reason, const char *text);

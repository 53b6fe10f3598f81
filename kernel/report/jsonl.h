// SPDX-License-Identifier: MIT
/*
 * Events as JSON lines, one object a line: the `serial=jsonl` of the contract (DESIGN.md, "JSON
 * lines"). Strings are plain ASCII, addresses and 64-bit words are strings "0x…", sizes are bytes,
 * a number that is none is null.
 *
 * Beyond the contract, only where there is something to say: `alias` objects {addr, partner, diff,
 * pages, test, pass}, of alias/aliases.h, after the test that found them, or test "own memory" and
 * the pass at hand, or 0, when one page is in memory that okram lives in: an example of two lines
 * that reach the same cells, addr the higher one; the address bits in which all pairs of pages
 * differ, "0x0" for lines of one page, null when they vary; and how many pairs there are. One that
 * grows is written again, with the same diff. `line` objects {name, place, text, note} when lines=
 * is given, for each beside badram= itself, after the last badram object: where a person puts the
 * text, which may have several lines, and what it costs. In a test object, `seed` when its data
 * depend on it, and `note`: what a reader must know of the test. In an mce object, `count` of
 * errors so far at the same bank and address, when there are several, and `page`: the one that was
 * marked bad, when the address is a physical one. Further, `warnings` in the result object, those
 * that came after the machine object; `error` in the result of a run that an internal error ended;
 * and `warning` objects {text}, for those that come after the result.
 */
#pragma once

#include "event/events.h"
#include "lib/warn.h"
#include "report/pace.h"
#include "report/writer.h"

#define JSONL_LATE_MAX 16 /* further ones are dropped: the screen and the text log have them */

struct jsonl {
    struct writer out;
    struct pace pace; /* pace.ask = true: the next badram object is written in any case */
    bool machine_told;
    char late[JSONL_LATE_MAX][WARNING_TEXT_MAX]; /* warnings for the result object */
    size_t n_late;
    bool result_written;
    uint64_t passes, bad_pages; /* as last heard of: what a panic can still tell */
};

struct jsonl jsonl_make(struct writer out);

/* The sink: ctx is a struct jsonl. Progress is not written. */
void jsonl_receive(void *ctx, const struct event *e);

/*
 * The result of a run that okram itself broke off: status "error", nothing counted as tested, the
 * holes known by then, and why, in `error`. The last object.
 */
void jsonl_panic(struct jsonl *l, double t, const char *text);

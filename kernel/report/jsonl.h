/*
 * Events as JSON lines, one object a line: the `serial=jsonl` of the contract (DESIGN.md, "JSON
 * lines"). Strings are plain ASCII, addresses and 64-bit words are strings "0x…", sizes are bytes,
 * a number that is none is null.
 *
 * Beyond the contract: {"t":…,"type":"warning","text":…} for a warning that came after the machine
 * object; an earlier one stands in that object's `warnings`.
 */
#pragma once

#include "report/pace.h"
#include "report/writer.h"
#include "run/events.h"

struct jsonl {
    struct writer out;
    struct pace pace; /* pace.ask = true: the next badram object is written in any case */
    bool machine_told;
};

struct jsonl jsonl_make(struct writer out);

/* The sink: ctx is a struct jsonl. Progress is not written. */
void jsonl_receive(void *ctx, const struct event *e);

/* {"t":…,"type":"panic","text":…}: the last object of a run that okram itself broke off. */
void jsonl_panic(const struct writer *out, double t, const char *text);

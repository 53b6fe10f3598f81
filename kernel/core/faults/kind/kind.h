// SPDX-License-Identifier: MIT
/*
 * What kind of fault the memory has, from what the run knows of it: which words were wrong, and in
 * which bits; which tests found them; how often; and whether their pages were bad again. The rules,
 * and how often they are right, are in docs/kinds.md.
 *
 * How the machine spreads addresses over channels, ranks, banks and rows is not known, and most
 * machines XOR address bits for it. So the rules rely on what all such maps have in common
 * (kind_evidence.h): where rows and columns can be; and that a line of 64 bytes is one burst, and
 * data pin d of a channel that is w bits wide carries the bits d, d + w, ... of the line.
 *
 * The folder: fault_sample.h gathers faults of all over the memory; kind_evidence.h makes words of
 * what a run knows of its faults, and says where they are and how often they come; kind_lanes.h, in
 * which data pins, and so in which chip; kind_cpu.h, whether it is memory or a CPU; kind_channel.h,
 * how wide a channel is, and which one it was; kind.c has the rules, and the words of kinds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/kind_cpu.h"
#include "kind/kind_lanes.h"
#include "kind/kind_evidence.h"
#include "lib/fmt.h"

enum kind {
    KIND_NONE,    /* there is no fault */
    KIND_UNCLEAR, /* no rule applies, or memory is encrypted */
    KIND_CELL,    /* one cell */
    KIND_CELLS,   /* a few, that have nothing in common */
    KIND_ROW,     /* word lines: cells in one row of a bank, or in up to four next to each other */
    KIND_COLUMN,  /* a bit line: a cell in many rows of one bank */
    KIND_PIN,     /* a data pin (DQ) of a chip, of the module or of the slot */
    KIND_CHIP,    /* one chip, or much of it */
    KIND_ADDRESS_LINE, /* an address pin or decoder: two addresses reach the same cells */
    KIND_RETENTION,    /* cells that lose their data while they are not read or written */
    KIND_COUPLING,     /* cells that are changed by accesses to others; row hammer, too */
    KIND_EVERYWHERE,   /* at changing places: settings, voltage, controller, heat */
    KINDS,
};

/* How often a verdict with it was right in simulation: docs/kinds.md. */
enum kind_confidence { KIND_POSSIBLE, KIND_LIKELY, KIND_SURE, KIND_CONFIDENCES };

#define KIND_EVIDENCE_SIZE 200

struct kind_verdict {
    enum kind kind;
    enum kind_confidence confidence;
    struct kind_lane lane;             /* the data pins that are concerned, if they are few */
    struct kind_cause_verdict cause;   /* memory or a CPU: the caller's (kind_cpu.h) */
    bool looks_written;                /* by a device, whatever kind it is (kind.c) */
    char evidence[KIND_EVIDENCE_SIZE]; /* in a line, without a full stop */
};

/* About 150 KiB: place it statically. */
struct kind_work {
    struct kind_words words;
};

/* At the end of a pass, or when something new is known. work: room to work in. */
void kind_find(struct kind_work *work, const struct kind_input *input,
               struct kind_verdict *ret_verdict);

/* Once the cause is known: faults of a CPU alone are of no kind and no chip of memory, whatever
 * they look like. */
void kind_take_cause(struct kind_verdict *verdict);

/* "1 to 4 rows (word lines)", for people; "row", for JSON; "sure", "likely", "possible". */
const char *kind_name(enum kind kind);
const char *kind_word(enum kind kind);
const char *kind_confidence_name(enum kind_confidence confidence);

/* "sure: 1 to 4 rows (word lines)"; without a confidence if it is "not clear". */
void kind_append(const struct kind_verdict *verdict, struct fmt_buffer *out);

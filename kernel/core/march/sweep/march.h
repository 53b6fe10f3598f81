// SPDX-License-Identifier: MIT
/*
 * March tests in notation: `{any(w0);up(r0,w1);down(r1,w0);del(100);any(r0)}`.
 *
 * A march is a list of elements. Each goes over all lines in one direction and does its operations,
 * in order, on one line before it goes on to the next (van de Goor, "Testing Semiconductor
 * Memories", 1991). w0 writes the test's data D (sweep/data.h), w1 its complement; r0 and r1 read
 * and compare. del(ms) waits. Braces around the list are optional and spaces between words are
 * ignored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARCH_ELEMENTS_MAX 16
#define MARCH_OPS_MAX      16       /* in one element */
#define MARCH_PAUSE_MS_MAX 86400000 /* a day */

/* What must happen before an operation so that it reaches DRAM: the rule is in sweep/line_ops.h. */
enum march_before {
    MARCH_NOTHING,
    MARCH_FENCE, /* the same line was written just before, in the same element */
    MARCH_FLUSH, /* a read whose line was last read: a cache holds it */
};

struct march_op {
    bool write;
    bool complement; /* the 1 of w1 and r1 */
    enum march_before before;
};

enum march_kind {
    MARCH_ANY, /* either direction will do */
    MARCH_UP,
    MARCH_DOWN,
    MARCH_PAUSE, /* no operations: wait pause_ms */
};

struct march_element {
    enum march_kind kind;
    uint32_t n_ops;
    struct march_op op[MARCH_OPS_MAX];
    uint32_t pause_ms;
};

struct march {
    uint32_t n_elements;
    struct march_element element[MARCH_ELEMENTS_MAX];
};

enum march_status {
    MARCH_OK,
    MARCH_UNEXPECTED,        /* not what the notation has here */
    MARCH_TOO_LONG,          /* one element or operation too many */
    MARCH_BAD_PAUSE,         /* the number in del() is outside its limits */
    MARCH_READ_BEFORE_WRITE, /* the content before the first write is unknown */
    MARCH_READS_OTHER_VALUE, /* r0 where 1 was last written, or r1 where 0 was */
};

/* Where and why a text is not a march: "position: expected …". */
struct march_error {
    enum march_status status;
    size_t position;      /* of the offending character; the text's length if it ends too soon */
    const char *expected; /* "r0, r1, w0 or w1" */
};

/* Writes *ret_march on MARCH_OK, *ret_error on every other status, which it returns. */
enum march_status march_parse(const char *text, struct march *ret_march,
                              struct march_error *ret_error);

/* Reads and writes: each is one sweep over all memory. */
uint32_t march_sweeps(const struct march *march);

/*
 * A march goes through memory in legs: a new one begins with the first element that goes the other
 * way. up(r0,w1);up(r1,w0);down(r0,w1);any(r1) has two; any is not a change. Returns how many it
 * has if all of them have the same elements, but for any; 0 if not.
 */
uint32_t march_legs(const struct march *march);

/* In which leg, from 0, the march does an element. */
uint32_t march_leg(const struct march *march, uint32_t element);

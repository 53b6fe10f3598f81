// SPDX-License-Identifier: MIT
/*
 * Fault primitives: what makes a cell fail and how it shows, in the literature's notation.
 *
 * <S/F/R>: S is the state ("0") or the operation ("0w1", "1r1") of the victim that sensitizes the
 * fault, F the state the victim then takes, R what the read gives ("-": S is not a read of the
 * victim). <Sa;Sv/F/R>: the same with an aggressor; one of Sa and Sv at most is an operation.
 *
 * Sources: van de Goor and Al-Ars, "Functional Memory Faults: A Formal Notation and a Taxonomy"
 * (VTS 2000); Hamdioui, van de Goor and Rodgers, "March SS: A Test for All Static Simple RAM
 * Faults" (MTDT 2002), which names all 12 with one cell and all 36 with two; Harutunyan, Vardanian
 * and Zorian, "Minimal March Tests for Unlinked Static Faults in RAMs" (VTS 2005; March MSS).
 *
 * Between the bits of one word the effect comes after the write of both, and wins over it (van de
 * Goor and Tlili, "March Tests for Word-Oriented Memories", DATE 1998). There the victim's state
 * may be "x", any, and F "!x", its inverse.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A state, or an operation in a state. */
enum event {
    EVENT_NONE,
    EVENT_ANY,
    EVENT_IS_0, /* the states, and each group of operations, in the order of the values */
    EVENT_IS_1,
    EVENT_READ_0,
    EVENT_READ_1,
    EVENT_WRITE_0_0, /* 0w0, 0w1, 1w0, 1w1 */
    EVENT_WRITE_0_1,
    EVENT_WRITE_1_0,
    EVENT_WRITE_1_1,
};

static inline enum event event_state(bool value)
{
    return EVENT_IS_0 + value;
}

static inline enum event event_read(bool value)
{
    return EVENT_READ_0 + value;
}

static inline enum event event_write(bool before, bool value)
{
    return EVENT_WRITE_0_0 + 2 * before + value;
}

static inline bool event_is_state(enum event e)
{
    return e == EVENT_IS_0 || e == EVENT_IS_1;
}

/* What a good cell holds before, and after it. Not of EVENT_NONE and EVENT_ANY. */
static inline bool event_before(enum event e)
{
    return e < EVENT_WRITE_0_0 ? (e - EVENT_IS_0) % 2 : (e - EVENT_WRITE_0_0) / 2;
}

static inline bool event_after(enum event e)
{
    return (e - EVENT_IS_0) % 2;
}

struct primitive {
    enum event aggressor; /* EVENT_NONE: there is none */
    enum event victim;
    bool inverts; /* F is "!x"; else: */
    bool faulty;  /* F */
    bool read;    /* R, if S is a read of the victim */
};

/* False: the text is not a primitive that the model knows. */
bool primitive_parse(const char *notation, struct primitive *ret_primitive);

/* What a column of the coverage table counts. */
enum primitive_class {
    CLASS_ONE_CELL,
    CLASS_TWO_CELL,
    CLASS_WITHIN, /* between bits that are written together: of a word, of a line */
    N_PRIMITIVE_CLASSES,
};

struct primitive_row {
    enum primitive_class class;
    const char *name; /* the literature's, of the group of which it is one */
    const char *notation;
};

#define N_ONE_CELL   12
#define N_TWO_CELL   36
#define N_WITHIN     10
#define N_PRIMITIVES (N_ONE_CELL + N_TWO_CELL + N_WITHIN)

extern const struct primitive_row primitive_rows[N_PRIMITIVES];

/*
 * Two primitives with one victim that hide each other (S. Hamdioui, Z. Al-Ars, A. van de Goor, M.
 * Rodgers, "Linked Faults in Random Access Memories", IEEE TCAD 2004): the first leaves the victim
 * with the wrong value, and no read shows that at once; the second begins there, and flips it.
 */
enum linked_kind {
    LINKED_NO_AGGRESSOR,   /* LF1 */
    LINKED_ONE_AGGRESSOR,  /* LF2aa: the same for both */
    LINKED_FIRST,          /* LF2av: of the first only */
    LINKED_SECOND,         /* LF2va: of the second only */
    LINKED_TWO_AGGRESSORS, /* LF3 */
    N_LINKED_KINDS,
};

struct linked {
    enum linked_kind kind;
    struct primitive first, second;
    char name[40];
};

#define N_LINKED_NEAR (18 + 288 + 72 + 72) /* all kinds but the last */
#define N_LINKED_FAR  288
#define N_LINKED      (N_LINKED_NEAR + N_LINKED_FAR)

/* Number i of them, by kind. */
const struct linked *linked_row(uint32_t i);

static inline uint32_t linked_cells(const struct linked *l)
{
    return l->kind == LINKED_NO_AGGRESSOR ? 1 : l->kind == LINKED_TWO_AGGRESSORS ? 3 : 2;
}

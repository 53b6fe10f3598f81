// SPDX-License-Identifier: MIT
/*
 * Errors at random times, as of memory whose clock is too high or whose voltage is too low: of the
 * lines that are stored somewhere one in some has a wrong bit until it is stored again. Only stores
 * under a condition count, by which tests differ.
 *
 * A line is loaded or stored when its last byte is. Rows are of one module with 16 banks, one bank
 * after the other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum rare_when {
    RARE_ALWAYS,
    RARE_LOAD,    /* within RARE_QUIET_NS another CPU has loaded or stored */
    RARE_STEP,    /* among the first RARE_STEP_LINES after RARE_QUIET_NS without any */
    RARE_TOGGLE,  /* 56 or more of 64 bits differ from each word of the line to the next */
    RARE_PATTERN, /* RARE_DRAWN bits of the line have certain values */
    RARE_LANES,   /* the same of its first word, and RARE_TOGGLE */
    RARE_ROW,     /* the bank had another row open */
    RARE_TURN,    /* the line before was loaded */
    RARE_CPU,     /* by CPU 1 */
    RARE_WHENS
};

#define RARE_DRAWN      8
#define RARE_CPUS       64
#define RARE_STEP_LINES 64
#define RARE_QUIET_NS   100000
#define RARE_BANKS      16
#define RARE_ROW_BYTES  8192

struct rare {
    uint64_t offset, size; /* of RAM, in bytes */
    uint64_t one_in, seed;
    enum rare_when when;
    uint64_t random, mask[8], value[8], row[RARE_BANKS]; /* rare.c's own, as the rest */
    uint64_t at_ns[RARE_CPUS];                           /* when each CPU was last there */
    unsigned burst;
    bool was_load;
};

struct rare_access {
    uint64_t offset, size; /* of RAM; within a line */
    uint64_t now_ns;
    unsigned cpu;
    bool is_store;
};

/* The word of a condition; NULL from RARE_WHENS on. */
const char *rare_word(enum rare_when when);

/* Call before the first access. */
void rare_begin(struct rare *rare);

/* Whether loads must be reported, too. */
bool rare_sees_loads(const struct rare *rare);

/* bytes: all RAM, in which what was stored is already. */
void rare_after(struct rare *rare, uint8_t *bytes, const struct rare_access *access);

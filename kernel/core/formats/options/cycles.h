// SPDX-License-Identifier: MIT
/*
 * `cycles=`: a run after each of several starts, because memory is trained at each. What is known
 * of the starts before is a word that okram is started with, as with a guided diagnosis.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/error_rate.h"
#include "lib/fmt.h"

#define CYCLES_MAX      1000
#define CYCLES_WORD_MAX 128

/* All 0: there are none. */
struct cycles {
    uint32_t wanted;
    uint32_t starts;      /* with a result */
    uint32_t with_errors; /* of these */
    uint32_t lost;        /* starts without a result */
    uint32_t late;        /* starts that did not come by themselves within CYCLES_LATE_S */
    uint32_t dropped;     /* starts with other memory, which no longer count */
    uint32_t id, memory;  /* of this row of starts; of the memory that it began with; 0: none yet */
    uint64_t asked;       /* when the last restart was, in seconds since 1970; 0: unknown */
    uint64_t errors, moved_mb; /* of all runs together; millions of bytes */
    bool cold;                 /* between starts the machine is off */
    bool has_errors;           /* this start, once it has run */
};

#define CYCLES_LATE_S 900u

/* "20", "20/cold", or a word of cycles_append(). False: none of these. */
bool cycles_read(const char *text, struct cycles *ret_cycles);
void cycles_append(struct fmt_buffer *out, const struct cycles *c);

/*
 * The other options of a command line, with a blank behind each, for the next start by GRUB, whose
 * variables keep no quotes: of march= the blanks are left out. False: another has some, or one is
 * too long.
 */
bool cycles_append_others(struct fmt_buffer *out, const char *cmdline);

/* How many starts there have been, also those that do not count. */
uint32_t cycles_all(const struct cycles *c);

/* How many are to come. */
uint32_t cycles_left(const struct cycles *c);

/* Whether one follows this start by itself. */
bool cycles_follow(const struct cycles *c);

/*
 * Begins a start with that memory, which must not be 0. now: seconds since 1970; 0: unknown. False:
 * it is other memory than before, and the count begins anew.
 */
bool cycles_begin(struct cycles *c, uint32_t memory, uint64_t now);

struct cycles_result {
    uint64_t errors, moved_bytes; /* of memory */
    bool cpu_failed;              /* counts as an error of the start, not of memory */
};

/* This start has given a result, or none. now: seconds since 1970; 0: unknown. */
void cycles_ran(struct cycles *c, struct cycles_result result, uint64_t now);
void cycles_lose(struct cycles *c, uint64_t now);

/* The errors of all starts together, with their limits. */
struct error_rate cycles_rate(const struct cycles *c);

/*
 * "errors in 3 of 20 cold starts (3.2 % to 37.9 % of all starts); 1 start gave no result"; "(at
 * most 13.9 % of all starts)" if none has any, "at least" if all have.
 */
void cycles_append_result(struct fmt_buffer *out, const struct cycles *c);

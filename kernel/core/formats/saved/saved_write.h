// SPDX-License-Identifier: MIT
/* The report as text for UEFI variables (saved/saved.h); when it is written and how much fits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fields.h"
#include "saved/saved.h"
#include "saved/saved_lines.h"

/* The fields of the records `saved` and `state`. */
#define SAVED_HEAD_FIELDS  5
#define SAVED_STATE_FIELDS 13
extern const struct field saved_head_fields[SAVED_HEAD_FIELDS];
extern const struct field saved_state_fields[SAVED_STATE_FIELDS];

/* "OkramReport00": ret_name has room for SAVED_NAME_MAX. */
#define SAVED_NAME_MAX 16
void saved_part_name(unsigned index, char *ret_name);

/* The number of variables that `bytes` bytes take. */
unsigned saved_parts_of(size_t bytes);

/* Least room that saved_make needs: for the head and the state record. */
#define SAVED_STATE_MAX 640
#define SAVED_MADE_MIN  (SAVED_HEAD_MAX + SAVED_STATE_MAX)

/*
 * Writes the report to `out`: the head, the state record, and the JSON lines that fit into `room`
 * bytes altogether; signed with the key (saved/saved_sign.h), unless that is NULL. Returns how many
 * bytes that is; ret_cut: some lines did not fit.
 */
size_t saved_make(enum saved_phase phase, const struct saved_state *state,
                  const struct saved_lines *lines, const uint8_t *key, size_t room, char *out,
                  bool *ret_cut);

/* Whether a variable's data can be what okram wrote there, whole or damaged. */
bool saved_is_own(unsigned index, const void *data, size_t bytes);

/* Bytes that stay free in the store: firmware with a full one may not start any more. */
#define SAVED_KEEP_FREE (5 * 1024)

/* What the store needs for a variable at most: its header, its name and its data. */
#define SAVED_VARIABLE_COST (128 + SAVED_VARIABLE_MAX)

/*
 * Whether one variable may be written in the course of the run, and the whole report still fits
 * later: firmware does not always use the old one's bytes again before the next boot.
 */
bool saved_leaves_room(uint64_t remaining);

/*
 * Whether the guard's list of `bytes` bytes may be written and two parts of the report still fit.
 * largest: the most bytes that its variable may have.
 */
bool saved_list_fits(size_t bytes, uint64_t largest, uint64_t remaining);

/* The variables that may be written with `remaining` bytes left in the store. */
unsigned saved_parts_that_fit(uint64_t remaining);

/*
 * When the state is written: at once, when there is the first fault, and every half hour, each time
 * one variable. Flash wears out, and some firmware makes room in it at every write: a run of a week
 * would take up to 10,000 writes at one a minute. The report at the end is not counted.
 */
struct saved_pace {
    uint32_t n_written;
    bool has_fault; /* of what was written */
    double written; /* seconds since kernel entry */
};

#define SAVED_EVERY_SECONDS 1800.0
#define SAVED_STATES_MAX    30 /* a boot */

/* Whether a write is due at t seconds; counts it as done then. has_fault: one was found by then. */
bool saved_is_due(struct saved_pace *pace, double t, bool has_fault);

// SPDX-License-Identifier: MIT
/* The variables of the report (save/saved.h), as bytes; when they are written and how many fit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "save/saved.h"

/* Completes what the run has filled in: magic, version, size and CRC. */
void saved_seal_state(struct saved_state *state);

/* "OkramReport0": ret_name has room for SAVED_NAME_MAX. */
#define SAVED_NAME_MAX 16
void saved_part_name(unsigned index, char *ret_name);

/* How many parts so many bytes of report take. */
unsigned saved_parts_of(size_t report_bytes);

/*
 * Makes the data of part `index` of a report. ret_data has room for SAVED_VARIABLE_MAX. Returns how
 * many bytes it is.
 */
size_t saved_make_part(uint64_t run_id, unsigned index, const char *report, size_t report_bytes,
                       void *ret_data);

/* state.report_crc, of all parts' bytes. */
uint32_t saved_report_crc(const char *report, size_t bytes);

/* Whether a variable's data begin as okram's do, whole or damaged. */
bool saved_is_own(const void *data, size_t bytes, const char *magic);

/* Bytes that stay free in the store: firmware with a full one may not start any more. */
#define SAVED_KEEP_FREE (5 * 1024)

/* What the store needs for a variable beside its data: its header and its name. */
#define SAVED_OVERHEAD 128

/* Whether a variable of so many bytes may be written with so many left in the store. */
bool saved_fits(uint64_t remaining, size_t bytes);

/*
 * Whether the state may be written in the course of the run, and the whole report still fits later:
 * firmware does not always use the old one's bytes again before the next boot.
 */
bool saved_leaves_room(uint64_t remaining);

/* What is written at the end beside the parts: the state and pstore's dump. */
#define SAVED_OTHERS (2 * (SAVED_OVERHEAD + SAVED_VARIABLE_MAX))

/* The parts that may be written beside the others. */
unsigned saved_parts_that_fit(uint64_t remaining);

/* When the state is written: at once, and then at most once a minute. */
struct saved_pace {
    bool has_written;
    double written; /* seconds since kernel entry */
};

#define SAVED_EVERY_SECONDS 60.0

/* Whether a write is due at t seconds; counts it as done then. */
bool saved_is_due(struct saved_pace *pace, double t);

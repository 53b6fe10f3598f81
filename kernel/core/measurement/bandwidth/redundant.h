// SPDX-License-Identifier: MIT
/*
 * What keeping data redundantly costs: the same lines written once, twice (as memory mirroring
 * does), or with parity: for every REDUNDANCY_GROUP lines of data one more that is their XOR. Where
 * the other copy or the parity goes is the caller's choice: on the same node or on another.
 *
 * Each word of the data's line i holds value + i, so lines differ and their XOR is worth something.
 * All stores are non-temporal and fill whole lines.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct stream_ops;

enum redundancy { REDUNDANCY_NONE, REDUNDANCY_MIRROR, REDUNDANCY_PARITY, REDUNDANCY_KINDS };

/* Lines of data to a line of parity; the last group may have fewer. */
#define REDUNDANCY_GROUP 4

/* "plain", "mirror", "parity". */
const char *redundancy_name(enum redundancy kind);

/* What is written besides data_bytes of data, which are whole lines: none, as much, a quarter. */
uint64_t redundancy_other_bytes(enum redundancy kind, uint64_t data_bytes);

/*
 * Writes `bytes` of data, and to `other` what makes them redundant; all CPUs see it. Both are
 * aligned to lines and do not overlap; bytes is a whole number of lines; `other` may be NULL for
 * REDUNDANCY_NONE.
 */
void redundant_write(const struct stream_ops *ops, enum redundancy kind, double *data,
                     double *other, size_t bytes, double value);

// SPDX-License-Identifier: MIT
/*
 * Measured speeds of CPUs, made into speeds by which memory is shared out. Those that differ by
 * little are one level: a measurement is never exact, and CPUs of one kind must have equal shares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether two speeds are of one level: the slower is less than an eighth below the faster. */
bool speed_class_same(double fast, double slow);

/*
 * The level of each of n speeds, at most `full`, which is that of the fastest: a level's CPUs get
 * their mean relative to the fastest level's, but 1 at least. A speed of 0 or less is unknown and
 * gets 0.
 */
void speed_class_speeds(const double *speed, size_t n, uint32_t full, uint32_t *ret_level);

/* CPUs of one kind, and what each of them reaches. */
struct speed_class_kind {
    size_t n_cpus;
    const double *speed; /* by candidate */
};

/*
 * The first candidate, of n, with which all CPUs of two kinds together are fastest, or at most this
 * part slower: 0 to 1.
 */
size_t speed_class_best(struct speed_class_kind fast, struct speed_class_kind slow, size_t n,
                        double tie);

/* Instruction sets that differ by less are as good: the difference is noise, or another elsewhere.
 */
#define SPEED_CLASS_TIE 0.05

/* The speed over all of n loads, each with its own and so many bytes. 0: one that counts is
 * unknown. */
double speed_class_mean(const double *speed, const double *bytes, size_t n);

// SPDX-License-Identifier: MIT
/*
 * Speeds of CPUs as they were measured, made into speeds to share memory out by. Those that differ
 * by little are one level: a measurement is never exact, and where all CPUs are of one kind they
 * are to have equal shares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether two speeds are of one level: the slower is less than an eighth below the faster. */
bool speed_class_same(double fast, double slow);

/*
 * The level of each of n speeds, at most `full`, which is that of the fastest: a level's CPUs have
 * their mean over that of the fastest level's, but 1 at least. A speed of 0 or less is unknown and
 * gets 0.
 */
void speed_class_speeds(const double *speed, size_t n, uint32_t full, uint32_t *ret_level);

/* CPUs of one kind, and what each of them reaches. */
struct speed_class_kind {
    size_t n_cpus;
    const double *speed; /* by candidate */
};

/* Which of n candidates lets all CPUs of two kinds together reach most; the first one of equals. */
size_t speed_class_best(struct speed_class_kind fast, struct speed_class_kind slow, size_t n);

// SPDX-License-Identifier: MIT
/*
 * How fast a counter counts, measured against a clock of known speed, while the CPU that reads the
 * two may be held up at any moment and for any time: by an interrupt of firmware, or by an emulator
 * that has other CPUs to run.
 *
 * What is known of a rate is an interval. Two looks bound the time stamps between two readings of
 * the clock, and with them the rate; being held up within a look makes the interval wider, never
 * wrong. Being held up between looks does no harm either, unless the clock wraps meanwhile: then
 * the rate comes out too high, and the interval is narrow. So the CPU must not be away for long
 * between two looks of a window, windows are repeated, and only those that agree count: true ones
 * all hold the true rate, those with an unseen wrap have little reason to agree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

struct rate {
    double low, high; /* Hz */
};

/* One look: the clock showed `count` at some moment between the two time stamps. */
struct rate_look {
    uint64_t before, after;
    uint64_t count;
};

struct rate_clock {
    double hz;
    uint64_t mask; /* the bits of its counter, which counts up and wraps */
    void (*look)(void *ctx, struct rate_look *ret_look);
    void *ctx;
};

/*
 * The rate of the time stamps. Takes some 15 ms, and up to a few seconds where the CPU is held up
 * again and again. STATUS_TIMEOUT: the clock stands still, or is a hundred times slower than it
 * says. STATUS_INVALID: it goes back, or no two windows agree.
 */
enum status rate_measure(const struct rate_clock *clock, struct rate *ret_rate);

/*
 * The rate that most of the intervals hold, as what is common to these; of two equally many hold,
 * the lower one, for an unseen wrap makes rates too high. Returns how many hold it; n > 0.
 */
size_t rate_vote(const struct rate *rates, size_t n, struct rate *ret_rate);

/* A rate of hardware or firmware, exact to 0.1 % at worst: crystals are ten times better. */
struct rate rate_reported(double hz);

double rate_middle(struct rate r);

/*
 * Whether a and b agree within 1 %: ten times the error of a crystal and of what is reported of it,
 * and a hundred times less than that of a clock that was mistaken for another.
 */
bool rate_agrees(struct rate a, struct rate b);

/*
 * Which of several sources, the preferred first, is to be used: with an error below 1 %, the one
 * that most others agree with; where none is that exact, the most exact one. n > 0.
 */
size_t rate_choose(const struct rate *rates, size_t n);

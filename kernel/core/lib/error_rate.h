// SPDX-License-Identifier: MIT
/*
 * How often memory fails that is almost stable: errors at random times, for what was moved. Their
 * number is a Poisson variable, whose limits are exact (F. Garwood, "Fiducial Limits for the
 * Poisson Distribution", Biometrika 28, 1936); above 100 errors they are Wilson and Hilferty's
 * approximation of the same, within 0.1 %. Without an error the upper limit is one-sided, by the
 * rule of three. Cells that fail again and again are no such errors: then the rate says nothing.
 */
#pragma once

#include <stdint.h>

#include "lib/fmt.h"

struct error_rate {
    uint64_t moved_bytes;     /* read and written; 0: not known, as is all the rest */
    uint64_t errors;          /* a page that was wrong in a sweep counts once in it */
    double per_tb, low, high; /* for 10^12 bytes; low, high: with 95 % confidence */
    double first_s;           /* when the first was seen; not a number: there is none */
};

/* The limits of what is expected where n were counted, 95 %. */
void poisson_limits(uint64_t n, double *ret_low, double *ret_high);

/* All but first_s, which is taken as it is. */
struct error_rate error_rate_make(uint64_t errors, uint64_t moved_bytes, double first_s);

/* "3 errors in 1.20 TB: 2.5 per TB (0.5 to 7.3)", "no error in 41.0 TB: fewer than 1 in 13.7 TB" */
void error_rate_append(struct fmt_buffer *out, const struct error_rate *rate);

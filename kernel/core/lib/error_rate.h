// SPDX-License-Identifier: MIT
/*
 * How often memory fails that is almost stable: errors at random times, for what was moved. Their
 * number is a Poisson variable, whose limits are exact (F. Garwood, "Fiducial Limits for the
 * Poisson Distribution", Biometrika 28, 1936); above 100 errors they are Wilson and Hilferty's
 * approximation of the same, within 0.1 %. Without an error the upper limit is one-sided, by the
 * rule of three, as that says more. Together they hold in 95 % of all runs or more; but only in
 * 93.8 % or more where 3.0 to 3.45 errors are expected. Errors of cells that are always bad do
 * not come at random times, so no rate is given for them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/fmt.h"

struct error_rate {
    uint64_t moved_bytes;     /* read and written; 0: not known, as is all the rest */
    uint64_t errors;          /* a page that was wrong in a sweep counts once in it */
    double per_tb, low, high; /* for 10^12 bytes; low, high: with 95 % confidence */
    double first_s;           /* when the first was seen; not a number: none, or not known */
    bool always_bad; /* a page was bad each time that it was tested again: no rate is given */
};

/* The limits of what is expected where n were counted, 95 %; of 0 the upper one alone. */
void poisson_limits(uint64_t n, double *ret_low, double *ret_high);

/* All but first_s, which is taken as it is, and always_bad, which is false. */
struct error_rate error_rate_make(uint64_t errors, uint64_t moved_bytes, double first_s);

/*
 * "3 errors in 1.20 TB: 2.50 per TB (0.52 to 7.31)", "no error in 41.0 TB: fewer than 1 in
 * 13.7 TB"; "3 errors in 1.20 TB" if a page is always bad.
 */
void error_rate_append(struct fmt_buffer *out, const struct error_rate *rate);

/* The same, and then the confidence level, or why no rate is given. */
void error_rate_append_result(struct fmt_buffer *out, const struct error_rate *rate);

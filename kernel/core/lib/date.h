// SPDX-License-Identifier: MIT
/* Dates of the proleptic Gregorian calendar. */
#pragma once

#include <stdint.h>

#include "lib/fmt.h"

/* "2026-11-22T13:14:34" (ISO 8601) of seconds since 1970; nothing before 1970 or after 9999. */
void date_append(struct fmt_buffer *out, int64_t seconds);

struct date {
    unsigned year, month, day, hour, minute, second; /* months and days from 1 */
};

/* Back from seconds; all zeros before 1970 or after 9999. */
struct date date_of(int64_t seconds);

/* Seconds since 1970 to a date of 1970 to 9999; 0: it is none. */
int64_t date_seconds(const struct date *date);

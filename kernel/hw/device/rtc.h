// SPDX-License-Identifier: MIT
/* The PC's clock of date and time (Motorola MC146818). */
#pragma once

#include <stdint.h>

#define RTC_US 100000

/*
 * Seconds since 1970 of what it shows; its zone is unknown. 0: it shows no date, or none that can
 * be read within RTC_US. century: the number of the clock's register that has the century, by the
 * FADT. With 0, and where the register gives a year before 1980 or after 2179, years from 80 on
 * belong to the last century.
 */
int64_t rtc_seconds(uint8_t century);

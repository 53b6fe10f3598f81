// SPDX-License-Identifier: MIT
/* The PC's clock of date and time (Motorola MC146818). */
#pragma once

#include <stdint.h>

/*
 * Seconds since 1970 of what it shows; its zone is unknown. 0: it shows no date, or none that can
 * be read within RTC_US. century: its register for that, by the FADT; 0, or what it shows is no
 * century of a PC: years from 80 are of the last century.
 */
#define RTC_US 100000
int64_t rtc_seconds(uint8_t century);

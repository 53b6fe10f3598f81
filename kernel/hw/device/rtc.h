// SPDX-License-Identifier: MIT
/* The PC's clock of date and time (Motorola MC146818). */
#pragma once

#include <stdint.h>

/*
 * Seconds since 1970 of what it shows; its zone is unknown. 0: it shows no date, or none that can
 * be read. The century is this one.
 */
int64_t rtc_seconds(void);

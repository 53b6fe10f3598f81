// SPDX-License-Identifier: MIT
/* Events, and errors of memory that firmware reports. */
#pragma once

#include "acpi/error_block.h"
#include "event/events.h"

/* Of a struct event: its type, its member, its time, and what is in the member. */
#define EVENT(type, member, t, ...)                                                                \
    {                                                                                              \
        EVENT_##type, t, .member = { __VA_ARGS__ }                                                 \
    }

static const struct cper_memory placed_error = {
    .severity = ERROR_CORRECTED,
    .has_addr = true,
    .has_page = true,
    .addr = 0x5000fc0,
    .given = 1 << CPER_CARD | 1 << CPER_MODULE | 1 << CPER_ROW,
    .field = { [CPER_MODULE] = 3, [CPER_ROW] = 131071 },
    .what = "single-bit ECC",
    .fru = "DIMM_A4",
};
static const struct cper_memory unplaced_error = { .severity = ERROR_FATAL };

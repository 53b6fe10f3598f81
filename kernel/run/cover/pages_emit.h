// SPDX-License-Identifier: MIT
/* The bad pages themselves, which a cover only covers. Boot CPU only. */
#pragma once

#include "log/fault_log.h"

/*
 * Contiguous runs of pages in an event, and in all events: at 115200 baud the text of all takes 10
 * s. Further runs are left out, and the last event says so.
 */
#define PAGES_EVENT_RUNS 250
#define PAGES_RUNS_MAX   4000

/* Sends all bad pages of the fault log, by rising address; nothing if there are none. */
void pages_emit(const struct fault_log *log);

// SPDX-License-Identifier: MIT
/*
 * The least that patterns can sacrifice, by trying every way to divide the bad pages into groups:
 * whatever covers them, each pattern may shrink to the pages that are counted as its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "log/fault_log.h"

/* The most bad pages. */
#define COVER_OPTIMUM_PAGES 16

/* RAM pages sacrificed by the best cover of at most max_patterns; ranges do not matter. */
uint64_t cover_optimum(const struct fault_log *log, size_t max_patterns);

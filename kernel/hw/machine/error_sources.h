// SPDX-License-Identifier: MIT
/*
 * Firmware that handles hardware errors first, and what it passes on of them: the error sources of
 * the HEST that have a status block in memory (acpi/hest.h), and what the BERT has recorded. Boot
 * CPU only.
 *
 * How firmware would notify an operating system does not matter: whatever the notification is, the
 * report is in the status block first, so all blocks are looked at.
 */
#pragma once

#include <stdint.h>

#include "acpi/error_block.h"
#include "lib/span.h"
#include "lib/status.h"

/*
 * Reads both tables, says in a notice each what they mean, and maps what the sources name. One that
 * is in memory that firmware does not keep, or that cannot be reached, is ignored, with a warning.
 * After tables_read.
 */
void error_sources_find(void);

/* Sources to be looked at, by number. */
size_t error_sources_count(void);

/* HEST's number of the source. */
uint32_t error_source_id(size_t source);

/*
 * Pages that firmware uses for them: not to be tested, though they may be ACPI tables' memory,
 * which is. At most ERROR_SOURCE_SPANS of a source.
 */
#define ERROR_SOURCE_SPANS 3
size_t error_source_spans(size_t source, struct span ret[ERROR_SOURCE_SPANS]);

/*
 * Looks at a source. STATUS_OK: it has news, which are cleared there and acknowledged; the block is
 * a copy, good until the next call. Else STATUS_NOT_FOUND. What is not a report gives one warning,
 * and the source is not looked at any more; a report that never goes away gives one, and is
 * ignored.
 */
enum status error_source_take(size_t source, struct error_block *ret_block);

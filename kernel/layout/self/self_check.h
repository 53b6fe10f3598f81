// SPDX-License-Identifier: MIT
/*
 * The parts of okram that never change: text, read-only data, and tables made at start. Each has a
 * second copy far away, and checksums of each 4 KiB page in two places. A page that has changed is
 * reported, marked as bad and rewritten from the other copy; when both have changed, the run ends
 * with a panic. Boot CPU only, except
 * self_check_append.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/fmt.h"
#include "log/fault_log.h"
#include "plan/plan.h"

/* Whole pages that do not change from self_check_begin on; at most SELF_CHECK_RANGES. */
void self_check_guard(const void *start, uint64_t bytes);

#define SELF_CHECK_RANGES 4

/*
 * Text and read-only data are guarded, too, and must be as built (boot/check/image_check.h):
 * otherwise the page is marked as bad, and the run ends with a panic. The checksums of all the rest
 * are of its content now. Pages that change are marked in the log. Before arena_close.
 */
void self_check_begin(const struct plan *plan, struct fault_log *log);

/*
 * For the text of a panic, on any CPU: lists what has changed, and marks it as bad; nothing is
 * repaired. Before self_check_begin it does nothing.
 */
void self_check_append(struct fmt_buffer *text);

/* Checks and repairs the page there, if it is guarded. True: it was intact. */
bool self_check_repair(const void *at);

/* Checks the next few pages and their copies: cheap enough for every poll of the boot CPU. */
void self_check_poll(void);

/* Checks all, with the help of other CPUs, which are idle. */
void self_check_all(void);

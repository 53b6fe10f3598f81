// SPDX-License-Identifier: MIT
/*
 * The parts of okram that never change: text, read-only data, and tables made at start. Each has a
 * second copy far away, and checksums of each 4 KiB page in two places. A page that has changed is
 * reported, marked as bad and rewritten from the other copy; when both have changed, the run ends
 * with a panic. Every panic lists what has changed by then. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whole pages that do not change from self_check_begin on; at most SELF_CHECK_RANGES. */
void self_check_guard(const void *start, uint64_t bytes);

#define SELF_CHECK_RANGES 4

/*
 * Text and read-only data are guarded, too, and must be as built (boot/check/image_check.h):
 * otherwise the page is marked as bad, and the run ends with a panic. The checksums of all the rest
 * are of its content now. Before arena_close.
 */
void self_check_begin(void);

/* Checks and repairs the page there, if it is guarded. True: it was intact. */
bool self_check_repair(const void *at);

/* Checks the next few pages and their copies: cheap enough for every poll of the boot CPU. */
void self_check_poll(void);

/* Checks all, with the help of other CPUs, which are idle. */
void self_check_all(void);

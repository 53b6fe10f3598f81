// SPDX-License-Identifier: MIT
/*
 * Judges a line that somebody has: what it covers, what it wastes, and what GRUB makes of it.
 *
 * GRUB's badram (grub-core/mmap/mmap.c) clears the mask's bits 0-9 and goes over every entry of
 * the memory map. For an entry that begins above the pattern's address it searches the first
 * address of the pattern in it, by halves; the search never ends when the pattern has none up
 * there, because the mask fixes all high bits. A mask without any bit is not survived either.
 *
 * With the map known, the line is also simulated in its order: what is left in use by GRUB on the
 * firmware that was named, or on UEFI when none was.
 */
#pragma once

#include "arguments.h"
#include "log/fault_log.h"

/* Says what is to be said on standard output. Returns 0, or 1 when something is wrong. */
int check_line(const struct arguments *arguments, const struct fault_log *log);

// SPDX-License-Identifier: MIT
/*
 * Checks a line: what it covers, which good pages it loses, and what GRUB does with it.
 *
 * GRUB's badram (grub-core/mmap/mmap.c) clears the mask's bits 0-9 and goes over every entry of
 * the memory map. For an entry that begins above the pattern's address it searches the first
 * address of the pattern in it, by halves; the search never ends when the pattern has none up
 * there, because the mask fixes all high bits. It does not end for a mask of 0 either.
 *
 * With the map known, the line is also simulated in its order: what is left in use by GRUB on the
 * given firmware, or on UEFI without one.
 */
#pragma once

#include "arguments.h"
#include "log/fault_log.h"

/* Prints the result on standard output. Returns 0, or 1 if something is wrong. */
int check_line(const struct arguments *arguments, const struct fault_log *log);

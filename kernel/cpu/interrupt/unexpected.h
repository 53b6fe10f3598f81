// SPDX-License-Identifier: MIT
/*
 * Interrupts that okram has not asked for. None ends the run: each is acknowledged where it came
 * from, and counted. Spurious ones happen on sound machines; others come from devices that firmware
 * has left on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct unexpected {
    uint32_t vector;
    uint64_t count;   /* on all CPUs */
    const char *what; /* which controller sent it: words for the report */
};

/* Once, before interrupts are let in. */
void unexpected_begin(void);

#define UNEXPECTED_MAX 288u

/* Those that have come so far, by vector. Returns how many kinds: at most UNEXPECTED_MAX. */
size_t unexpected_list(struct unexpected ret[UNEXPECTED_MAX]);

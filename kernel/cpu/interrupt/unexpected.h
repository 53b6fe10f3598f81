// SPDX-License-Identifier: MIT
/*
 * Interrupts that okram has not asked for. None ends the run: each is acknowledged where it came
 * from, and counted. Spurious ones happen on sound machines; others come from devices that firmware
 * has left on.
 *
 * Of the two 8259s (Intel 8259A) okram uses no input, and masks them. That is not enough: an input
 * that falls in the moment of masking is still delivered, as a spurious IRQ 7 or 15, and firmware
 * may unmask inputs from SMM. With the vectors that BIOS gives them, 8-15, these would be taken for
 * exceptions; so they get vectors of their own.
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

#define PIC_VECTOR 0x20u /* of IRQ 0; those of IRQs 1-15 follow */
#define PIC_IRQS   16u

/* Remaps and masks both 8259s. With interrupts off. */
void pic_mask(void);

#define UNEXPECTED_MAX 288u

/* Those that have come so far, by vector. Returns how many kinds: at most UNEXPECTED_MAX. */
size_t unexpected_list(struct unexpected ret[UNEXPECTED_MAX]);

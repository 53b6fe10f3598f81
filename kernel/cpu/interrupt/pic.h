// SPDX-License-Identifier: MIT
/*
 * The two 8259s (Intel 8259A). okram uses no device interrupt, and masks them. That is not enough:
 * an input that falls in the moment of masking is still delivered, as a spurious IRQ 7 or 15, and
 * firmware may unmask inputs from SMM. With the vectors that BIOS gives them, 8-15, these would be
 * taken for exceptions; so they get vectors of their own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PIC_VECTOR 0x20u /* of IRQ 0; those of IRQs 1-15 follow */
#define PIC_IRQS   16u

/* Remaps and masks both. With interrupts off. */
void pic_mask(void);

/*
 * Ends the interrupt that came with the vector of an IRQ, and masks all inputs again. False: it was
 * spurious, which only IRQs 7 and 15 can be.
 */
bool pic_end(uint32_t irq);

// SPDX-License-Identifier: MIT
/* Device interrupts: okram uses none, but firmware may have left some on. */
#pragma once

#include <stdint.h>

/* Masks both 8259s. */
void interrupts_mask_pic(void);

/* The part of an I/O APIC's registers that is used here. */
#define IOAPIC_BYTES 0x20u

/* Masks every input of the I/O APIC at phys (Intel 82093AA, 3.2.4). */
void interrupts_mask_ioapic(uint64_t phys);

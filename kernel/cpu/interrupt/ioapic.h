// SPDX-License-Identifier: MIT
/* The I/O APICs (Intel 82093AA): okram uses no device interrupt, but firmware may have left some
 * on. */
#pragma once

#include <stdint.h>

/* The part of an I/O APIC's registers that is used here. */
#define IOAPIC_BYTES 0x20u

/* Masks every input of the I/O APIC at phys (82093AA, 3.2.4). */
void ioapic_mask(uint64_t phys);

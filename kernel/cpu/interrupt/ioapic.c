// SPDX-License-Identifier: MIT
#include "interrupt/ioapic.h"

#include "arch/paging.h"

#define IOAPIC_SELECT   0
#define IOAPIC_WINDOW   4 /* in 32-bit words */
#define IOAPIC_VERSION  1
#define IOAPIC_REDIRECT 0x10
#define IOAPIC_MASKED   (1u << 16)

void ioapic_mask(uint64_t phys)
{
    volatile uint32_t *reg = paging_map_direct(phys, IOAPIC_BYTES, PAGING_WRITE | PAGING_UNCACHED);
    uint32_t last;

    reg[IOAPIC_SELECT] = IOAPIC_VERSION;
    last = reg[IOAPIC_WINDOW] >> 16 & 0xff;
    for (uint32_t i = 0; i <= last; i++) {
        reg[IOAPIC_SELECT] = IOAPIC_REDIRECT + 2 * i;
        reg[IOAPIC_WINDOW] = IOAPIC_MASKED;
    }
}

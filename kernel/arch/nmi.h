// SPDX-License-Identifier: MIT
/*
 * Non-maskable interrupts. The chipset sends one for a parity or bus error, a person by a button,
 * firmware now and then by mistake: none of them ends the run. They are counted, and what port 0x61
 * says of the reason is kept.
 */
#pragma once

#include <stdint.h>

#define NMI_PARITY   0x80 /* system error: parity of memory, or PCI SERR# */
#define NMI_IO_CHECK 0x40 /* an ISA card's IOCHK# */

/* In the handler, on any CPU. */
void nmi_arrived(void);

/* How many have come, to all CPUs. */
uint64_t nmi_count(void);

/* NMI_PARITY and NMI_IO_CHECK, as far as they were ever seen. */
uint8_t nmi_reasons(void);

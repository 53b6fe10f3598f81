// SPDX-License-Identifier: MIT
/*
 * Non-maskable interrupts. The chipset sends one for a parity or bus error, a push button does,
 * firmware sometimes does by mistake: none ends the run. They are counted, and the reasons that
 * port 0x61 reports are kept.
 */
#pragma once

#include <stdint.h>

#define NMI_PARITY   0x80 /* system error: parity of memory, or PCI SERR# */
#define NMI_IO_CHECK 0x40 /* an ISA card's IOCHK# */

/* In the handler, on any CPU. */
void nmi_arrived(void);

/* The number of NMIs on all CPUs. */
uint64_t nmi_count(void);

/* NMI_PARITY and NMI_IO_CHECK, if ever seen. */
uint8_t nmi_reasons(void);

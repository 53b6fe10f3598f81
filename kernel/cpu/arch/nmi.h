// SPDX-License-Identifier: MIT
/*
 * Non-maskable interrupts, and the errors that the chipset sends one for. Its NMI input is masked
 * (arch/lapic.h), so port 0x61, where it keeps the reason, is read instead: a parity error of
 * memory is just as worth knowing. What still comes, from firmware or another CPU, does not end the
 * run. It is counted.
 */
#pragma once

#include <stdint.h>

#define NMI_PARITY   0x80 /* system error: parity of memory, or PCI SERR# */
#define NMI_IO_CHECK 0x40 /* an ISA card's IOCHK# */

/* Once: what port 0x61 holds from before is cleared, and ignored if it stays. */
void nmi_begin(void);

/* Boot CPU, repeatedly: keeps the reasons that port 0x61 shows now. */
void nmi_poll(void);

/* In the handler, on any CPU. */
void nmi_arrived(void);

/* The number of NMIs on all CPUs. */
uint64_t nmi_count(void);

/* NMI_PARITY and NMI_IO_CHECK, if seen since nmi_begin. */
uint8_t nmi_reasons(void);

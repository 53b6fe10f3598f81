// SPDX-License-Identifier: MIT
/*
 * The local APIC, xAPIC or x2APIC (Intel SDM vol. 3A, 11): waking, stopping and starting CPUs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Interrupt vectors in use; a handler does nothing but acknowledge (arch/trap.asm). */
#define VECTOR_TIMER    0xf0
#define VECTOR_WAKE     0xf1
#define VECTOR_DEADLINE 0xf2 /* but this one's ends a call (arch/firmware_call.h) */
#define VECTOR_SPURIOUS 0xff

/* The largest APIC ID that xAPIC reaches; 255 is all CPUs. */
#define LAPIC_XAPIC_ID_MAX 254u

/*
 * On the boot CPU, with the early page tables on: for lapic_send_init_to_others alone. False: they
 * do not reach its registers.
 */
bool lapic_begin(void);

/*
 * On the boot CPU, before any other call: uses its APIC in the mode that firmware has left it in;
 * xAPIC's registers are mapped here. Their address is the CPU's own (IA32_APIC_BASE): the MADT
 * could be wrong.
 */
void lapic_init(void);

/*
 * On the boot CPU, which has x2APIC, before other CPUs start: from now on x2APIC, the mode for APIC
 * IDs beyond LAPIC_XAPIC_ID_MAX. CPUs that start take over mode and address (arch/trampoline.asm).
 */
void lapic_use_x2apic(void);

/* The calling CPU's APIC ID, as its APIC has it: firmware may have changed what CPUID says. */
uint32_t lapic_id(void);

/* Whether it is another one than the CPU began with (SDM vol. 3A, 11.4.6). */
bool lapic_id_is_changed(void);

/*
 * On every CPU, after lapic_init: turns its APIC on, with its inputs from the chipset (LINT0: the
 * 8259s; LINT1: NMI) and its own interrupts masked.
 */
void lapic_enable(void);

void lapic_send_init(uint32_t apic_id);
void lapic_send_init_to_others(void); /* to all CPUs but the calling one, listed or not */
void lapic_send_startup(uint32_t apic_id, uint8_t page); /* the CPU starts at page << 12 */
void lapic_send_wake(uint32_t apic_id);
void lapic_send_nmi(uint32_t apic_id);

/* Measures the calling CPU's timer against the TSC. False: it does not count. */
bool lapic_timer_calibrate(void);

/*
 * On the calling CPU: one VECTOR_TIMER interrupt in about this time, or as late as the timer can
 * count, which is more than a minute where it counts a crystal's oscillations.
 */
void lapic_timer_in_us(uint32_t us);

/* As above with VECTOR_DEADLINE, instead of the other timer interrupt; and no interrupt at all. */
void lapic_deadline_in_us(uint32_t us);
void lapic_deadline_end(void);

/* Whether an interrupt with this vector is being handled. Spurious ones and 8259s' never are. */
bool lapic_is_in_service(uint32_t vector);

/* Ends an interrupt's handling. */
void lapic_acknowledge(void);

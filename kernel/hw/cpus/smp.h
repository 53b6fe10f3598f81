// SPDX-License-Identifier: MIT
/*
 * The start of each CPU: what it needs before it runs okram's code. The other CPUs are started
 * (Intel SDM vol. 3A, 9.4) by INIT and STARTUP, all at once. Those that have not arrived some time
 * after the last that has are reported by their state and not used.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/percpu.h"

/*
 * On the boot CPU, once, before any other CPU starts: its tables, then as on every CPU its
 * segments, the interrupt table, and the registers that all okram's code relies on, the same on all
 * CPUs whatever they held: CR0, CR4, EFER, the PAT entries of arch/paging.h, XCR0 where the CPU has
 * AVX2, DR7, the state of x87 and SSE. CR4's bit for five levels of paging, which firmware may have
 * turned on, and EFER's for long mode stay.
 */
void smp_start_boot_cpu(void);

/*
 * Stops all other CPUs, by INIT, before any memory is written: the loop that firmware has left them
 * in may be in memory that is free now. They wait for smp_start. With the early page tables on.
 *
 * Not where firmware has changed this CPU's APIC ID: QEMU sends a message "to all others" by that
 * ID, and so to the sender, too.
 */
void smp_take_over(void);

/*
 * Lists the CPUs of the MADT in machine.cpus, the boot CPU first, and sets up the interrupt
 * controllers: nothing but what okram itself sends interrupts a CPU. After tables_read and
 * clock_calibrate.
 */
void smp_prepare(void);

/*
 * Starts these CPUs, and lists in machine.online those that have started; the others are CPU_ABSENT
 * or CPU_LOST, and disabled, with a warning. Each that arrives runs work(cpu), which must not
 * return, and is CPU_ONLINE by then. A page below 1 MiB stays okram's, for CPUs that are not used
 * any more (arch/park.h); one that comes late waits there. From here on a panic stops the CPUs that
 * are online.
 */
void smp_start(void (*work)(struct percpu *cpu));

/*
 * Stops an online CPU for good: it writes to memory no more. It is parked by NMI or, if it does not
 * take one, by INIT and STARTUP. But one that is in firmware's code, which may just write to flash,
 * is not sent an INIT: it is CPU_STRAY until it takes the NMI.
 */
void smp_expel(struct percpu *cpu, bool is_in_firmware);

/* In a panic: stops all others that have been started, by NMI. */
void smp_stop_others(void);

/* Whether there is such a CPU: okram's memory must stay where it is. */
bool smp_has_stray(void);

// SPDX-License-Identifier: MIT
/*
 * Starting the other CPUs (Intel SDM vol. 3A, 9.4): INIT and STARTUP, all at once. Those that have
 * not arrived some time after the last that has are reported by their state and not used.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/percpu.h"

/*
 * Stops all other CPUs, by INIT, before any memory is written: the loop that firmware has left them
 * in may be in memory that is free now. They wait for smp_start. With the early page tables on.
 *
 * Not where firmware has changed this CPU's APIC ID: QEMU sends a message "to all others" by that
 * ID, and so to the sender, too.
 */
void smp_take_over(void);

/*
 * cpus[0] is the boot CPU, already running; the others' percpu_init is done and stack_top set.
 * page: a free 4 KiB page below 1 MiB, which stays okram's, for CPUs that are not used any more
 * (arch/park.h); one that comes late waits there. Each CPU that arrives runs work(cpu), which must
 * not return, and is CPU_ONLINE by then. None of the others may have the boot CPU's APIC ID. From
 * here on a panic stops the CPUs that are online. Returns how many are, the boot CPU included; the
 * others are CPU_ABSENT or CPU_LOST.
 */
uint32_t smp_start(struct percpu **cpus, uint32_t n_cpus, uint64_t page,
                   void (*work)(struct percpu *cpu));

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

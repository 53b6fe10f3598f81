// SPDX-License-Identifier: MIT
/*
 * The x86-64 CPU as okram uses it, and what each CPU needs before it runs okram's code. A map of
 * the folder, from the lowest file up:
 *
 *   cpu.h, mmio.h  single privileged instructions (on I/O ports: kernel/io/ports.h); registers in
 *                  memory
 *   cpuid          what the CPU is and can do
 *   tsc            time
 *   paging         the page tables; image.h: the kernel's borders
 *   move           okram's own memory copied to another place
 *   percpu         each CPU's segments and stacks
 *   panic          the end of a run that cannot go on
 *   nmi, trap      exceptions and interrupts
 *   lapic, smp     the other CPUs: start, wake, stop
 *   park           where those wait that are not used any more
 *   firmware_call  firmware's code called, with an end to a call that does not return
 */
#pragma once

#include "arch/percpu.h"

/* On the boot CPU, once, before any other CPU starts: its tables, then arch_start_cpu. */
void arch_start_boot_cpu(void);

/*
 * On every CPU: loads its segments and the interrupt table, and sets the registers that all okram's
 * code relies on, the same on all CPUs whatever they held: CR0, CR4, EFER, the PAT entries of
 * arch/paging.h, XCR0 where the CPU has AVX2, DR7, the state of x87 and SSE. CR4's bit for five
 * levels of paging, which firmware may have turned on, and EFER's for long mode stay.
 */
void arch_start_cpu(struct percpu *cpu);

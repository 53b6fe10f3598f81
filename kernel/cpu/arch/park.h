// SPDX-License-Identifier: MIT
/*
 * A page below 1 MiB where unused CPUs halt. It is not under test, does not
 * move, and is all the memory that they need: paging is off, the stack is there. CR4.MCE is set.
 *
 * A CPU that was left in INIT, waiting for a STARTUP, would disturb the others. It takes no SMI
 * (Intel SDM vol. 3C, "VM Entries", activity state wait-for-SIPI), and in each SMI firmware waits
 * for all CPUs, and then again (EDK2's PiSmmCpuDxeSmm, SmmWaitForApArrival): a call of SetVariable
 * has several. Linux left CPUs in INIT at shutdown once, and took that back, because firmware of
 * some machines then did not end it (commit 45e34c8af58f). And with CR4.MCE clear, a machine check
 * that comes to all CPUs is a shutdown, by which the machine is reset (SDM vol. 3A, 9.7.5; Linux,
 * commit 506a66f37489).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Fills the page, which is mapped at its own address, to be read and executed. The trampoline was
 * there: a CPU that gets a STARTUP with this page waits there from now on, and so does one that is
 * still on its way through the trampoline. Boot CPU.
 */
void park_begin(uint64_t page);

/* Sends the calling CPU there, out of okram's code; number: its own. After park_begin. */
_Noreturn void park_self(uint32_t number);

/* Whether a CPU is there by park_self, and uses no other memory any more. */
bool park_holds(uint32_t number);

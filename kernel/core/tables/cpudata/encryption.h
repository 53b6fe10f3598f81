// SPDX-License-Identifier: MIT
/*
 * Whether the memory controller encrypts what is stored in DRAM, by CPUID and one MSR: Intel's TME
 * and MKTME (SDM vol. 2A, CPUID leaf 7 ECX[13]; vol. 4, IA32_TME_ACTIVATE), AMD's SME (APM vol. 2,
 * 7.10; vol. 3, E.4.17: Fn8000_001F).
 *
 * AMD's other way, TSME, encrypts all memory and tells software nothing: on a CPU that has SME
 * nobody can say that memory is not encrypted. external/external.c knows it by its look.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"

enum encryption {
    ENCRYPTION_UNKNOWN, /* it may be on without a sign, or a hypervisor is in between */
    ENCRYPTION_OFF,
    ENCRYPTION_TME, /* all that okram stores is encrypted */
    ENCRYPTION_SME, /* pages whose page table entry has the C-bit are; okram's entries have none */
    ENCRYPTION_KINDS,
};

/*
 * On the CPU that is asked. Under a hypervisor nothing is read: what the guest sees of these says
 * nothing about the host's memory, and not every hypervisor has the MSRs that it announces.
 */
enum encryption encryption_read(cpuid_fn *cpuid, void *ctx, msr_fn *msr, bool hypervisor);

/* "tme", "sme", "off", "unknown". */
const char *encryption_name(enum encryption encryption);

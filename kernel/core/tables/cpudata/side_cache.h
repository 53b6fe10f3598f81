// SPDX-License-Identifier: MIT
/*
 * Memory-side caches: between the memory controller's input and the memory, for whoever accesses
 * it. Software can neither address nor flush them (Linux, admin-guide/mm/numaperf.rst): CLFLUSH
 * ends at the cache coherence domain of the CPUs, WBINVD at the processor's own caches, from which
 * it only signals to others that it does not wait for (Intel SDM vol. 2, CLFLUSH and WBINVD). So
 * what they hold reaches DRAM when other lines take its place, and not before.
 *
 * Firmware describes them in the HMAT (ACPI 6.5, 5.2.28.5): DRAM in front of Optane (Memory Mode),
 * HBM in front of DRAM. Of small ones in the processor it says nothing; these are known by model:
 *
 *     Lunar Lake     8 MiB   C. Lam, "Lion Cove: Intel's P-Core Roars", Chips and Cheese 2024
 *     Panther Lake   8 MiB   G. Cozma, "Panther Lake's Reveal at ITT 2025", Chips and Cheese 2025
 *
 * (models: Linux, arch/x86/include/asm/intel-family.h). On both all CPU cores go through it. How
 * much of it they may fill is not public. Not known here: eDRAM behind the system agent (some
 * Skylake to Coffee Lake), which the CPU does not report.
 */
#pragma once

#include <stdint.h>

#include "acpi/hmat.h"
#include "cpudata/cpu_model.h"

struct side_cache {
    uint64_t bytes; /* of the largest; 0: none is known */
    const char *by; /* who says so: "hmat", "cpu", which are the words in JSON, too; NULL */
};

/* hmat: all zeros if there is none. Its word comes first. */
struct side_cache side_cache_find(const struct hmat *hmat, struct cpu_model cpu);

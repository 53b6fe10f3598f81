// SPDX-License-Identifier: MIT
/*
 * The packages, which are the sockets, that a machine's CPUs sit in: an APIC ID holds the package
 * in its upper bits, and CPUID reports how many lower ones number the CPU inside it (Intel SDM
 * vol. 3A, 9.9; AMD APM vol. 3, appendix E.5).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpudata/cache_info.h"

/*
 * How many different ones the CPUs with these APIC IDs sit in. 0: not reported by CPUID. It is read
 * of one CPU, for all.
 */
uint32_t sockets_count(cpuid_fn *cpuid, void *ctx, const uint32_t *apic_ids, size_t n_cpus);

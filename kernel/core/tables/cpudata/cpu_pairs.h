// SPDX-License-Identifier: MIT
/*
 * How near CPUs are to each other: what two of them share, by their APIC IDs. Those whose IDs are
 * equal except for some low bits share a core, a cache or a socket; how many bits, CPUID reports
 * (Intel SDM vol. 3A, 9.9; AMD APM vol. 3, E.4.15 and E.5).
 */
#pragma once

#include <stdint.h>

#include "cpudata/cpu_kind.h"

/* The nearest that two CPUs share. */
enum cpu_share {
    CPU_SHARE_CORE, /* they are its threads */
    CPU_SHARE_L2,
    CPU_SHARE_L3,
    CPU_SHARE_SOCKET,
    CPU_SHARE_NONE, /* they are in different sockets */
    CPU_SHARES,
};

/* "core", "l2", "l3", "socket", "none". */
const char *cpu_share_name(enum cpu_share share);

struct cpu_place {
    uint32_t apic_id;
    uint8_t low_bits[CPU_SHARE_NONE]; /* 0: this CPU's alone, or there is none */
};

/* Of the CPU that runs CPUID. One socket where CPUID does not report it. */
struct cpu_place cpu_place_read(cpuid_fn *cpuid, void *ctx, uint32_t apic_id);

/* Two CPUs, as indices. */
struct cpu_pair {
    uint32_t first, second;
};

#define CPU_PAIR_NONE UINT32_MAX

/*
 * Of n CPUs one pair for each, by the nearest that it shares: the first in their order, so that
 * most have the same first CPU. A first of CPU_PAIR_NONE: there is no such pair.
 */
void cpu_pairs_choose(const struct cpu_place *place, uint32_t n,
                      struct cpu_pair ret_pair[CPU_SHARES]);

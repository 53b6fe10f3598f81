// SPDX-License-Identifier: MIT
/*
 * What one CPU is among the others of its machine: its kind in a hybrid machine (Intel SDM vol. 2A,
 * CPUID leaves 7 and 0x1A; AMD APM vol. 3, E.4.24: Fn8000_0026), and which CPUs are threads of one
 * core (SDM vol. 3A, 9.9; APM vol. 3, E.5). To be read on each CPU: they differ in what they say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpudata/cpuid_fn.h"

enum cpu_kind {
    CPU_KIND_ONLY, /* the machine is not hybrid */
    CPU_KIND_PERFORMANCE,
    CPU_KIND_EFFICIENCY,
    CPU_KIND_OTHER, /* hybrid, and of a kind that has no name yet */
    CPU_KINDS,
};

struct cpu_identity {
    enum cpu_kind kind;
    uint32_t thread_bits; /* the low bits of the APIC ID that number the threads of a core */
    bool has_microcode;   /* MSR 0x8B holds its version */
    bool is_intel;        /* it does after CPUID leaf 1 was read (SDM vol. 3A, 9.11.7.1) */
    bool is_amd;          /* or Hygon, from family 0xF on: SYSCFG says what is above 4 GiB */
    bool has_mtrrs;
    uint32_t physical_bits;
};

struct cpu_identity cpu_identity_read(cpuid_fn *cpuid, void *ctx);

/* "performance", "efficiency", "other"; "all" where there is only one kind. */
const char *cpu_kind_name(enum cpu_kind kind);

/* How many of the CPUs with these APIC IDs are threads of the core that has the one given. */
uint32_t cpu_threads_of_core(uint32_t apic_id, uint32_t thread_bits, const uint32_t *apic_ids,
                             size_t n_cpus);

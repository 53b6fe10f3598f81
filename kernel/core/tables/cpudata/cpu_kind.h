// SPDX-License-Identifier: MIT
/*
 * Which CPU it is, and what it is among the others of its machine: its kind in a hybrid machine
 * (Intel SDM vol. 2A, CPUID leaves 7 and 0x1A; AMD APM vol. 3, E.4.24: Fn8000_0026), and which CPUs
 * are threads of one core (SDM vol. 3A, 9.9; APM vol. 3, E.5). To be read on each CPU: they differ
 * in what they say. CPUID is a callback: the code is pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs CPUID: regs is EAX, EBX, ECX, EDX. */
typedef void cpuid_fn(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* Reads a model-specific register, which the CPU has: another raises an exception. */
typedef uint64_t msr_fn(uint32_t msr);

/* One leaf, as far as the CPU has it; false, and nothing is written: it has no such leaf. */
static inline bool cpuid_ask(cpuid_fn *call, void *ctx, uint32_t leaf, uint32_t ret_regs[4])
{
    uint32_t last[4];

    call(ctx, leaf & UINT32_C(0x80000000), 0, last);
    if (leaf > last[0])
        return false;
    call(ctx, leaf, 0, ret_regs);
    return true;
}

/* Whose CPU it is, and which (Intel SDM vol. 2A, CPUID leaves 0 and 1; AMD APM vol. 3, E.3). */
enum cpu_vendor { CPU_VENDOR_OTHER, CPU_VENDOR_INTEL, CPU_VENDOR_AMD, CPU_VENDOR_HYGON };

struct cpu_model {
    enum cpu_vendor vendor;
    uint32_t family, model, stepping; /* with the extended fields */
};

struct cpu_model cpu_model_read(cpuid_fn *cpuid, void *ctx);

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

/* How many groups n CPUs are of, whose APIC IDs are the same in a group but for the low bits. */
static inline uint32_t apic_ids_groups(const uint32_t *apic_ids, size_t n, uint32_t low_bits)
{
    uint32_t groups = 0;

    for (size_t i = 0, k; i < n; i++) {
        for (k = 0; apic_ids[k] >> low_bits != apic_ids[i] >> low_bits; k++)
            ;
        groups += k == i;
    }
    return groups;
}

/* How many of the CPUs with these APIC IDs are threads of the core that has the one given. */
uint32_t cpu_threads_of_core(uint32_t apic_id, uint32_t thread_bits, const uint32_t *apic_ids,
                             size_t n_cpus);

/*
 * How many low bits of an APIC ID number the CPU within its package, which is the socket; the upper
 * ones number the package (Intel SDM vol. 3A, 9.9; AMD APM vol. 3, appendix E.5). False: not
 * reported by CPUID.
 */
bool socket_bits_read(cpuid_fn *cpuid, void *ctx, uint32_t *ret_bits);

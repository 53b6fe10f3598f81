// SPDX-License-Identifier: MIT
/* The time stamp counter's frequency in Hz as CPUID reports it; 0: not reported, or impossible. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"

#define MSR_HYPER_V_TSC_HZ 0x40000022

struct tsc_cpuid {
    /* Intel SDM vol. 2A, CPUID leaf 15H: crystal and ratio; many CPUs report no crystal. */
    uint64_t crystal_hz;

    /* Leaf 16H: the CPU's base frequency; usually, but not always, close to the counter's. */
    uint64_t base_hz;

    /* Leaf 4000_0010H of hypervisors: VMware, KVM as QEMU sets it up, bhyve. */
    uint64_t hypervisor_hz;

    /* Whether the MSR above may be read (Hyper-V TLFS, 2.4.4, AccessFrequencyMsrs). */
    bool has_hyper_v_msr;
};

struct tsc_cpuid tsc_cpuid_read(cpuid_fn *cpuid, void *ctx);

/* The frequency, or 0 if it is outside the range of real counters. */
uint64_t tsc_cpuid_possible(uint64_t hz);

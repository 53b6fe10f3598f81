// SPDX-License-Identifier: MIT
#include "arch/arch.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/paging.h"
#include "arch/trap.h"

#define CR4_OSXSAVE (1u << 18)

static void enable_features(void)
{
    struct cpu_features f = cpu_features_read();

    if (f.nx)
        msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_NXE);
    msr_write(MSR_PAT, PAGING_PAT);
    if (f.avx2) {
        cr4_write(cr4_read() | CR4_OSXSAVE);
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"(f.avx512 ? XCR0_AVX | XCR0_AVX512 : XCR0_AVX), "d"(0));
    }
}

void arch_start_cpu(struct percpu *cpu)
{
    percpu_load(cpu);
    trap_load();
    enable_features();
}

void arch_start_boot_cpu(void)
{
    percpu_init(&percpu_boot, 0, 0);
    trap_init();
    arch_start_cpu(&percpu_boot);
}

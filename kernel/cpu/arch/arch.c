// SPDX-License-Identifier: MIT
#include "arch/arch.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/paging.h"
#include "arch/trap.h"

/* PG, WP, NE, ET, MP, PE: caches on, no emulation of the FPU, its errors are exceptions. */
#define CR0_ALL_CPUS 0x80010033u

#define CR4_ALL_CPUS   (CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT)
#define CR4_PAE        (1u << 5)
#define CR4_OSFXSR     (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_OSXSAVE    (1u << 18)

#define EFER_LONG_MODE (UINT64_C(1) << 8 | UINT64_C(1) << 10) /* LME, LMA */

#define MXCSR_DEFAULT 0x1f80u /* exceptions masked, round to nearest */
#define DR7_NO_BREAKS 0x400u

/*
 * What firmware left in the boot CPU, and what INIT leaves as it was in the others (SDM vol. 3A,
 * table 9-1), is replaced, not changed: all CPUs have the same. Of five-level paging, which cannot
 * be turned off here, CR4 keeps the bit.
 */
static void set_registers(void)
{
    struct cpu_features f = cpu_features_read();
    uint32_t mxcsr = MXCSR_DEFAULT;
    uint64_t cr4 = (cr4_read() & CR4_LA57) | CR4_ALL_CPUS;

    cr0_write(CR0_ALL_CPUS);
    cr4_write(f.avx2 ? cr4 | CR4_OSXSAVE : cr4);
    msr_write(MSR_EFER, (msr_read(MSR_EFER) & EFER_LONG_MODE) | (f.nx ? EFER_NXE : 0));
    msr_write(MSR_PAT, PAGING_PAT);
    if (f.avx2)
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"(f.avx512 ? XCR0_AVX | XCR0_AVX512 : XCR0_AVX), "d"(0));
    __asm__ volatile("fninit; ldmxcsr %0; mov %1, %%dr7"
                     :
                     : "m"(mxcsr), "r"((uint64_t)DR7_NO_BREAKS));
}

void arch_start_cpu(struct percpu *cpu)
{
    percpu_load(cpu);
    trap_load();
    set_registers();
}

void arch_start_boot_cpu(void)
{
    percpu_init(&percpu_boot, 0, 0);
    trap_init();
    arch_start_cpu(&percpu_boot);
}

// SPDX-License-Identifier: MIT
#include "arch/cpu.h"

#include "arch/cpuid.h"
#include "arch/paging.h"
#include "mce/mca.h"

#define CR4_MCE     (1u << 6)
#define CR4_OSXSAVE (1u << 18)

void cpu_enable_features(void)
{
    struct cpu_features f = cpu_features_read();

    if (f.nx)
        msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_NXE);
    msr_write(MSR_PAT, PAGING_PAT);
    mca_enable();
    cr4_write(cr4_read() | CR4_MCE);
    if (f.avx2) {
        cr4_write(cr4_read() | CR4_OSXSAVE);
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"(f.avx512 ? XCR0_AVX | XCR0_AVX512 : XCR0_AVX), "d"(0));
    }
}

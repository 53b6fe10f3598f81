// SPDX-License-Identifier: MIT
#include "boot/long_mode/long_mode.h"

#include <cpuid.h>
#include <stddef.h>
#include <stdint.h>

#define CPUID_LONG_MODE (1u << 29)
#define CPUID_SSE2      (1u << 26)
#define CR0_MP          (1u << 1)
#define CR0_EM          (1u << 2)
#define CR0_TS          (1u << 3)
#define CR4_OSFXSR      (1u << 9)
#define CR4_OSXMMEXCPT  (1u << 10)

static void turn_on_sse(void)
{
    uint32_t cr0, cr4;

    __asm__ volatile("mov %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("mov %0, %%cr0" : : "r"((cr0 & ~(CR0_EM | CR0_TS)) | CR0_MP));
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_OSFXSR | CR4_OSXMMEXCPT));
}

const char *cpu_check(void)
{
    uint32_t a, b, c, d;

    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(d & CPUID_LONG_MODE))
        return "okram needs a 64-bit CPU (x86-64 long mode); this one is not. Nothing was tested.";
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(d & CPUID_SSE2))
        return "okram needs a CPU with SSE2; this one has none. Nothing was tested.";
    turn_on_sse();
    return NULL;
}

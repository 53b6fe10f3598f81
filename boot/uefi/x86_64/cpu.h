// SPDX-License-Identifier: MIT
/* CPU registers that okram.efi uses, and the jump to the kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CR3_ADDRESS UINT64_C(0x000ffffffffff000)
#define CR4_LA57    (UINT64_C(1) << 12)

/* The physical address of the top level of the current page tables. */
static inline uint64_t cpu_cr3(void)
{
    uint64_t cr3;

    __asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
    return cr3 & CR3_ADDRESS;
}

static inline void cpu_set_cr3(uint64_t root)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(root) : "memory");
}

/* Whether firmware uses page tables of five levels. */
static inline bool cpu_has_five_levels(void)
{
    uint64_t cr4;

    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    return cr4 & CR4_LA57;
}

/* The kernel's entry as boot/multiboot2/entry.asm has it: EDI = FROM_LOADER, which is 0. */
static inline _Noreturn void cpu_enter(uint64_t entry)
{
    __asm__ volatile("cli\n\tcld\n\tjmp *%0" : : "r"(entry), "D"(UINT64_C(0)) : "memory");
    __builtin_unreachable();
}

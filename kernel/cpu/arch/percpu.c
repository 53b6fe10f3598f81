// SPDX-License-Identifier: MIT
#include "arch/percpu.h"

#include "arch/cpu.h"
#include "arch/paging.h"

#define TSS_AVAILABLE UINT64_C(0x89)
#define STACK_GUARD   UINT64_C(0xf3a10d5c6b0a7e00)

struct percpu percpu_boot;

/* Until then GS holds what firmware left: an address of its own map, never of okram's memory. */
struct percpu *percpu_if_loaded(void)
{
    uint64_t base = msr_read(MSR_GS_BASE);

    return base >= ARENA_BASE ? (struct percpu *)base : NULL;
}

void percpu_init(struct percpu *cpu, uint32_t number, uint32_t apic_id)
{
    uint64_t tss = (uint64_t)&cpu->tss;

    cpu->self = cpu;
    cpu->number = number;
    cpu->apic_id = apic_id;
    cpu->stack_guard = STACK_GUARD;
    for (int i = 0; i < IST_COUNT; i++)
        cpu->tss.ist[i] = (uint64_t)(cpu->ist_stack[i] + IST_STACK_BYTES);
    cpu->tss.io_map = sizeof(cpu->tss);
    cpu->gdt[SELECTOR_CODE / 8] = UINT64_C(0x00af9a000000ffff);
    cpu->gdt[SELECTOR_DATA / 8] = UINT64_C(0x00cf92000000ffff);
    cpu->gdt[SELECTOR_TSS / 8] = (sizeof(cpu->tss) - 1) | (tss & 0xffffff) << 16 |
                                 TSS_AVAILABLE << 40 | (tss >> 24 & 0xff) << 56;
    cpu->gdt[SELECTOR_TSS / 8 + 1] = tss >> 32;
}

void percpu_load(struct percpu *cpu)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = { sizeof(cpu->gdt) - 1, (uint64_t)cpu->gdt };

    __asm__ volatile("lgdt %0\n\t"
                     "push %1\n\t"
                     "lea 1f(%%rip), %%rax\n\t"
                     "push %%rax\n\t"
                     "lretq\n"
                     "1: mov %2, %%ds\n\t"
                     "mov %2, %%es\n\t"
                     "mov %2, %%ss\n\t"
                     "ltr %w3"
                     :
                     : "m"(pointer), "i"(SELECTOR_CODE), "r"(SELECTOR_DATA), "r"(SELECTOR_TSS)
                     : "rax", "memory");
    msr_write(MSR_GS_BASE, (uint64_t)cpu);
    msr_write(MSR_FS_BASE, (uint64_t)cpu);
}

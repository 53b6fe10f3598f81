// SPDX-License-Identifier: MIT
/* Single privileged instructions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MSR_APIC_BASE  0x1b
#define MSR_MCG_STATUS 0x17a
#define MSR_PAT        0x277
#define MSR_EFER       0xc0000080
#define MSR_FS_BASE    0xc0000100
#define MSR_GS_BASE    0xc0000101
#define EFER_NXE       (1u << 11)
#define CR4_LA57       (UINT64_C(1) << 12)

/* State components that XSETBV turns on (SDM vol. 1, 13.1). */
#define XCR0_AVX    7u    /* x87, SSE, AVX */
#define XCR0_AVX512 0xe0u /* opmask, upper halves of ZMM0-15, ZMM16-31 */

static inline uint64_t msr_read(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void msr_write(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

/*
 * The same where the CPU may have no such register (arch/trap.asm): false, and nothing was read or
 * written. Outside of handlers.
 */
bool msr_try_read(uint32_t msr, uint64_t *ret_value);
bool msr_try_write(uint32_t msr, uint64_t value);

#define CPU_CONTROL_READ(reg)                                                                      \
    static inline uint64_t reg##_read(void)                                                        \
    {                                                                                              \
        uint64_t value;                                                                            \
                                                                                                   \
        __asm__ volatile("mov %%" #reg ", %0" : "=r"(value));                                      \
        return value;                                                                              \
    }

#define CPU_CONTROL_WRITE(reg)                                                                     \
    static inline void reg##_write(uint64_t value)                                                 \
    {                                                                                              \
        __asm__ volatile("mov %0, %%" #reg : : "r"(value) : "memory");                             \
    }

CPU_CONTROL_WRITE(cr0)
CPU_CONTROL_READ(cr2)
CPU_CONTROL_READ(cr3)
CPU_CONTROL_WRITE(cr3)
CPU_CONTROL_READ(cr4)
CPU_CONTROL_WRITE(cr4)

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

static inline void cpu_invalidate_page(uint64_t virt)
{
    __asm__ volatile("invlpg (%0)" : : "r"(virt) : "memory");
}

/* The line's next read is answered by memory, with all that was written to it before. */
__attribute__((always_inline)) static inline void cpu_flush_line(const volatile void *at)
{
    __asm__ volatile("mfence; clflush %0; mfence" : : "m"(*(const volatile char *)at) : "memory");
}

/* Lets an interrupt in while halting; with interrupts off before and after. */
static inline void cpu_halt_until_interrupt(void)
{
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

/* Takes those that are pending; with interrupts off before and after. */
static inline void cpu_let_interrupts_in(void)
{
    __asm__ volatile("sti; nop; cli" : : : "memory");
}

_Noreturn static inline void cpu_stop(void)
{
    for (;;)
        __asm__ volatile("cli; hlt" : : : "memory");
}

/*
 * Exceptions and interrupts. Exceptions are okram's own faults, or the machine's: each ends in a
 * readable panic. Interrupts only wake a halted CPU: their handler acknowledges and returns.
 */
#pragma once

#include <stdint.h>

/* As arch/trap.asm pushes it. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Fills the interrupt table; once. */
void trap_init(void);

/* On every CPU: loads the table. */
void trap_load(void);

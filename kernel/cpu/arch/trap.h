// SPDX-License-Identifier: MIT
/*
 * Exceptions and interrupts. Exceptions are okram's own errors, or the machine's: each ends in a
 * readable panic, or, where the others can do without the CPU, stops that CPU alone. NMIs
 * (arch/nmi.h) and machine checks are recorded, and the CPU goes on if it can. In a call of
 * firmware's code (arch/firmware_call.h) each ends the call. Interrupts only wake a halted CPU:
 * their handler acknowledges and returns. Vectors that okram does not use end nothing, either.
 */
#pragma once

#include <stdbool.h>
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

/* The name of an exception, for a message; "reserved" where it has none. */
const char *trap_name(uint64_t vector);

/*
 * Asked on a CPU that cannot go on after an exception, whether the others can: true, and the CPU
 * halts for ever; false, and all ends in a panic.
 */
typedef bool (*trap_give_up)(const struct trap_frame *frame);
void trap_set_give_up(trap_give_up give_up);

enum trap_verdict {
    TRAP_GO_ON,    /* where the CPU was interrupted */
    TRAP_STOP_CPU, /* it cannot go on, the others can */
    TRAP_FATAL,    /* nothing can */
};

/* Asked in a machine-check exception; without it the verdict is TRAP_FATAL. */
void trap_set_machine_check(enum trap_verdict (*handle)(void));

/*
 * Called with the vector of an interrupt that okram does not use, on the CPU that it came to, to
 * acknowledge it.
 */
void trap_set_interrupt(void (*handle)(uint32_t vector));

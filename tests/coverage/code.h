// SPDX-License-Identifier: MIT
/*
 * The machine code under test: section okram_text of the bench, where coverage.mk puts the shipped
 * objects' code.
 *
 * All of it is decoded once. What faults on guarded memory needs no change. Fences and prefetches
 * do not fault, so HLT stands in the place of their first byte, as a breakpoint does: in user mode
 * it faults, too, and on virtual machines much faster than INT3 or the trap flag.
 */
#pragma once

#include <stdint.h>

enum code_kind {
    CODE_OTHER, /* no access of memory */
    CODE_LOAD,
    CODE_STORE,
    CODE_STREAM, /* a non-temporal store */
    CODE_FLUSH,
    CODE_PREFETCH,
    CODE_LFENCE,
    CODE_SFENCE,
    CODE_MFENCE,
    CODE_UNKNOWN, /* accesses memory in a way that the bench has no model of */
};

/* Registers by their number in machine code: rax rcx rdx rbx rsp rbp rsi rdi r8 to r15; or none. */
#define CODE_NO_REGISTER 16

struct instruction {
    enum code_kind kind;
    uint8_t length;
    uint8_t size; /* of the memory operand */
    uint8_t base, index, scale;
    int64_t displacement;
    void *stand_in; /* see code_stand_in */
};

/* Decodes the code under test and puts in the HLTs. Once, before anything else. */
void code_prepare(void);

/* The instruction that begins there; NULL: none of the code under test. */
struct instruction *code_at(uintptr_t rip);

/*
 * Code that does what the load, store or flush at rip does, with GS as the segment of its operand,
 * and jumps to what follows it: the same bytes, with a prefix.
 */
void *code_stand_in(uintptr_t rip, struct instruction *instruction);

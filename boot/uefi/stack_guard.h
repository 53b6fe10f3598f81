// SPDX-License-Identifier: MIT
/*
 * The guard value of -fstack-protector-strong: a function with an array puts it between its
 * variables and its return address, and calls __stack_chk_fail, a panic, if it has changed. Both
 * names are gcc's; -mstack-protector-guard=global reads the value from a variable, as firmware has
 * no thread-local storage.
 */
#pragma once

#include <stdint.h>

extern uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

/* A function that has a guard value on its stack must not see it change. */
#define STACK_GUARD_NONE __attribute__((no_stack_protector))

/*
 * Makes the value one that a program of before cannot know: of RDRAND, where the CPU has it, and of
 * the time stamp counter. Once, first of all, by a function with STACK_GUARD_NONE.
 */
void stack_guard_seed(void);

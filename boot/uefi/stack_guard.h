// SPDX-License-Identifier: MIT
/*
 * The guard value of -fstack-protector-strong: a function with an array puts it between its
 * variables and its return address, and calls __stack_chk_fail, a panic, if it has changed. Both
 * names are gcc's; -mstack-protector-guard=global reads the value from a variable, because firmware
 * has no thread-local storage.
 */
#pragma once

#include <stdint.h>

extern uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

/* For a function during which the value is set: its own check would fail. */
#define STACK_GUARD_NONE __attribute__((no_stack_protector))

/*
 * Sets a value that an earlier program cannot know, from RDRAND, if the CPU has it, and the time
 * stamp counter. Once, first of all, from a function with STACK_GUARD_NONE.
 */
void stack_guard_seed(void);

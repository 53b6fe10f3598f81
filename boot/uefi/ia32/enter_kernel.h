// SPDX-License-Identifier: MIT
/* The way out of 32-bit code: enter_kernel.asm. */
#pragma once

#include <stdint.h>

/*
 * Turns 64-bit mode on with these page tables, and enters the kernel as boot/multiboot2/entry.asm
 * has it; entry is an offset from its base.
 */
_Noreturn void enter_kernel(uint32_t root, uint32_t entry);

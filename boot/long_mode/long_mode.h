// SPDX-License-Identifier: MIT
/* The way out of 32-bit code, which any CPU can run: for 32-bit loaders. */
#pragma once

#include <stdint.h>

/*
 * Whether the CPU has long mode and SSE2; turns SSE on (Intel SDM vol. 3A, 9.6). NULL: it has them;
 * else a sentence.
 */
const char *cpu_check(void);

/*
 * For 32-bit UEFI (boot/uefi/ia32/enter_kernel.asm): turns 64-bit mode on with these page tables,
 * and enters the kernel as boot/multiboot2/entry.asm has it; entry is an offset from its base.
 */
_Noreturn void enter_kernel(uint32_t root, uint32_t entry);

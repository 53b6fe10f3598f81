// SPDX-License-Identifier: MIT
/*
 * Calls of libraries that were compiled for Linux, which assumes what firmware does not guarantee:
 * a stack guard at FS:0x28 (firmware's FS begins at 0, where it may have mapped nothing), and 128
 * bytes below the stack pointer that no interrupt writes to (firmware's handlers use the
 * interrupted stack; the psABI calls them the red zone). So each call gets an FS of its own, with
 * interrupts off: at most some milliseconds. The linker (--wrap, boot/uefi.mk) redirects all calls
 * to here.
 */
#pragma once

#include <stdint.h>

/* What was before the call. */
struct library_call {
    uint64_t flags, fs_base;
};

/* Calls do not nest. */
struct library_call library_call_begin(void);
void library_call_end(struct library_call call);

// SPDX-License-Identifier: MIT
/*
 * What ends the run at once. The kernel stops all CPUs and shows why on screen and serial; the host
 * prints and aborts.
 */
#pragma once

/* A broken invariant: ASSERT stays in the release build. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* okram is right, but of the memory that it needs itself too much is faulty or missing. */
_Noreturn void panic_of_memory(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            panic("%s:%d: assertion failed: %s", __FILE__, __LINE__, #condition);                  \
    } while (0)

// SPDX-License-Identifier: MIT
/*
 * A broken invariant ends the run: ASSERT stays in the release build.
 * The kernel's panic stops all CPUs and shows why on screen and serial; the host's prints and
 * aborts.
 */
#pragma once

_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            panic("%s:%d: assertion failed: %s", __FILE__, __LINE__, #condition);                  \
    } while (0)

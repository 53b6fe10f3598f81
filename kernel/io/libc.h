// SPDX-License-Identifier: MIT
/*
 * What libraries that the distribution has compiled for Linux call in addition to lib/string.h:
 * libqrcodegen and BearSSL, with assertions and checks of _FORTIFY_SOURCE. Each that fails is a
 * panic. For the kernel and the 64-bit UEFI programs, whose own code calls none of these; their
 * __stack_chk_fail is in arch/panic.c and boot/uefi/stack_guard.c.
 */
#pragma once

#include <stddef.h>

_Noreturn void __assert_fail(const char *condition, const char *file, unsigned line,
                             const char *function);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
int abs(int x);
long labs(long x);

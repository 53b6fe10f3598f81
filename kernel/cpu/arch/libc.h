// SPDX-License-Identifier: MIT
/*
 * What the objects of libqrcodegen.a call in addition to lib/string.h, as its distribution has
 * compiled it: with assertions, a stack protector, whose guard is in struct percpu, and checks of
 * _FORTIFY_SOURCE. The kernel's own code calls none of these. Each that fails is a panic.
 */
#pragma once

#include <stddef.h>

_Noreturn void __assert_fail(const char *condition, const char *file, unsigned line,
                             const char *function);
_Noreturn void __stack_chk_fail(void);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room);
int abs(int x);
long labs(long x);

// SPDX-License-Identifier: MIT
/* What a person is told on standard error, and memory that is there or ends the program. */
#pragma once

#include <stddef.h>

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; exit status 2. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *allocate(size_t bytes);

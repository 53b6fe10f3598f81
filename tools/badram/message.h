// SPDX-License-Identifier: MIT
/* Messages on standard error, and memory. */
#pragma once

#include <stddef.h>

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a message, then exits with status 2. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails without memory. */
void *allocate(size_t bytes);

// SPDX-License-Identifier: MIT
/* On the host what ends the run prints and aborts, so that the test that met it fails. */
#include "lib/panic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static void print_and_abort(const char *format, va_list args)
{
    fputs("panic: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    abort();
}

void panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_and_abort(format, args);
}

void panic_of_memory(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_and_abort(format, args);
}

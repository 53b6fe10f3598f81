// SPDX-License-Identifier: MIT
/* On the host a broken invariant prints and aborts, so that the test that met it fails. */
#include "lib/panic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("panic: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

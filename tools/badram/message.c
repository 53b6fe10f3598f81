// SPDX-License-Identifier: MIT
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void print(const char *format, va_list args)
{
    fflush(stdout); /* keeps their order where both go to one place */
    fputs("okram: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void message(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
}

void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(format, args);
    va_end(args);
    exit(2);
}

void *allocate(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p)
        fail("no memory for %zu bytes", bytes);
    return p;
}

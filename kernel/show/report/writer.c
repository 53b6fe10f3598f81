// SPDX-License-Identifier: MIT
#include "report/writer.h"

#include <stdarg.h>

#include "lib/fmt.h"
#include "lib/panic.h"
#include "lib/string.h"

void writer_text(const struct writer *w, const char *text)
{
    w->write(w->ctx, text, strlen(text));
}

void writer_padded(const struct writer *w, const char *text, size_t width)
{
    writer_text(w, text);
    for (size_t n = strlen(text); n < width; n++)
        w->write(w->ctx, " ", 1);
}

void writer_print(const struct writer *w, const char *format, ...)
{
    char text[256];
    va_list args;
    size_t n;

    va_start(args, format);
    n = fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    ASSERT(n < sizeof(text));
    w->write(w->ctx, text, n);
}

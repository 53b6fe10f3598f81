// SPDX-License-Identifier: MIT
#include "lib/warn.h"

#include "lib/fmt.h"

void warn_print(const struct warnings *to, const char *format, ...)
{
    char text[WARNING_TEXT_MAX];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    to->warn(to->ctx, text);
}

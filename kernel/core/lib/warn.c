// SPDX-License-Identifier: MIT
#include "lib/warn.h"

#include "lib/fmt.h"

static void say_nothing(void *ctx, const char *text)
{
}

const struct warnings warnings_silent = { .warn = say_nothing };

void warn_print(const struct warnings *to, const char *format, ...)
{
    char text[WARNING_TEXT_MAX];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    to->warn(to->ctx, text);
}

void warn_counts(const struct warnings *to, const char *table, const char *const *text,
                 const uint64_t *count, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (count[i])
            warn_print(to, "%s: %s: %lu", table, text[i], (unsigned long)count[i]);
    }
}

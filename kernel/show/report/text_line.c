// SPDX-License-Identifier: MIT
#include "report/text_line.h"

#include <stdarg.h>

void text_begin(struct text_log *l, const char *label)
{
    fmt_append(&l->out, TEXT_TIME "%-11s", l->t, label);
}

void text_line(struct text_log *l, const char *label, const char *format, ...)
{
    va_list args;

    text_begin(l, label);
    va_start(args, format);
    fmt_vappend(&l->out, format, args);
    va_end(args);
    fmt_append(&l->out, "\n");
}

void text_put_span(struct text_log *l, struct span s)
{
    fmt_append(&l->out, "0x%012lx-0x%012lx  %s", s.base, span_end(s), FMT_SIZE(s.size));
}

// SPDX-License-Identifier: MIT
#include "report/text_line.h"

#include "lib/fmt.h"
#include "report/format_text.h"

#define LABEL_WIDTH 11

void text_begin(const struct writer *out, double t)
{
    writer_print(out, "[%10.3f] ", t);
}

void text_put_size(const struct writer *out, uint64_t bytes)
{
    char size[24];
    struct fmt_buffer b = fmt_buffer_make(size, sizeof(size));

    fmt_append_size(&b, bytes);
    writer_text(out, size);
}

void text_put_duration(const struct writer *out, double seconds)
{
    char duration[24];
    struct fmt_buffer b = fmt_buffer_make(duration, sizeof(duration));

    format_text_append_duration(&b, seconds);
    writer_text(out, duration);
}

void text_put_span(const struct writer *out, struct span s)
{
    writer_print(out, "0x%012lx-0x%012lx  ", s.base, span_end(s));
    text_put_size(out, s.size);
}

void text_begin_labelled(const struct writer *out, double t, const char *label)
{
    text_begin(out, t);
    writer_padded(out, label, LABEL_WIDTH);
}

void text_labelled(const struct writer *out, double t, const char *label, const char *text)
{
    text_begin_labelled(out, t, label);
    writer_text(out, text);
    writer_text(out, "\n");
}

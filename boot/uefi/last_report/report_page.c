// SPDX-License-Identifier: MIT
#include "report_page.h"

/* The bytes of the UTF-8 character at s (RFC 3629), or 0. */
static unsigned utf8_length(const unsigned char *s)
{
    unsigned n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;

    for (unsigned i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void append_records(struct fmt_buffer *out, const char *jsonl)
{
    const unsigned char *s = (const unsigned char *)jsonl;

    while (*s) {
        unsigned n = *s < 0x80 ? 1 : utf8_length(s);

        if (*s == '<' || *s == '&')
            fmt_append(out, "\\u%04x", *s);
        else if (!n || (*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)
            fmt_append(out, "?");
        else
            fmt_append(out, "%.*s", (int)n, (const char *)s);
        s += n ? n : 1;
    }
}

void report_append_page(const struct saved_report *report, struct fmt_buffer *out)
{
    fmt_append(out, "%s", viewer_head);
    append_records(out, report->jsonl);
    fmt_append(out, "%s", viewer_end);
}

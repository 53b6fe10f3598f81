// SPDX-License-Identifier: MIT
#include "html_text.h"

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

void html_append_text(struct fmt_buffer *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        unsigned n = *s < 0x80 ? 1 : utf8_length(s);

        if (*s == '<')
            fmt_append(out, "&lt;");
        else if (*s == '>')
            fmt_append(out, "&gt;");
        else if (*s == '&')
            fmt_append(out, "&amp;");
        else if (!n || (*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)
            fmt_append(out, "?");
        else
            fmt_append(out, "%.*s", (int)n, (const char *)s);
        s += n ? n : 1;
    }
}

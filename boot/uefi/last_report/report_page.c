// SPDX-License-Identifier: MIT
#include "report_page.h"

#include "lib/string.h"
#include "options/number.h"
#include "saved/json_line.h"

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

/* The parts in their order, terminated. Returns the bytes. */
static size_t join(const struct saved_variables *variables, char out[SAVED_JSONL_MAX])
{
    size_t n = 0;

    for (unsigned i = 0; i < SAVED_PARTS_MAX && variables->part[i].bytes; i++) {
        size_t size = variables->part[i].size;

        if (size > SAVED_VARIABLE_MAX)
            break;
        memcpy(out + n, variables->part[i].bytes, size);
        n += size;
    }
    out[n] = 0;
    return n;
}

enum status report_packet_make(const struct saved_variables *variables, const char *uuid,
                               struct report_packet *ret_packet)
{
    struct fmt_buffer name = fmt_buffer_make(ret_packet->name, sizeof(ret_packet->name));
    size_t joined = join(variables, ret_packet->bytes);
    const char *lines = json_line_next(ret_packet->bytes);
    char crc[12], bytes[24];
    uint64_t size;

    if (!lines || !json_line_value(ret_packet->bytes, "crc32c", crc, sizeof(crc)) ||
        !json_line_value(ret_packet->bytes, "bytes", bytes, sizeof(bytes)) ||
        !number_parse(bytes, 0, joined - (size_t)(lines - ret_packet->bytes), &size))
        return STATUS_NOT_FOUND;
    ret_packet->size = (size_t)(lines - ret_packet->bytes) + (size_t)size;
    fmt_append(&name, "%s-%s.jsonl", uuid[0] ? uuid : "unknown", crc + 2); /* without 0x */
    return STATUS_OK;
}

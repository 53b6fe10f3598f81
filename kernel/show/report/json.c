// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "lib/fmt.h"

static void put_string(struct json *j, const char *s)
{
    writer_text(j->out, "\"");
    while (*s) {
        char piece[2] = { *s }, escaped[8];
        struct fmt_buffer b = fmt_buffer_make(escaped, sizeof(escaped));
        size_t plain = 0;

        while (s[plain] >= ' ' && s[plain] <= '~' && s[plain] != '"' && s[plain] != '\\')
            plain++;
        if (plain) {
            j->out->write(j->out->ctx, s, plain);
            s += plain;
            continue;
        }
        fmt_append_json(&b, piece);
        writer_text(j->out, escaped);
        s++;
    }
    writer_text(j->out, "\"");
}

void json_comma(struct json *j)
{
    if (!j->first)
        writer_text(j->out, ",");
    j->first = false;
}

void json_name(struct json *j, const char *name)
{
    json_comma(j);
    put_string(j, name);
    writer_text(j->out, ":");
}

void json_open(struct json *j, const char *bracket)
{
    writer_text(j->out, bracket);
    j->first = true;
}

void json_close(struct json *j, const char *bracket)
{
    writer_text(j->out, bracket);
    j->first = false;
}

void json_text(struct json *j, const char *name, const char *value)
{
    json_name(j, name);
    put_string(j, value);
}

void json_texts(struct json *j, const char *name, const char *const *values, size_t n)
{
    json_name(j, name);
    json_open(j, "[");
    for (size_t i = 0; i < n; i++) {
        json_comma(j);
        put_string(j, values[i]);
    }
    json_close(j, "]");
}

void json_integer(struct json *j, const char *name, uint64_t value)
{
    json_name(j, name);
    writer_print(j->out, "%lu", (unsigned long)value);
}

void json_bool(struct json *j, const char *name, bool value)
{
    json_name(j, name);
    writer_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *name)
{
    json_name(j, name);
    writer_text(j->out, "null");
}

void json_number(struct json *j, const char *name, double value, int decimals)
{
    /* Neither nan nor infinity is a JSON number; nothing okram measures reaches 10^15. */
    if (!(value > -1e15 && value < 1e15)) {
        json_null(j, name);
        return;
    }
    json_name(j, name);
    writer_print(j->out, "%.*f", decimals, value);
}

void json_hex(struct json *j, const char *name, uint64_t value)
{
    json_name(j, name);
    writer_print(j->out, "\"0x%lx\"", (unsigned long)value);
}

void json_hex_pair(struct json *j, uint64_t a, uint64_t b)
{
    json_comma(j);
    writer_print(j->out, "[\"0x%lx\",\"0x%lx\"]", (unsigned long)a, (unsigned long)b);
}

// SPDX-License-Identifier: MIT
#include "lib/json.h"

void json_name(struct json *j, const char *name)
{
    if (!j->first)
        fmt_append(j->out, ",");
    j->first = false;
    if (name)
        fmt_append(j->out, "\"%s\":", name);
}

static void open(struct json *j, const char *bracket)
{
    fmt_append(j->out, "%s", bracket);
    j->first = true;
}

void json_object(struct json *j, const char *name)
{
    json_name(j, name);
    open(j, "{");
}

void json_array(struct json *j, const char *name)
{
    json_name(j, name);
    open(j, "[");
}

void json_close(struct json *j, const char *bracket)
{
    fmt_append(j->out, "%s", bracket);
    j->first = false;
}

void json_text(struct json *j, const char *name, const char *value)
{
    if (!value) {
        json_null(j, name);
        return;
    }
    json_name(j, name);
    fmt_append(j->out, "\"");
    fmt_append_json(j->out, value);
    fmt_append(j->out, "\"");
}

void json_text_if_any(struct json *j, const char *name, const char *value)
{
    json_text(j, name, value[0] ? value : NULL);
}

void json_texts(struct json *j, const char *name, const char *const *values, size_t n)
{
    json_array(j, name);
    for (size_t i = 0; i < n; i++)
        json_text(j, NULL, values[i]);
    json_close(j, "]");
}

void json_integer(struct json *j, const char *name, uint64_t value)
{
    json_name(j, name);
    fmt_append(j->out, "%lu", (unsigned long)value);
}

void json_bool(struct json *j, const char *name, bool value)
{
    json_name(j, name);
    fmt_append(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *name)
{
    json_name(j, name);
    fmt_append(j->out, "null");
}

void json_number(struct json *j, const char *name, double value, int decimals)
{
    /* Neither nan nor infinity is a JSON number; nothing okram measures reaches 10^15. */
    if (!(value > -1e15 && value < 1e15)) {
        json_null(j, name);
        return;
    }
    json_name(j, name);
    fmt_append(j->out, "%.*f", decimals, value);
}

void json_hex(struct json *j, const char *name, uint64_t value)
{
    json_name(j, name);
    fmt_append(j->out, "\"0x%lx\"", (unsigned long)value);
}

void json_bytes(struct json *j, const char *name, const uint8_t *byte, size_t n)
{
    json_name(j, name);
    fmt_append(j->out, "\"");
    for (size_t i = 0; i < n; i++)
        fmt_append(j->out, "%02x", byte[i]);
    fmt_append(j->out, "\"");
}

void json_hex_pair(struct json *j, const char *name, uint64_t a, uint64_t b)
{
    json_name(j, name);
    fmt_append(j->out, "[\"0x%lx\",\"0x%lx\"]", (unsigned long)a, (unsigned long)b);
}

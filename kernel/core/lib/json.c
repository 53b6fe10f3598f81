// SPDX-License-Identifier: MIT
#include "lib/json.h"

void json_comma(struct json *j)
{
    if (!j->first)
        fmt_append(j->out, ",");
    j->first = false;
}

void json_name(struct json *j, const char *name)
{
    json_comma(j);
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

void json_element(struct json *j)
{
    json_comma(j);
    open(j, "{");
}

void json_close(struct json *j, const char *bracket)
{
    fmt_append(j->out, "%s", bracket);
    j->first = false;
}

static void put_string(struct json *j, const char *s)
{
    fmt_append(j->out, "\"");
    fmt_append_json(j->out, s);
    fmt_append(j->out, "\"");
}

void json_text(struct json *j, const char *name, const char *value)
{
    if (!value) {
        json_null(j, name);
        return;
    }
    json_name(j, name);
    put_string(j, value);
}

void json_text_if_any(struct json *j, const char *name, const char *value)
{
    json_text(j, name, value[0] ? value : NULL);
}

void json_texts(struct json *j, const char *name, const char *const *values, size_t n)
{
    json_array(j, name);
    for (size_t i = 0; i < n; i++) {
        json_comma(j);
        put_string(j, values[i]);
    }
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

void json_known(struct json *j, const char *name, uint64_t value)
{
    if (value)
        json_integer(j, name, value);
    else
        json_null(j, name);
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

void json_hex_if(struct json *j, bool has, const char *name, uint64_t value)
{
    if (has)
        json_hex(j, name, value);
    else
        json_null(j, name);
}

void json_hex_pair(struct json *j, uint64_t a, uint64_t b)
{
    json_comma(j);
    fmt_append(j->out, "[\"0x%lx\",\"0x%lx\"]", (unsigned long)a, (unsigned long)b);
}

// SPDX-License-Identifier: MIT
#include "saved/json_line.h"

#include "lib/string.h"

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static bool is_end(char c)
{
    return c == 0 || c == '\n';
}

/* Past the string that begins at p; NULL: it has no end. */
static const char *skip_string(const char *p)
{
    for (p++; !is_end(*p); p++) {
        if (*p == '"')
            return p + 1;
        if (*p == '\\' && is_end(*++p))
            return NULL;
    }
    return NULL;
}

static const char *skip_scalar(const char *p)
{
    while (!is_end(*p) && !strchr(",}] \t\r", *p))
        p++;
    return p;
}

/* Past the array or object; brackets are counted, not matched. */
static const char *skip_nested(const char *p)
{
    unsigned depth = 0;

    while (p && !is_end(*p)) {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += *p == '[' || *p == '{';
        depth -= *p == ']' || *p == '}';
        p++;
        if (!depth)
            return p;
    }
    return NULL;
}

static const char *skip_value(const char *p)
{
    if (*p == '"')
        return skip_string(p);
    return *p == '[' || *p == '{' ? skip_nested(p) : skip_scalar(p);
}

static char resolved(char escaped)
{
    return escaped == '"' || escaped == '\\' || escaped == '/' ? escaped : '?';
}

static bool copy_value(const char *p, const char *end, char *out, size_t size)
{
    size_t n = 0;

    if (*p == '"') {
        p++;
        end--;
    }
    for (; p < end; p++) {
        char c = *p == '\\' ? resolved(*++p) : *p;

        if (n + 1 >= size)
            return false;
        out[n++] = c >= ' ' && c <= '~' ? c : '?';
    }
    out[n] = 0;
    return true;
}

/* The field after the { or comma at p. */
static bool read_field(const char *p, struct json_field *ret_field)
{
    struct json_field f = { .name = skip_blanks(p + 1) };

    f.name_end = *f.name == '"' ? skip_string(f.name) : NULL;
    f.value = f.name_end ? skip_blanks(f.name_end) : NULL;
    if (!f.value || *f.value != ':')
        return false;
    f.value = skip_blanks(f.value + 1);
    f.end = skip_value(f.value);
    *ret_field = f;
    return f.end && f.end > f.value;
}

const char *json_line_find(const char *line, const char *key, const char **ret_end)
{
    size_t length = strlen(key);
    const char *p = skip_blanks(line);
    struct json_field f;

    if (*p != '{')
        return NULL;
    do {
        if (!read_field(p, &f))
            return NULL;
        if ((size_t)(f.name_end - f.name) == length + 2 && memcmp(f.name + 1, key, length) == 0) {
            *ret_end = f.end;
            return f.value;
        }
        p = skip_blanks(f.end);
    } while (*p == ',');
    return NULL;
}

bool json_line_field(const char **at, struct json_field *ret_field)
{
    const char *p = skip_blanks(*at);

    if ((*p != '{' && *p != ',') || !read_field(p, ret_field))
        return false;
    *at = ret_field->end;
    return true;
}

bool json_line_is_object(const char *line)
{
    const char *p = skip_blanks(line);
    struct json_field f;

    if (*p != '{')
        return false;
    do {
        if (!read_field(p, &f))
            return false;
        p = skip_blanks(f.end);
    } while (*p == ',');
    return *p == '}' && is_end(*skip_blanks(p + 1));
}

bool json_line_value(const char *line, const char *key, char *out, size_t size)
{
    const char *end, *value = json_line_find(line, key, &end);

    return value && *value != '[' && *value != '{' && copy_value(value, end, out, size);
}

bool json_line_texts(const char **at, const char *end, char *out, size_t size)
{
    bool is_first = **at == '[';
    const char *text, *behind;

    if (!is_first && **at != ',')
        return false;
    text = skip_blanks(*at + 1);
    if (is_first && *text == ']')
        *at = text;
    behind = *text == '"' ? skip_string(text) : NULL;
    if (!behind || behind > end || !copy_value(text, behind, out, size))
        return false;
    *at = skip_blanks(behind);
    return true;
}

const char *json_line_next(const char *text)
{
    const char *end = strchr(text, '\n');

    return end && end[1] ? end + 1 : NULL;
}

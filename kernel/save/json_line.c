// SPDX-License-Identifier: MIT
#include "save/json_line.h"

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

bool json_line_value(const char *line, const char *key, char *out, size_t size)
{
    size_t key_length = strlen(key);
    const char *p = skip_blanks(line);

    if (*p != '{')
        return false;
    do {
        const char *name = skip_blanks(p + 1), *value, *end;

        end = *name == '"' ? skip_string(name) : NULL;
        value = end ? skip_blanks(end) : NULL;
        if (!value || *value != ':')
            return false;
        value = skip_blanks(value + 1);
        p = skip_value(value);
        if (!p)
            return false;
        if ((size_t)(end - name) == key_length + 2 && memcmp(name + 1, key, key_length) == 0)
            return *value != '[' && *value != '{' && p > value && copy_value(value, p, out, size);
        p = skip_blanks(p);
    } while (*p == ',');
    return false;
}

const char *json_line_next(const char *text)
{
    const char *end = strchr(text, '\n');

    return end && end[1] ? end + 1 : NULL;
}

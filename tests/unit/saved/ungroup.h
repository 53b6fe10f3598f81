// SPDX-License-Identifier: MIT
/* The records of a line of saved/saved_lines.h again, for tests of those who write such lines. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "lib/fmt.h"
#include "saved/json_line.h"

/* What is behind an element of an array: its comma or bracket. */
static inline const char *ungroup_end(const char *p)
{
    bool in_string = false;

    for (int depth = 0; *p && (depth || in_string || !strchr(",]", *p)); p++) {
        if (*p == '\\')
            p++;
        else if (*p == '"')
            in_string = !in_string;
        else if (!in_string)
            depth += !!strchr("[{", *p) - !!strchr("]}", *p);
    }
    return p;
}

/* Element k of the list of field f in `also`, or the field's own value. False: there is neither. */
static inline bool ungroup_value(const char *also, const struct json_field *f, size_t k,
                                 const char **ret_value, const char **ret_end)
{
    size_t n = (size_t)(f->name_end - f->name);
    const char *at = NULL;
    struct json_field list;

    *ret_value = f->value;
    *ret_end = f->end;
    while (!at && also && json_line_field(&also, &list)) {
        if ((size_t)(list.name_end - list.name) == n && memcmp(list.name, f->name, n) == 0)
            at = list.value;
    }
    while (at && *at != ']' && k--)
        at = ungroup_end(at + 1);
    if (!at || *at == ']')
        return false;
    *ret_value = at + 1;
    *ret_end = ungroup_end(at + 1);
    return true;
}

/* Appends record k of a line, without a \n; the first one is 0. False: the line has no such. */
static inline bool ungroup_record(const char *line, size_t k, struct fmt_buffer *out)
{
    const char *end, *also = json_line_find(line, "also", &end), *at = line;
    bool is_there = k == 0;
    struct json_field f;
    char between = '{';

    while (json_line_field(&at, &f)) {
        const char *value = f.value, *value_end = f.end;

        if (strncmp(f.name, "\"also\"", 6) == 0)
            continue;
        if (k)
            is_there |= ungroup_value(also, &f, k - 1, &value, &value_end);
        fmt_append(out, "%c%.*s:%.*s", between, (int)(f.name_end - f.name), f.name,
                   (int)(value_end - value), value);
        between = ',';
    }
    fmt_append(out, "}");
    return is_there && !out->cut;
}

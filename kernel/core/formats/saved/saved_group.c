// SPDX-License-Identifier: MIT
#include "saved/saved_group.h"

#include "lib/string.h"
#include "saved/json_line.h"

#define ALSO "also"

static bool is_same(const char *a, const char *a_end, const char *b, const char *b_end)
{
    return a_end - a == b_end - b && memcmp(a, b, (size_t)(a_end - a)) == 0;
}

static bool is_same_name(const struct json_field *a, const struct json_field *b)
{
    return is_same(a->name, a->name_end, b->name, b->name_end);
}

static bool is_same_value(const struct json_field *a, const struct json_field *b)
{
    return is_same(a->value, a->end, b->value, b->end);
}

static void append(struct fmt_buffer *out, const char *from, const char *end)
{
    fmt_append(out, "%.*s", (int)(end - from), from);
}

/* After what `between` says, for which the first one has another character. */
static void append_field(struct fmt_buffer *out, const struct json_field *f, const char *value,
                         const char *end, char *between)
{
    fmt_append(out, "%c", *between);
    append(out, f->name, f->name_end);
    fmt_append(out, ":");
    append(out, value, end);
    *between = ',';
}

/* Objects that are read field by field, all at once. */
struct rows {
    const char *at[SAVED_GROUP_MAX];
    struct json_field field[SAVED_GROUP_MAX];
    size_t n;
    bool differ; /* they do not have the same fields */
};

static struct rows rows_of(const char *const *line, size_t n)
{
    struct rows r = { .n = n };

    for (size_t i = 0; i < n; i++)
        r.at[i] = line[i];
    return r;
}

/* False at the end, or where they differ. */
static bool next_field(struct rows *r)
{
    bool has_first = json_line_field(&r->at[0], &r->field[0]);

    for (size_t i = 1; i < r->n; i++) {
        bool has = json_line_field(&r->at[i], &r->field[i]);

        r->differ |= has != has_first || (has && !is_same_name(&r->field[0], &r->field[i]));
    }
    return has_first && !r->differ;
}

static bool values_differ(const struct rows *r)
{
    for (size_t i = 1; i < r->n; i++) {
        if (!is_same_value(&r->field[0], &r->field[i]))
            return true;
    }
    return false;
}

static void append_column(struct fmt_buffer *out, const struct rows *r, char *between)
{
    fmt_append(out, "%c", *between);
    append(out, r->field[0].name, r->field[0].name_end);
    fmt_append(out, ":");
    for (size_t i = 1; i < r->n; i++) {
        fmt_append(out, "%c", i == 1 ? '[' : ',');
        append(out, r->field[i].value, r->field[i].end);
    }
    fmt_append(out, "]");
    *between = ',';
}

bool saved_group_join(const char *const *line, size_t n, struct fmt_buffer *out)
{
    struct rows r = rows_of(line, n);
    char between = '{';

    while (next_field(&r))
        append_field(out, &r.field[0], r.field[0].value, r.field[0].end, &between);
    if (r.differ || between == '{')
        return false;
    fmt_append(out, ",\"" ALSO "\":");
    r = rows_of(line, n);
    between = '{';
    while (next_field(&r)) {
        if (values_differ(&r))
            append_column(out, &r, &between);
    }
    if (between == '{') { /* they are equal: a list says how many they are */
        r = rows_of(line, n);
        next_field(&r);
        append_column(out, &r, &between);
    }
    fmt_append(out, "}}\n");
    return !out->cut;
}

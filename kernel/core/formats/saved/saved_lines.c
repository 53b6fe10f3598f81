// SPDX-License-Identifier: MIT
#include "saved/saved_lines.h"

#include "lib/string.h"
#include "saved/json_line.h"

/* How much of the report a form may have. */
static const struct {
    size_t bytes, lines;
} limit[] = {
    [SAVED_JSON] = { SAVED_REPORT_MAX, SAVED_JSON_LINES },
    [SAVED_TEXT] = { SAVED_TEXT_MAX, SAVED_TEXT_LINES },
};

/*
 * The smaller, the longer it is kept. Of the verdict the record `state` has how the run ended, so
 * that only the bad pages cannot be left out.
 */
static unsigned weight_of(enum saved_form form, enum saved_rank rank)
{
    static const uint8_t verdict[SAVED_RANKS] = {
        [SAVED_RANK_BADRAM] = 0,  [SAVED_RANK_PAGES] = 1,
        [SAVED_RANK_RESULT] = 2,  [SAVED_RANK_DIAGNOSIS] = 3,
        [SAVED_RANK_START] = 4,   [SAVED_RANK_IDENTITY] = 5,
        [SAVED_RANK_MACHINE] = 6, [SAVED_RANK_TEST... SAVED_RANKS - 1] = SAVED_RANKS, /* never */
    };
    static const uint8_t text[SAVED_RANKS] = {
        [SAVED_RANK_RESULT] = 0, [SAVED_RANK_BADRAM] = 1,   [SAVED_RANK_DIAGNOSIS] = 2,
        [SAVED_RANK_START] = 3,  [SAVED_RANK_MACHINE] = 3,  [SAVED_RANK_TEST] = 4,
        [SAVED_RANK_LINE] = 5,   [SAVED_RANK_FAULT] = 6,    [SAVED_RANK_MEASURED] = 7,
        [SAVED_RANK_PAGES] = 8,  [SAVED_RANK_IDENTITY] = 8,
    };

    return form == SAVED_VERDICT ? verdict[rank] : form == SAVED_TEXT ? text[rank] : rank;
}

/* In the order of its own form. */
static unsigned weight_at(const struct saved_lines *l, size_t i)
{
    return weight_of((enum saved_form)l->line[i].form, (enum saved_rank)l->line[i].rank);
}

/* Whether the line can be part of that form. */
static bool is_for(const struct saved_lines *l, size_t i, enum saved_form form)
{
    return l->line[i].form == (form == SAVED_VERDICT ? SAVED_JSON : form);
}

/* The last of those of the form that are the first to go. There is one. */
static size_t least(const struct saved_lines *l, enum saved_form form)
{
    size_t found = l->n;

    for (size_t i = 0; i < l->n; i++) {
        if (l->line[i].form == form && (found == l->n || weight_at(l, i) >= weight_at(l, found)))
            found = i;
    }
    return found;
}

static void drop(struct saved_lines *l, size_t at)
{
    size_t begin = 0, bytes = l->line[at].bytes;

    for (size_t i = 0; i < at; i++)
        begin += l->line[i].bytes;
    memmove(l->text + begin, l->text + begin + bytes, l->length - begin - bytes);
    memmove(&l->line[at], &l->line[at + 1], (l->n - at - 1) * sizeof(l->line[0]));
    l->length -= bytes;
    l->n--;
}

/* Whether there is room if of the form's lines only those of at most this weight stay. */
static bool is_room(const struct saved_lines *l, enum saved_form form, unsigned weight,
                    size_t bytes)
{
    size_t n = 0, length = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->line[i].form == form && weight_at(l, i) <= weight) {
            n++;
            length += l->line[i].bytes;
        }
    }
    return n < limit[form].lines && length + bytes <= limit[form].bytes;
}

void saved_lines_add(struct saved_lines *lines, enum saved_form form, enum saved_rank rank,
                     const char *text, size_t bytes)
{
    if (!is_room(lines, form, weight_of(form, rank), bytes))
        return;
    while (!is_room(lines, form, SAVED_RANKS, bytes))
        drop(lines, least(lines, form));
    lines->line[lines->n].bytes = (uint16_t)bytes;
    lines->line[lines->n].form = (uint8_t)form;
    lines->line[lines->n].rank = (uint8_t)rank;
    lines->n++;
    memcpy(lines->text + lines->length, text, bytes);
    lines->length += bytes;
}

/* Which lines fit: the weightiest first. Returns whether some do not. */
static bool choose(const struct saved_lines *l, enum saved_form form, size_t room,
                   bool ret_taken[SAVED_LINES_MAX])
{
    bool cut = false;

    memset(ret_taken, 0, SAVED_LINES_MAX * sizeof(ret_taken[0]));
    for (unsigned weight = 0; weight < SAVED_RANKS; weight++) {
        for (size_t i = 0; i < l->n; i++) {
            if (!is_for(l, i, form) || weight_of(form, (enum saved_rank)l->line[i].rank) != weight)
                continue;
            ret_taken[i] = l->line[i].bytes <= room;
            room -= ret_taken[i] ? l->line[i].bytes : 0;
            cut |= !ret_taken[i];
        }
    }
    return cut;
}

size_t saved_lines_write(const struct saved_lines *lines, enum saved_form form, size_t room,
                         char *out, bool *ret_cut)
{
    bool taken[SAVED_LINES_MAX];
    size_t at = 0, written = 0;

    *ret_cut = choose(lines, form, room, taken);
    for (size_t i = 0; i < lines->n; at += lines->line[i++].bytes) {
        if (!taken[i])
            continue;
        memcpy(out + written, lines->text + at, lines->line[i].bytes);
        written += lines->line[i].bytes;
    }
    return written;
}

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

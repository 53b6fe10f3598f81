// SPDX-License-Identifier: MIT
/* Prints the table of records (report/records.h) as JSON, for make.py. */
#include <stdio.h>

#include "lib/minmax.h"
#include "report/records.h"

static void write_fields(struct json *j, const char *name, const struct field *rows, size_t n);

static void put(void *ctx, const char *text, size_t n)
{
    fwrite(text, 1, n, stdout);
}

static void write_words(struct json *j, const struct field *f)
{
    json_object(j, "words");
    for (unsigned i = f->min; i < f->n_words; i++) {
        if (f->word(i))
            json_text(j, f->word(i), f->word_means ? f->word_means(i) : "");
    }
    json_close(j, "}");
}

/* The row of the member that says whether there is a value, if that is one with words. */
static const struct field *row_of_given(const struct field *f, const struct field *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].form == FIELD_WORD && rows[i].n_words && rows[i].through == f->through &&
            rows[i].at == f->given - 1)
            return &rows[i];
    }
    return NULL;
}

/* Which other rows there have to be. */
static void write_given(struct json *j, const struct field *f, const struct field *rows, size_t n)
{
    const struct field *other = row_of_given(f, rows, n);

    if (!f->given || f->not_given != FIELD_LEFT_OUT || f->none)
        return;
    json_integer(j, "group", f->through << 24 | f->given << 8 | f->by << 4 | f->given_value);
    if (other) {
        json_text(j, f->by == GIVEN_UNLESS ? "unless" : "if", other->name);
        json_text(j, "is", other->word(f->given_value));
    }
}

static void write_field(struct json *j, const struct field *f, const struct field *rows, size_t n)
{
    static const char *const types[] = { "",     "integer", "bool", "number", "text",
                                         "text", "object",  "list", "pair" };

    json_object(j, NULL);
    json_text(j, "name", f->name);
    json_text(j, "type", types[f->type]);
    json_bool(j, "hex", f->form == FIELD_HEX || f->form == FIELD_PAGE);
    json_bool(j, "milli", f->form == FIELD_MILLI);
    json_bool(j, "null", f->none == FIELD_NULL || f->not_given == FIELD_NULL);
    json_bool(j, "optional",
              f->none == FIELD_LEFT_OUT || f->not_given == FIELD_LEFT_OUT || f->when ||
                  f->may_lack || f->since);
    json_integer(j, "min", f->form == FIELD_WORD ? 0 : max_u64(f->min, f->none == FIELD_NULL));
    json_integer(j, "max", f->max);
    json_text(j, "unit", f->unit);
    json_text(j, "means", f->means);
    json_text(j, "there", f->there);
    json_text(j, "one_of", f->one_of);
    json_text(j, "pattern", f->pattern);
    json_text(j, "formerly", f->formerly);
    json_bool(j, "is_word", f->form == FIELD_WORD);
    if (f->n_words)
        write_words(j, f);
    write_given(j, f, rows, n);
    write_fields(j, "rows", f->rows, f->n_rows);
    json_close(j, "}");
}

static void write_fields(struct json *j, const char *name, const struct field *rows, size_t n)
{
    json_array(j, name);
    for (size_t i = 0; i < n; i++)
        write_field(j, &rows[i], rows, n);
    json_close(j, "]");
}

static void write_record(struct json *j, const struct record *r)
{
    json_object(j, NULL);
    json_text(j, "type", r->type);
    json_text(j, "means", r->means);
    json_text(j, "formerly", r->formerly);
    json_bool(j, "grouped", r->grouped);
    json_bool(j, "last_counts", r->last_counts);
    json_integer(j, "most", r->most);
    write_fields(j, "fields", r->fields, r->n_fields);
    json_close(j, "}");
}

int main(void)
{
    char room[256];
    struct fmt_buffer out = fmt_stream_make(room, sizeof(room), (struct writer){ .write = put });
    struct json j = { .out = &out, .first = true };

    json_array(&j, NULL);
    write_record(&j, &records[RECORD_SAVED]);
    write_record(&j, &records[RECORD_STATE]);
    for (size_t i = 0; i < RECORD_SAVED; i++) {
        if (records[i].type)
            write_record(&j, &records[i]);
    }
    json_close(&j, "]\n");
    fmt_flush(&out);
    return 0;
}

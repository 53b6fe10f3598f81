// SPDX-License-Identifier: MIT
#include "lib/fields.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"
#include "lib/string.h"

#define MILLI_DECIMALS 2

static uint64_t integer_at(const void *at, size_t size)
{
    uint64_t value = 0;

    ASSERT(size <= sizeof(value));
    memcpy(&value, at, size);
    return value;
}

static const char *text_at(const struct field *f, const void *at)
{
    return f->type == FIELD_CHARS ? at : *(const char *const *)at;
}

/* Elements of a list. */
static size_t n_elements(const struct field *f, const char *base)
{
    size_t n = integer_at(base + f->count - 1, f->count_size);

    return f->in_place ? min_u64(n, f->size / f->stride) : n;
}

static bool is_any(const struct field *f, const char *base)
{
    const void *at = base + f->at;

    switch (f->type) {
    case FIELD_INTEGER: return integer_at(at, f->size) >= max_u64(f->min, 1);
    case FIELD_BOOL: return *(const bool *)at;
    case FIELD_TEXT:
    case FIELD_CHARS: return text_at(f, at) && *text_at(f, at);
    case FIELD_LIST: return n_elements(f, base) != 0;
    default: return true;
    }
}

static bool is_given(const struct field *f, const char *base)
{
    uint64_t value;

    if (!f->given)
        return true;
    value = integer_at(base + f->given - 1, f->given_size);
    switch (f->by) {
    case GIVEN_IF: return value == f->given_value;
    case GIVEN_UNLESS: return value != f->given_value;
    case GIVEN_BY_BIT: return value >> f->given_value & 1;
    default: return value != 0;
    }
}

static void write_integer(struct json *j, const struct field *f, const void *at)
{
    uint64_t value = integer_at(at, f->size);

    switch (f->form) {
    case FIELD_PLAIN: json_integer(j, f->name, value); break;
    case FIELD_HEX: json_hex(j, f->name, value); break;
    case FIELD_PAGE: json_hex(j, f->name, align_down(value, PAGE_SIZE)); break;
    case FIELD_WORD: json_text(j, f->name, f->word((unsigned)value)); break;
    case FIELD_MILLI: json_number(j, f->name, (int32_t)value / 1e3, MILLI_DECIMALS); break;
    }
}

static void write_list(struct json *j, const struct field *f, const char *base)
{
    const char *at = base + f->at;
    const char *element = f->in_place ? at : *(const char *const *)at;

    json_array(j, f->name);
    for (size_t n = n_elements(f, base); n; n--, element += f->stride) {
        if (f->rows->name)
            json_object(j, NULL);
        fields_write(j, f->rows, f->n_rows, element);
        if (f->rows->name)
            json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_object(struct json *j, const struct field *f, const void *at)
{
    json_object(j, f->name);
    fields_write(j, f->rows, f->n_rows, at);
    json_close(j, "}");
}

static void write_span(struct json *j, const struct field *f, const struct span *span)
{
    json_hex_pair(j, f->name, span->base, span_end(*span));
}

static void write_value(struct json *j, const struct field *f, const char *base)
{
    const void *at = base + f->at;

    switch (f->type) {
    case FIELD_INTEGER: write_integer(j, f, at); break;
    case FIELD_BOOL: json_bool(j, f->name, integer_at(at, f->size)); break;
    case FIELD_NUMBER: json_number(j, f->name, *(const double *)at, f->decimals); break;
    case FIELD_TEXT:
    case FIELD_CHARS: json_text(j, f->name, text_at(f, at)); break;
    case FIELD_OBJECT: write_object(j, f, at); break;
    case FIELD_LIST: write_list(j, f, base); break;
    case FIELD_SPAN: write_span(j, f, at); break;
    case FIELD_ELSE: panic("no type: %s", f->name);
    }
}

/* Behind a pointer that is NULL. */
static void write_nothing(struct json *j, const struct field *f)
{
    if (f->type == FIELD_LIST)
        json_texts(j, f->name, NULL, 0);
    else
        json_null(j, f->name);
}

static void write_field(struct json *j, const struct field *f, const void *object)
{
    const char *base =
        f->through ? *(const char *const *)((const char *)object + f->through - 1) : object;
    enum field_none none = FIELD_AS_IT_IS;

    if (f->when && !f->when(object))
        return;
    if (!base) {
        write_nothing(j, f);
        return;
    }
    if (!is_given(f, base))
        none = f->not_given;
    else if (f->none && !f->write && !is_any(f, base))
        none = f->none;

    if (none == FIELD_NULL)
        json_null(j, f->name);
    else if (none == FIELD_AS_IT_IS && f->write)
        f->write(j, f, object);
    else if (none == FIELD_AS_IT_IS)
        write_value(j, f, base);
}

void fields_write(struct json *j, const struct field *rows, size_t n, const void *object)
{
    for (size_t i = 0; i < n; i++)
        write_field(j, &rows[i], object);
}

// SPDX-License-Identifier: MIT
/* JSON (RFC 8259), written field by field: one object on a line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fmt.h"

/* An object being written; `first` says that no comma is due, inside brackets too. */
struct json {
    struct fmt_buffer *out;
    bool first;
};

/* The name of a field whose value comes next. NULL, here and below: an element of an array. */
void json_name(struct json *j, const char *name);

/* A field that is an object or an array, and the end of either. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_close(struct json *j, const char *bracket);

/* Fields. Strings become plain ASCII. A text that is NULL is null. */
void json_text(struct json *j, const char *name, const char *value);
void json_text_if_any(struct json *j, const char *name, const char *value); /* null for "" */
void json_texts(struct json *j, const char *name, const char *const *values, size_t n);
void json_integer(struct json *j, const char *name, uint64_t value);
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);

/* null for what is not a number. */
void json_number(struct json *j, const char *name, double value, int decimals);

/* "0x…" */
void json_hex(struct json *j, const char *name, uint64_t value);

/* "00ff…" */
void json_bytes(struct json *j, const char *name, const uint8_t *byte, size_t n);

/* Two hexadecimal numbers in an array. */
void json_hex_pair(struct json *j, const char *name, uint64_t a, uint64_t b);

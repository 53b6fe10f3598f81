// SPDX-License-Identifier: MIT
/* Values in a JSON object on one line, of which nothing is trusted. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the value of the object's own `key`, terminated: a string's inside, escapes resolved, or
 * another scalar as it is written. What is not printable ASCII becomes '?'. The line ends with a
 * NUL or \n. False, with `out` unchanged or of no use: there is no such key with a scalar, it is
 * too long, or the line is not an object up to there.
 */
bool json_line_value(const char *line, const char *key, char *out, size_t size);

/* Where the value of the object's own `key` begins, and what is after it; NULL: there is none. */
const char *json_line_find(const char *line, const char *key, const char **ret_end);

/* A field as it is written: its name with the quotes, and its value. */
struct json_field {
    const char *name, *name_end, *value, *end;
};

/* The next field of an object: *at is its { to begin with. False: there is none any more. */
bool json_line_field(const char **at, struct json_field *ret_field);

/* Whether the line is one object and nothing else; what is inside its values is not looked at. */
bool json_line_is_object(const char *line);

/*
 * The next string of an array that ends before `end`: *at is its [ to begin with. False: there is
 * no string any more; then *at is the ] if all elements were strings that fit.
 */
bool json_line_texts(const char **at, const char *end, char *out, size_t size);

/* The line after the one that `text` begins with, or NULL: that was the last one. */
const char *json_line_next(const char *text);

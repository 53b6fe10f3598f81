// SPDX-License-Identifier: MIT
/* Values in a JSON object on one line, of which nothing is trusted. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the value of the object's own `key`, terminated: a string's inside, escapes resolved, or
 * another scalar as it is written. What is not printable ASCII becomes '?'. The line ends with a
 * NUL or \n. False, with `out` unchanged or of no use: there is no such key with a scalar, it is
 * too long, or the line is no object up to there.
 */
bool json_line_value(const char *line, const char *key, char *out, size_t size);

/* The line behind the one that `text` begins with, or NULL: that was the last one. */
const char *json_line_next(const char *text);

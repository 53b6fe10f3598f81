// SPDX-License-Identifier: MIT
/* What a bug report needs, as lines of text, for the screen's page and for the report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "machine_facts/support.h"

struct support_line {
    bool is_heading;
    char text[176]; /* printable ASCII, shorter than 80 characters unless a name is long */
};

size_t support_lines(const struct support *s);

/* Line i, of those that there are now. */
void support_line(const struct support *s, size_t i, struct support_line *ret_line);

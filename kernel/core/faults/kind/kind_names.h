// SPDX-License-Identifier: MIT
/* Kinds of faults and confidence, in words. */
#pragma once

#include "kind/kind.h"
#include "lib/fmt.h"

/* "1 to 4 rows (word lines)", for people; "row", for JSON. */
const char *kind_name(enum kind kind);
const char *kind_word(enum kind kind);

/* "sure", "likely", "possible". */
const char *kind_confidence_name(enum kind_confidence confidence);

/* "sure: 1 to 4 rows (word lines)"; without a confidence if it is "not clear". */
void kind_append(const struct kind_verdict *verdict, struct fmt_buffer *out);

// SPDX-License-Identifier: MIT
/* Text of any origin in HTML. Pure. */
#pragma once

#include "lib/fmt.h"

/*
 * For the content of elements, where quotes need no escape: no attribute may hold such text. What
 * is not UTF-8 or is a control character becomes '?'.
 */
void html_append_text(struct fmt_buffer *out, const char *text);

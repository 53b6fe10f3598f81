// SPDX-License-Identifier: MIT
/* Makes plain text of an okram.conf, in whichever encoding an editor saved it. Pure. */
#pragma once

#include <stddef.h>

/*
 * Windows' Notepad and shell may save UTF-16, in either byte order. A text that has a byte order
 * mark, or a zero as one of its first two bytes, is converted to ASCII in place; other characters
 * become '?', as when options are read. Any other text is left as it is; words.h skips UTF-8's
 * mark. Returns the length then, at most n.
 */
size_t conf_text_make(char *text, size_t n);

// SPDX-License-Identifier: MIT
/* What an editor has saved as okram.conf, as plain text. Pure. */
#pragma once

#include <stddef.h>

/*
 * Windows' Notepad and shell may save UTF-16, in either byte order: turns that, with a byte order
 * mark or with a zero as one of the first two bytes, into ASCII, in place. Other characters become
 * '?', as they do when options are read. Anything else is not changed; words.h knows the mark of
 * UTF-8. Returns how many of the n bytes there are then.
 */
size_t conf_text_make(char *text, size_t n);

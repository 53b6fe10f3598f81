// SPDX-License-Identifier: MIT
/* Setting options in the text of an okram.conf. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes `conf` to `out`, with the options that `words` gives (key=value, without quotes, separated
 * by blanks; later ones win). An option that is there gets its new value in its place, and its
 * repetitions are removed; others come after the text, one a line. Comments and all other words
 * stay as they are. Returns false when out_size bytes are too few; `out` is then of no use.
 */
bool conf_edit(const char *conf, const char *words, char *out, size_t out_size);

// SPDX-License-Identifier: MIT
/* Setting options in the text of an okram.conf. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes `conf` to `out`, with the options that `words` gives (key=value, without quotes, separated
 * by blanks; later ones win). An option that is there is changed in its place, and its repetitions
 * are removed; others are added at the end, each on a line. Comments and all other words are
 * unchanged. False: out_size bytes are too few, and `out` is unusable.
 */
bool conf_edit(const char *conf, const char *words, char *out, size_t out_size);

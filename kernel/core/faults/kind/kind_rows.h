// SPDX-License-Identifier: MIT
/* In which banks and rows faulty words are, where that is known (rows/row_map.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kind/kind_words.h"
#include "lib/fmt.h"
#include "rows/row_map.h"

struct kind_rows {
    bool known;
    bool one_bank;        /* all words are in it */
    uint32_t bank;        /* of the first word */
    uint64_t first, last; /* rows: the lowest number, and the highest */
};

/* map NULL, or no words: nothing is known. */
void kind_rows_make(const struct kind_words *words, const struct row_map *map,
                    struct kind_rows *ret);

/* "; all in row 0x1a2 of bank 5, by timing", "; in rows 0x1a2 to 0x1a5 of bank 5, ..."; nothing
 * where nothing is known. */
void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows);

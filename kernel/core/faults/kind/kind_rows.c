// SPDX-License-Identifier: MIT
#include "kind/kind_rows.h"

void kind_rows_make(const struct kind_words *words, const struct row_map *map,
                    struct kind_rows *ret)
{
    *ret = (struct kind_rows){ 0 };
    if (!map || !words->n)
        return;
    *ret = (struct kind_rows){ .known = true,
                               .one_bank = true,
                               .one_row = true,
                               .bank = row_map_bank(map, words->word[0].addr),
                               .row = row_map_row(map, words->word[0].addr) };
    for (size_t i = 1; i < words->n; i++) {
        ret->one_bank &= row_map_bank(map, words->word[i].addr) == ret->bank;
        ret->one_row &= row_map_row(map, words->word[i].addr) == ret->row;
    }
    ret->one_row &= ret->one_bank;
}

void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows)
{
    if (!rows->known)
        return;
    if (rows->one_row)
        fmt_append(b, "; all in row 0x%llx of bank %u, by timing", (unsigned long long)rows->row,
                   rows->bank);
    else if (rows->one_bank)
        fmt_append(b, "; in several rows of bank %u, by timing", rows->bank);
    else
        fmt_append(b, "; in several banks, by timing");
}

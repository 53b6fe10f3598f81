// SPDX-License-Identifier: MIT
#include "kind/kind_rows.h"

#include "lib/minmax.h"

void kind_rows_make(const struct kind_words *words, const struct row_map *map,
                    struct kind_rows *ret)
{
    *ret = (struct kind_rows){ 0 };
    if (!map || !words->n)
        return;
    *ret = (struct kind_rows){ .known = true,
                               .one_bank = true,
                               .bank = row_map_bank(map, words->word[0].addr),
                               .first = UINT64_MAX };
    for (size_t i = 0; i < words->n; i++) {
        uint64_t row = row_map_row(map, words->word[i].addr);

        ret->one_bank &= row_map_bank(map, words->word[i].addr) == ret->bank;
        ret->first = min_u64(ret->first, row);
        ret->last = max_u64(ret->last, row);
    }
}

void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows)
{
    if (!rows->known)
        return;
    if (!rows->one_bank)
        fmt_append(b, "; in several banks, by timing");
    else if (rows->first == rows->last)
        fmt_append(b, "; all in row 0x%llx of bank %u, by timing", (unsigned long long)rows->first,
                   rows->bank);
    else
        fmt_append(b, "; in rows 0x%llx to 0x%llx of bank %u, by timing",
                   (unsigned long long)rows->first, (unsigned long long)rows->last, rows->bank);
}

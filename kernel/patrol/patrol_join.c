// SPDX-License-Identifier: MIT
#include "patrol/patrol_join.h"

#include "lib/sort.h"

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

void patrol_join(const struct guard_list *list, uint64_t *page, size_t n,
                 struct guard_writer *writer)
{
    struct guard_reader reader = list ? guard_list_read(list) : (struct guard_reader){ 0 };
    struct guard_run run;
    size_t i = 0;

    sort(page, n, sizeof(*page), is_lower, NULL);
    while (list && guard_reader_next(&reader, &run)) {
        while (i < n && page[i] < run.first)
            guard_writer_add(writer, (struct guard_run){ page[i++], 1 });
        guard_writer_add(writer, run);
    }
    while (i < n)
        guard_writer_add(writer, (struct guard_run){ page[i++], 1 });
}

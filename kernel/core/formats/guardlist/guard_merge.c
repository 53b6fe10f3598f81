// SPDX-License-Identifier: MIT
#include "guardlist/guard_merge.h"

size_t guard_merge(const struct guard_list *first, const struct guard_list *second, void *out,
                   size_t size)
{
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader a = { 0 }, b = guard_list_read(second);
    struct guard_run run_a, run_b;
    bool has_a, has_b = guard_reader_next(&b, &run_b);

    if (first)
        a = guard_list_read(first);
    has_a = first && guard_reader_next(&a, &run_a);
    while (has_a || has_b) {
        if (has_a && (!has_b || run_a.first <= run_b.first)) {
            guard_writer_add(&writer, run_a);
            has_a = guard_reader_next(&a, &run_a);
        } else {
            guard_writer_add(&writer, run_b);
            has_b = guard_reader_next(&b, &run_b);
        }
    }
    return guard_writer_end(&writer, &second->head.machine, second->head.made);
}

bool guard_list_holds(const struct guard_list *whole, const struct guard_list *part)
{
    struct guard_reader w = guard_list_read(whole), p = guard_list_read(part);
    struct guard_run have = { 0 }, wanted;

    while (guard_reader_next(&p, &wanted)) {
        while (have.first + have.n <= wanted.first) {
            if (!guard_reader_next(&w, &have))
                return false;
        }
        if (wanted.first < have.first || wanted.first + wanted.n > have.first + have.n)
            return false;
    }
    return true;
}

// SPDX-License-Identifier: MIT
#include "guardlist/guard_join.h"

#include "lib/sort.h"

static bool is_smaller(const void *ctx, const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* Good pages between each run and the next. */
static size_t read_gaps(const struct guard_list *list, uint64_t *gap)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run, last;
    size_t n = 0;

    if (!guard_reader_next(&reader, &last))
        return 0;
    while (guard_reader_next(&reader, &run)) {
        gap[n++] = run.first - (last.first + last.n);
        last = run;
    }
    return n;
}

/* Which gaps are closed: all that are smaller, and of this size so many as still have to be. */
struct closing {
    uint64_t size;
    size_t n_of_size;
};

static struct closing choose(uint64_t *gap, size_t n, size_t n_closed)
{
    struct closing closing = { 0 };
    size_t n_smaller = 0;

    if (!n_closed)
        return closing;
    sort(gap, n, sizeof(*gap), is_smaller, NULL);
    closing.size = gap[n_closed - 1];
    while (gap[n_smaller] < closing.size)
        n_smaller++;
    closing.n_of_size = n_closed - n_smaller;
    return closing;
}

static bool closes(struct closing *closing, uint64_t gap)
{
    if (gap != closing->size)
        return gap < closing->size;
    return closing->n_of_size && closing->n_of_size--;
}

size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t *gap, void *out,
                  size_t size)
{
    uint32_t n_runs = list->head.n_runs;
    struct closing closing =
        choose(gap, read_gaps(list, gap), n_runs > max_runs ? n_runs - max_runs : 0);
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader reader = guard_list_read(list);
    uint64_t end = UINT64_MAX; /* of the run before */
    struct guard_run run;

    while (guard_reader_next(&reader, &run)) {
        if (end != UINT64_MAX && closes(&closing, run.first - end))
            guard_writer_add(&writer, (struct guard_run){ end, run.first - end });
        guard_writer_add(&writer, run);
        end = run.first + run.n;
    }
    return guard_writer_end(&writer, &list->head.machine, list->head.made);
}

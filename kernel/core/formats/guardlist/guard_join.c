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

/* Some of the smallest numbers: all that are smaller than `size`, and n_of_size of that size. */
struct smallest {
    uint64_t size;
    size_t n_of_size;
};

/* The n_wanted smallest of them, or fewer, whose sum is at most max_sum. Sorts them. */
static struct smallest choose(uint64_t *number, size_t n, size_t n_wanted, uint64_t max_sum)
{
    struct smallest chosen = { 0 };
    uint64_t sum = 0;

    if (!n_wanted)
        return chosen;
    sort(number, n, sizeof(*number), is_smaller, NULL);
    for (size_t i = 0; i < n_wanted && number[i] <= max_sum - sum; i++) {
        chosen.n_of_size = number[i] == chosen.size ? chosen.n_of_size + 1 : 1;
        chosen.size = number[i];
        sum += number[i];
    }
    return chosen;
}

/* Of equal ones the first. */
static bool is_chosen(struct smallest *chosen, uint64_t number)
{
    if (number != chosen->size)
        return number < chosen->size;
    return chosen->n_of_size && chosen->n_of_size--;
}

static size_t runs_beyond(const struct guard_list *list, uint32_t max_runs)
{
    return list->head.n_runs > max_runs ? list->head.n_runs - max_runs : 0;
}

size_t guard_join(const struct guard_list *list, uint32_t max_runs, uint64_t max_good,
                  uint64_t *number, void *out, size_t size)
{
    struct smallest closed =
        choose(number, read_gaps(list, number), runs_beyond(list, max_runs), max_good);
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader reader = guard_list_read(list);
    uint64_t end = UINT64_MAX; /* of the run before */
    struct guard_run run;

    while (guard_reader_next(&reader, &run)) {
        if (end != UINT64_MAX && is_chosen(&closed, run.first - end))
            guard_writer_add(&writer, (struct guard_run){ end, run.first - end });
        guard_writer_add(&writer, run);
        end = run.first + run.n;
    }
    return guard_writer_end(&writer, &list->head.machine, list->head.made);
}

size_t guard_longest(const struct guard_list *list, uint32_t max_runs, uint64_t *number, void *out,
                     size_t size)
{
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader reader = guard_list_read(list);
    struct smallest kept;
    struct guard_run run;
    size_t n = 0;

    /* The longest run is the smallest number. */
    while (guard_reader_next(&reader, &run))
        number[n++] = GUARD_LIST_PAGES - run.n;
    kept = choose(number, n, n - runs_beyond(list, max_runs), UINT64_MAX);
    reader = guard_list_read(list);
    while (guard_reader_next(&reader, &run)) {
        if (is_chosen(&kept, GUARD_LIST_PAGES - run.n))
            guard_writer_add(&writer, run);
    }
    return guard_writer_end(&writer, &list->head.machine, list->head.made);
}

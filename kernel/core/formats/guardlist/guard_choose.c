// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "lib/sort.h"

#define EIGHTHS 8

/* What is written has a head of the current version. */
static size_t room_for_list(const struct guard_list *list)
{
    return list->head.bytes - list->head.head_bytes + GUARD_LIST_HEAD + GUARD_ROOM_CUT_SPARE;
}

size_t guard_choose_bytes(const struct guard_list *list)
{
    return list->head.n_runs * sizeof(uint64_t) + 3 * room_for_list(list);
}

static enum status open(const void *bytes, size_t size, struct guard_list *ret_list)
{
    const char *why;

    return size ? guard_list_open(bytes, size, ret_list, &why) : STATUS_NO_SPACE;
}

enum status guard_choose(const struct guard_list *list, const struct guard_ram_use *pieces,
                         const struct guard_limits *limits, void *buffer,
                         struct guard_choice *ret_choice)
{
    uint64_t *number = buffer;
    size_t room = room_for_list(list);
    uint8_t *joined = (uint8_t *)(number + list->head.n_runs), *longest = joined + room,
            *cut = longest + room;
    struct guard_choice choice = { .list = *list };
    enum status status = STATUS_OK;

    if (choice.list.head.n_runs > limits->max_runs)
        status = open(joined,
                      guard_join(&choice.list, limits->max_runs,
                                 guard_ram_use_free(pieces) / EIGHTHS * limits->good_eighths,
                                 number, joined, room),
                      &choice.list);
    if (status == STATUS_OK && choice.list.head.n_runs > limits->max_runs)
        status = open(longest, guard_longest(&choice.list, limits->max_runs, number, longest, room),
                      &choice.list);
    guard_room_find(list, pieces, &choice.room);
    if (status == STATUS_OK)
        status = open(cut, guard_room_cut(&choice.list, &choice.room, cut, room), &choice.list);
    if (status == STATUS_OK)
        *ret_choice = choice;
    return status;
}

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

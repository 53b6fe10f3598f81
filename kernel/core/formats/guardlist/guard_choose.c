// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "lib/minmax.h"
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
                                 &(struct guard_output){ joined, room, number }),
                      &choice.list);
    if (status == STATUS_OK && choice.list.head.n_runs > limits->max_runs)
        status = open(longest,
                      guard_longest(&choice.list, limits->max_runs,
                                    &(struct guard_output){ longest, room, number }),
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
                  const struct guard_output *out)
{
    struct smallest closed =
        choose(out->number, read_gaps(list, out->number), runs_beyond(list, max_runs), max_good);
    struct guard_writer writer = guard_writer_begin(out->list, out->size);
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

size_t guard_longest(const struct guard_list *list, uint32_t max_runs,
                     const struct guard_output *out)
{
    struct guard_writer writer = guard_writer_begin(out->list, out->size);
    struct guard_reader reader = guard_list_read(list);
    struct smallest kept;
    struct guard_run run;
    size_t n = 0;

    /* The longest run is the smallest number. */
    while (guard_reader_next(&reader, &run))
        out->number[n++] = GUARD_LIST_PAGES - run.n;
    kept = choose(out->number, n, n - runs_beyond(list, max_runs), UINT64_MAX);
    reader = guard_list_read(list);
    while (guard_reader_next(&reader, &run)) {
        if (is_chosen(&kept, GUARD_LIST_PAGES - run.n))
            guard_writer_add(&writer, run);
    }
    return guard_writer_end(&writer, &list->head.machine, list->head.made);
}

struct zone {
    uint64_t first, end;
};

/* Listed pages below pages that ascend. */
struct counter {
    struct guard_reader reader;
    struct guard_run run;
    uint64_t n_passed; /* in the runs before */
    bool has_run;
};

static struct counter counter_begin(const struct guard_list *list)
{
    struct counter c = { .reader = guard_list_read(list) };

    c.has_run = guard_reader_next(&c.reader, &c.run);
    return c;
}

static uint64_t listed_below(struct counter *c, uint64_t page)
{
    while (c->has_run && c->run.first + c->run.n <= page) {
        c->n_passed += c->run.n;
        c->has_run = guard_reader_next(&c->reader, &c->run);
    }
    return c->n_passed + (c->has_run && c->run.first < page ? page - c->run.first : 0);
}

/* What of the piece is free and in the zone; n may be 0. */
static struct guard_run free_in(const struct guard_piece *p, struct zone zone)
{
    uint64_t first = max_u64(p->first, zone.first), end = min_u64(p->first + p->n, zone.end);
    bool is_there = p->use == GUARD_FREE && first < end;

    return (struct guard_run){ first, is_there ? end - first : 0 };
}

/* The next contiguous free part of the zone, from piece *at on. False: there are no more. */
static bool next_part(const struct guard_ram_use *pieces, struct zone zone, size_t *at,
                      struct guard_run *ret_part)
{
    struct guard_run part = { 0 };

    while (*at < pieces->n && !part.n)
        part = free_in(&pieces->piece[(*at)++], zone);
    for (; *at < pieces->n && part.n; ++*at) {
        struct guard_run more = free_in(&pieces->piece[*at], zone);

        if (!more.n || more.first != part.first + part.n)
            break;
        part.n += more.n;
    }
    *ret_part = part;
    return part.n != 0;
}

struct free_memory {
    uint64_t n, largest; /* pages in all, and of the largest part */
};

static struct free_memory free_memory(const struct guard_ram_use *pieces, struct zone zone)
{
    struct free_memory found = { 0 };
    struct guard_run part;
    size_t at = 0;

    while (next_part(pieces, zone, &at, &part)) {
        found.n += part.n;
        found.largest = max_u64(found.largest, part.n);
    }
    return found;
}

static uint64_t large_pages(struct free_memory in_zone)
{
    uint64_t wanted = max_u64(in_zone.n / 4, GUARD_ROOM_LARGE_MIN);

    return min_u64(min_u64(wanted, GUARD_ROOM_LARGE_MAX), in_zone.largest);
}

struct search {
    struct counter below_first, below_end;
    struct guard_run best;
    uint64_t n_listed; /* in the best */
};

static void consider(struct search *s, uint64_t first, uint64_t n)
{
    uint64_t n_listed = listed_below(&s->below_end, first + n);

    n_listed -= listed_below(&s->below_first, first);
    if (s->best.n && n_listed >= s->n_listed)
        return;
    s->best = (struct guard_run){ first, n };
    s->n_listed = n_listed;
}

/*
 * The n contiguous free pages with the fewest listed ones. Of all places in a free part, one that
 * has the fewest begins where the part begins or a run ends, or ends where the part ends: from any
 * other place one can move on, and does not meet more.
 */
static struct guard_run find(const struct guard_list *list, const struct guard_ram_use *pieces,
                             struct zone zone, uint64_t n, uint64_t *n_listed)
{
    struct guard_reader reader = guard_list_read(list);
    struct search s = { .below_first = counter_begin(list), .below_end = counter_begin(list) };
    struct guard_run run, part;
    bool has_run = guard_reader_next(&reader, &run);
    size_t at = 0;

    while (n && next_part(pieces, zone, &at, &part)) {
        uint64_t last = part.first + part.n - n;

        if (part.n < n)
            continue;
        consider(&s, part.first, n);
        while (has_run && run.first + run.n <= last) {
            if (run.first + run.n > part.first)
                consider(&s, run.first + run.n, n);
            has_run = guard_reader_next(&reader, &run);
        }
        consider(&s, last, n);
    }
    *n_listed += s.n_listed;
    return s.best;
}

void guard_room_find(const struct guard_list *list, const struct guard_ram_use *pieces,
                     struct guard_room *ret_room)
{
    static const struct zone low = { GUARD_ROOM_LOW_FIRST, GUARD_ROOM_LOW_END },
                             large = { GUARD_ROOM_LARGE_FIRST, GUARD_ROOM_LARGE_END };
    uint64_t n_low = min_u64(GUARD_ROOM_LOW_PAGES, free_memory(pieces, low).largest);
    uint64_t n_large = large_pages(free_memory(pieces, large));

    ret_room->n_listed = 0;
    ret_room->low = find(list, pieces, low, n_low, &ret_room->n_listed);
    ret_room->large = find(list, pieces, large, n_large, &ret_room->n_listed);
}

/* Adds what of the run is below the part, and returns what is above. */
static struct guard_run add_below(struct guard_writer *writer, struct guard_run run,
                                  struct guard_run part)
{
    uint64_t end = run.first + run.n, part_end = part.first + part.n;
    uint64_t above = min_u64(max_u64(run.first, part_end), end);

    if (!part.n)
        return run;
    if (run.first < part.first)
        guard_writer_add(writer,
                         (struct guard_run){ run.first, min_u64(end, part.first) - run.first });
    return (struct guard_run){ above, end - above };
}

size_t guard_room_cut(const struct guard_list *list, const struct guard_room *room, void *out,
                      size_t size)
{
    struct guard_writer writer = guard_writer_begin(out, size);
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run;

    while (guard_reader_next(&reader, &run)) {
        run = add_below(&writer, run, room->low);
        run = add_below(&writer, run, room->large);
        guard_writer_add(&writer, run);
    }
    return guard_writer_end(&writer, &list->head.machine, list->head.made);
}

// SPDX-License-Identifier: MIT
#include "guardlist/guard_choose.h"

#include "guardlist/guard_join.h"

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

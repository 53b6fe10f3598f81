// SPDX-License-Identifier: MIT
#include "simulate.h"

#include <stdlib.h>

#include "lib/minmax.h"
#include "message.h"

/* About a second. */
#define STEPS_MAX (UINT64_C(1) << 24)

const struct grub_map *simulate_map(const struct arguments *arguments)
{
    static struct page_run piece[RAM_SPANS_MAX];
    static struct grub_map map;

    if (grub_map_init(&map, piece, arguments->entry, arguments->n_entries))
        fail("the entries of the memory map overlap");
    return &map;
}

static uint64_t count_bad_pages(const struct grub_holes *holes, const struct pattern *list,
                                size_t n, const struct fault_log *log)
{
    uint64_t index = 0, left = 0;
    struct page_run run;

    while (fault_log_next_run(log, &index, &run)) {
        for (uint64_t page = run.first; page < page_run_end(run); page++)
            left += pattern_list_covers(list, n, page << PAGE_SHIFT) &&
                    !grub_holes_contain(holes, page);
    }
    return left;
}

struct simulation simulate_line(enum firmware firmware, const struct grub_map *map,
                                const struct pattern *list, size_t n, const struct fault_log *log)
{
    size_t max_turns = n * (map->n_pieces + 1);
    struct grub_turn *turn = allocate(max_turns * sizeof(*turn) + 1);
    struct simulation s = { .left = allocate(n * sizeof(*s.left) + 1), .first = PAGES_MAX };
    struct grub_holes holes;
    enum status status = STATUS_OK;

    grub_holes_init(&holes, turn, max_turns, STEPS_MAX);
    for (size_t i = 0; i < n && status != STATUS_NO_SPACE; i++)
        status = firmware == FIRMWARE_BIOS ? grub_holes_take(&holes, map, list[i])
                                           : grub_holes_take_all(&holes, map, list[i]);
    for (size_t i = 0; i < n && status != STATUS_NO_SPACE; i++) {
        struct left *left = &s.left[i];

        status = grub_holes_left(&holes, list[i], log->space, &left->pages, &left->first);
        if (status == STATUS_OK && left->pages) {
            s.leaves = true;
            s.first = min_u64(left->first, s.first);
        }
    }
    s.is_known = status != STATUS_NO_SPACE;
    if (s.is_known && s.leaves)
        s.bad_pages = count_bad_pages(&holes, list, n, log);
    free(turn);
    return s;
}

void simulate_free(struct simulation *simulation)
{
    free(simulation->left);
}

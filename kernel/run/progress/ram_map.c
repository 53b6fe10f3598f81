// SPDX-License-Identifier: MIT
#include "progress/ram_map.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "lib/sort.h"
#include "log/page_index.h"
#include "machine/machine.h"
#include "memory/arena.h"

#define PAUSE_SHARE                                                                                \
    100 /* a look for bad pages is followed by a pause of this many times its length */

static struct {
    bool has_begun;
    struct ram_picture picture;
    uint64_t bad_pages;    /* those marked */
    uint64_t next_look_us; /* for bad pages */
} map;

static bool is_below(const void *ctx, const void *a, const void *b)
{
    return ((const struct ram_picture_span *)a)->span.base <
           ((const struct ram_picture_span *)b)->span.base;
}

void ram_map_begin(const struct plan *plan)
{
    const struct node_map *nodes = &machine.nodes;
    struct ram_picture_span *span = arena_alloc(nodes->n_spans * sizeof(*span));

    for (uint32_t n = 0; n < nodes->n_nodes; n++) {
        const struct node *node = &nodes->node[n];

        for (size_t i = node->first_span; i < node->first_span + node->n_spans; i++)
            span[i] = (struct ram_picture_span){ .span = nodes->span[i], .node = n };
    }
    sort(span, nodes->n_spans, sizeof(*span), is_below, NULL);
    ram_picture_init(&map.picture, span, nodes->n_spans);
    for (size_t i = 0; i < plan->tested.n; i++)
        ram_picture_test(&map.picture, plan->tested.span[i]);
    map.has_begun = true;
}

void ram_map_swept(struct span span)
{
    ram_picture_swept(&map.picture, span);
}

static void mark_runs(const struct page_list *pages)
{
    for (size_t i = 0; i < pages->n; i++)
        ram_picture_mark_okram(&map.picture, page_list_span(pages, i));
}

static void mark_okram(void)
{
    ram_picture_unmark_okram(&map.picture);
    mark_runs(&arena_footprint()->data);
    mark_runs(&arena_footprint()->tables);
}

/* Bad pages stay bad: only new ones are marked. */
static void mark_bad(const struct fault_log *log)
{
    uint64_t began_us = tsc_elapsed_us(), n = fault_log_bad_pages(log), index = 0;
    struct page_run run;

    if (n == map.bad_pages || began_us < map.next_look_us)
        return;
    while (fault_log_next_run(log, &index, &run))
        ram_picture_mark_bad(&map.picture,
                             (struct span){ run.first << PAGE_SHIFT, run.count << PAGE_SHIFT });
    map.bad_pages = n;
    map.next_look_us = began_us + (tsc_elapsed_us() - began_us) * PAUSE_SHARE;
}

void ram_map_emit(const struct fault_log *log)
{
    uint32_t node[RAM_PICTURE_NODES_MAX];

    if (!map.has_begun)
        return;
    map.next_look_us = 0; /* all bad pages, whatever it takes */
    mark_okram();
    mark_bad(log);
    ram_picture_finish(&map.picture);
    for (uint32_t i = 0; i < map.picture.view.n_nodes; i++)
        node[i] = machine.nodes.node[i].domain;
    events_send(&(struct event){ .type = EVENT_PICTURE, .picture = { &map.picture.view, node } });
}

const struct ram_view *ram_map_look(const struct fault_log *log)
{
    if (!map.has_begun)
        return NULL;
    mark_okram();
    mark_bad(log);
    ram_picture_look(&map.picture);
    return &map.picture.view;
}

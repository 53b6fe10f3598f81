// SPDX-License-Identifier: MIT
#include "tests/coverage/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"
#include "tests/coverage/trap.h"

#define SEED           UINT64_C(0x6f6b72616d)
#define SCALING_ORDERS 8
#define SLICE_BYTES    (UINT64_C(128) << 10) /* smaller than the kernel's: a long area has two */

struct run {
    const struct experiment *e;
    struct world *w;
    struct cache cache;
    const struct data *data;
    const char *broken;
    bool *seen; /* of each instance: reported in the current round */
};

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct run *r = ctx;
    uint32_t line = world_line(r->w, phys);
    uint64_t data = data_word(r->data, phys), wrong = expected ^ found;

    if (line == NO_LINE || !wrong || (expected != data && expected != ~data)) {
        r->broken = "a report is wrong";
        return;
    }
    for (uint32_t bit = 0; bit < 64; bit++) {
        uint32_t place = line * LINE_BITS + phys % sizeof(struct line) * 8 + bit;

        if (!(wrong >> bit & 1))
            continue;
        if (r->w->owner[place] == NO_OWNER)
            r->broken = "a healthy cell is reported";
        else
            r->seen[r->w->owner[place]] = true;
    }
}

/* By the cells that are wrong: with a coding, the wrong bits of the data do not name any. */
static bool on_bad_line(void *ctx, uint64_t phys, bool complement, const struct line *diff)
{
    struct run *r = ctx;
    uint32_t line = world_line(r->w, phys);
    struct line expected, found;

    if (line == NO_LINE) {
        r->broken = "a report is wrong";
        return true;
    }
    for (uint32_t i = 0; i < 8; i++) {
        expected.word[i] =
            data_word(r->data, phys + i * sizeof(uint64_t)) ^ (complement ? ~UINT64_C(0) : 0);
        found.word[i] = expected.word[i] ^ diff->word[i];
    }
    expected = dram_encode(&r->w->dram, line, &expected);
    found = dram_encode(&r->w->dram, line, &found);
    for (uint32_t bit = 0; bit < LINE_BITS; bit++) {
        uint32_t owner = r->w->owner[line * LINE_BITS + bit];

        if (line_bit(&expected, bit) == line_bit(&found, bit))
            continue;
        if (owner == NO_OWNER)
            r->broken = "a healthy cell is reported";
        else
            r->seen[owner] = true;
    }
    return true;
}

static void run_area(struct run *r, const struct sweep *sweep, const struct march_element *element,
                     const struct area *area)
{
    struct span left = { area->phys, area->n_lines * sizeof(struct line) };

    while (left.size) {
        struct span s = sweep_next_slice(&left, element->kind == MARCH_DOWN, SLICE_BYTES);
        struct line *virt =
            trap_memory() + area->first_line + (s.base - area->phys) / sizeof(*virt);

        trap_begin(&r->cache);
        sweep_element(sweep, element, r->data,
                      (struct slice){ virt, s.base, s.size / sizeof(*virt) });
        trap_end();
        cache_evict(&r->cache);
    }
}

struct leg {
    bool higher_first;
    uint32_t n_leaders; /* the lowest workers, or the highest */
};

static void run_step(struct run *r, const struct sweep *sweep, const struct march_element *element,
                     struct order order, uint32_t worker, uint32_t step)
{
    uint32_t section;

    if (!order_section(order, worker, step, element->kind == MARCH_DOWN, &section))
        return;
    for (uint32_t a = 0; a < r->w->n_areas; a++) {
        if (r->w->area[a].worker == worker && r->w->area[a].section == section)
            run_area(r, sweep, element, &r->w->area[a]);
    }
}

/* The leaders are as far ahead of the others as they may be. */
static void run_element(struct run *r, const struct march_element *element, struct order order,
                        struct leg leg)
{
    struct sweep sweep = {
        .ops = r->e->ops,
        .has_clflushopt = r->e->has_clflushopt,
        .lanes = order_lanes(order),
        .faults = { .report = report,
                    .ctx = r,
                    .on_bad_line = r->w->dram.coding == DRAM_PLAIN ? NULL : on_bad_line },
    };
    uint32_t n = order_steps(order), ahead = order_ahead(order) - 1;

    for (uint32_t now = 0; now < n + ahead; now++) {
        for (uint32_t k = 0; k < order.n_workers; k++) {
            uint32_t worker = leg.higher_first ? order.n_workers - 1 - k : k;
            uint32_t behind = k < leg.n_leaders ? 0 : ahead;

            if (now >= behind && now - behind < n)
                run_step(r, &sweep, element, order, worker, now - behind);
        }
    }
}

static void run_round(struct run *r, const struct march *march, struct order order, uint32_t leg)
{
    for (uint32_t i = 0; i < march->n_elements; i++) {
        const struct march_element *element = &march->element[i];

        order.leg = march_leg(march, i);
        order.n_legs = march_legs(march);
        if (element->kind == MARCH_PAUSE) {
            controller_drain(&r->cache.controller); /* testing/displacement.h */
            dram_pause(&r->w->dram, element->pause_ms);
        } else {
            run_element(r, element, order, (struct leg){ leg >> i % 2 & 1, 1 + leg / 4 });
        }
    }
}

/*
 * Where data differ from line to line, a stuck-open cell is found by chance: it depends on what was
 * read before it, which may as well be what the cell should hold.
 */
static bool by_chance(const struct experiment *e, const struct test *test,
                      const struct instance *instance)
{
    return !e->by_shares && instance->row == ROW_STUCK_OPEN && test_has_seed(test);
}

bool experiment_run(const struct experiment *e, struct world *w, const struct march *march,
                    const struct test *test, const char **ret_broken)
{
    uint32_t n_orders = e->all_orders && w->n_workers > 1 ? SCALING_ORDERS : 1, n = w->n_instances;
    struct run r = { .e = e, .w = w, .seen = malloc(n) };
    uint32_t n_rounds = e->passes * test->rounds;
    uint8_t *times_seen = calloc(n_rounds, n); /* of each round and instance: in how many orders */

    ASSERT(r.seen && times_seen);
    cache_make(&r.cache, &w->dram, e->model);
    for (uint32_t leg = 0; leg < n_orders; leg++) {
        world_reset(w);
        cache_reset(&r.cache);
        for (uint32_t i = 0; i < n_rounds; i++) {
            uint32_t round = i % test->rounds;
            struct order order = { .n_workers = w->n_workers,
                                   .round = round,
                                   .n_rounds = test->rounds,
                                   .n_sections = WORLD_SECTIONS };
            uint32_t pass = i / test->rounds;
            struct data data = test_data(test, round, (struct pass){ pass + 1, SEED + pass });

            r.data = &data;
            memset(r.seen, 0, n);
            run_round(&r, march, order, leg);
            for (uint32_t k = 0; k < n; k++)
                times_seen[(size_t)i * n + k] += r.seen[k];
        }
        if (r.cache.broken)
            r.broken = r.cache.broken;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t round = 0;

        while (round < n_rounds && times_seen[(size_t)round * n + i] < n_orders)
            round++;
        if (round == n_rounds || by_chance(e, test, &w->instance[i]))
            round = NOT_FOUND;
        w->instance[i].found_round = round;
    }
    cache_free(&r.cache);
    free(r.seen);
    free(times_seen);
    *ret_broken = r.broken;
    return !r.broken;
}

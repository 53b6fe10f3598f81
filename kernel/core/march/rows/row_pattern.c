// SPDX-License-Identifier: MIT
#include "rows/row_pattern.h"

#include "lib/splitmix.h"

#define PRESS_COLUMNS  64
#define HALF_STEPS     64 /* of which one opens the near rows */
#define FREQUENCY_LOG2 5  /* up to 16 times a period */
#define AMPLITUDE_MAX  4

static void add_pair(struct row_pattern *p, int a, int b)
{
    p->pair[p->n_pairs][0] = (int8_t)a;
    p->pair[p->n_pairs++][1] = (int8_t)b;
}

/* Pairs of neighbours of rows 4 further each, at both sides in turn: no row is in two. */
static void add_pairs(struct row_pattern *p, uint32_t n)
{
    for (int i = 0; i < (int)n; i++) {
        int middle = (i % 2 ? 1 : -1) * ((i + 1) / 2) * 4;

        add_pair(p, middle - 1, middle + 1);
    }
}

static void make_double(struct row_pattern *p, uint64_t *random)
{
    p->name = "double-sided";
    add_pairs(p, 1);
    p->n_steps = 1;
}

static void make_many(struct row_pattern *p, uint64_t *random)
{
    p->name = "many-sided";
    add_pairs(p, ROW_PAIRS_MAX);
    p->n_steps = p->n_pairs;
    for (uint32_t i = 0; i < p->n_steps; i++)
        p->step[i] = (uint8_t)i;
}

/* What no other pair takes is pair 0's, and one step of 16. */
static void make_frequencies(struct row_pattern *p, uint64_t *random)
{
    p->name = "frequencies";
    p->waits_for_refresh = true;
    p->n_steps = ROW_STEPS_MAX;
    add_pairs(p, 2 + (uint32_t)splitmix_below(random, 8));
    for (uint32_t i = 1; i < p->n_pairs; i++) {
        uint32_t distance = ROW_STEPS_MAX >> splitmix_below(random, FREQUENCY_LOG2);
        uint32_t phase = (uint32_t)splitmix_below(random, distance);
        uint32_t amplitude = 1 + (uint32_t)splitmix_below(random, AMPLITUDE_MAX);

        for (uint32_t at = phase; at < p->n_steps; at += distance) {
            for (uint32_t k = 0; k < amplitude; k++)
                p->step[(at + k) % p->n_steps] = (uint8_t)i;
        }
    }
    for (uint32_t at = 0; at < p->n_steps; at += 16)
        p->step[at] = 0;
}

static void make_half(struct row_pattern *p, uint64_t *random)
{
    p->name = "half-double";
    add_pair(p, -2, 2);
    add_pair(p, -1, 1);
    p->n_steps = HALF_STEPS;
    p->step[HALF_STEPS - 1] = 1;
}

static void make_press(struct row_pattern *p, uint64_t *random)
{
    p->name = "press";
    add_pairs(p, 1);
    p->columns = PRESS_COLUMNS;
    p->n_steps = 1;
}

void row_pattern_make(size_t i, uint64_t *random, struct row_pattern *ret)
{
    static void (*const make[ROW_PATTERNS])(struct row_pattern *, uint64_t *) = {
        make_many, make_double, make_frequencies, make_half, make_press,
    };

    *ret = (struct row_pattern){ .columns = 1 };
    make[i](ret, random);
}

// SPDX-License-Identifier: MIT
#include "rows/row_hammer.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/splitmix.h"
#include "rows/pair_latency.h"

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

#define TRIES       64
#define BATCH_STEPS 4096
#define LINES_MAX   128 /* of all aggressors: 9 pairs, or a pair with 64 columns */
#define SYNC_TRIES  256 /* pairs that are fetched while a refresh is waited for: tREFI and more */

/* Rows that are opened, and those up to two rows from them, are all in the region. */
static bool fits(const struct row_map *map, const struct row_pattern *p, struct span region,
                 uint64_t middle)
{
    for (uint32_t i = 0; i < 2 * p->n_pairs; i++) {
        for (int beyond = -2; beyond <= 2; beyond++) {
            uint64_t phys;

            if (!row_map_neighbour(map, middle, p->pair[i / 2][i % 2] + beyond, &phys) ||
                !span_contains(region, phys))
                return false;
        }
    }
    return true;
}

/*
 * A place for the pattern, at random, so that all that it disturbs is in the region. False: none
 * was found in some tries, as the region has not enough rows.
 */
static bool row_site_find(const struct row_map *map, const struct row_pattern *pattern,
                          struct span region, uint64_t *random, struct row_site *ret)
{
    for (unsigned i = 0; i < TRIES && region.size >= LINE_SIZE; i++) {
        uint64_t n_lines = region.size / LINE_SIZE;
        uint64_t middle = region.base + splitmix_next(random) % n_lines * LINE_SIZE;

        if (!fits(map, pattern, region, middle))
            continue;
        ret->middle = middle;
        for (uint32_t k = 0; k < 2 * pattern->n_pairs; k++)
            row_map_neighbour(map, middle, pattern->pair[k / 2][k % 2], &ret->line[k / 2][k % 2]);
        return true;
    }
    return false;
}

/* One site, in one polarity. */
struct hammering {
    const struct row_hammer *hammer;
    const struct row_pattern *pattern;
    const struct data *data;
    struct row_site site;
    bool complement; /* in all rows but the aggressors */
    const char *line[LINES_MAX];
};

static void fill_or_verify(const struct hammering *h, struct slice at, bool complement, bool verify)
{
    const struct sweep *s = h->hammer->sweep;
    struct line_run run = { .first = at.virt, .phys = at.phys, .n_lines = at.n_lines };

    if (verify)
        s->ops->verify(&run, h->data, complement, &s->faults);
    else
        s->ops->fill(&run, h->data, complement);
}

/* The n-th line of an aggressor's row; where the region ends in the row, a line that it has. */
static struct slice line_of(const struct hammering *h, uint32_t aggressor, uint64_t n)
{
    const struct row_hammer *r = h->hammer;
    uint64_t row = h->site.line[aggressor / 2][aggressor % 2];
    uint64_t phys = row_map_line(r->map, row, n), at;

    if (phys - r->region.phys >= r->region.n_lines * sizeof(struct line))
        phys = row;
    at = (phys - r->region.phys) / sizeof(struct line);
    return (struct slice){ r->region.virt + at, phys, 1 };
}

/* The aggressors' rows hold the complement of what all others hold. */
static void fill_or_verify_aggressors(const struct hammering *h, bool complement, bool verify)
{
    uint64_t n_lines = row_map_lines(h->hammer->map, h->site.middle);

    for (uint32_t i = 0; i < 2 * h->pattern->n_pairs; i++) {
        for (uint64_t n = 0; n < n_lines; n++)
            fill_or_verify(h, line_of(h, i, n), complement, verify);
    }
    line_ops_fence();
}

static void write_site(const struct hammering *h)
{
    fill_or_verify(h, h->hammer->region, h->complement, false);
    line_ops_fence();
    fill_or_verify_aggressors(h, !h->complement, false);
}

/* The aggressors first, which then hold what the others do. */
static void verify_site(const struct hammering *h)
{
    fill_or_verify_aggressors(h, !h->complement, true);
    fill_or_verify_aggressors(h, h->complement, false);
    fill_or_verify(h, h->hammer->region, h->complement, true);
    line_ops_fence();
}

/* The lines of a pair adjoin: those of the one row, then those of the other. */
static void list_lines(struct hammering *h)
{
    uint32_t columns = h->pattern->columns;

    for (uint32_t i = 0; i < 2 * h->pattern->n_pairs * columns; i++)
        h->line[i] = (const char *)line_of(h, i / columns, i % columns).virt;
}

/*
 * The reads of a pair need no fence between them: no line is in a cache, so both rows are opened,
 * in whatever order. Then all flushes are done before a later read (sweep/line_ops.h).
 */
static void open_pair(const struct hammering *h, uint32_t pair)
{
    uint32_t n = 2 * h->pattern->columns;
    const char *const *line = h->line + pair * n;

    for (uint32_t i = 0; i < n; i++)
        (void)*(const volatile uint64_t *)line[i];
    __asm__ volatile("lfence" : : : "memory");
    for (uint32_t i = 0; i < n; i++)
        __asm__ volatile("clflush %0" : : "m"(*line[i]) : "memory");
    line_ops_fence();
}

/* All banks of a rank are refreshed at a time, which keeps a read waiting for tRFC, 300 ns or so.
 */
static void wait_for_refresh(const struct hammering *h)
{
    for (unsigned i = 0; i < SYNC_TRIES; i++) {
        if (pair_fetch(h->line[0], h->line[h->pattern->columns]) > h->hammer->refresh_cycles)
            return;
    }
}

static void hammer(const struct hammering *h, uint64_t n_steps, bool (*stopped)(void *ctx),
                   void *ctx)
{
    const struct row_pattern *p = h->pattern;
    uint32_t at = 0;

    for (uint64_t i = 0; i < n_steps; i++) {
        if (i % BATCH_STEPS == 0 && stopped(ctx))
            return;
        if (at == 0 && p->waits_for_refresh)
            wait_for_refresh(h);
        open_pair(h, p->step[at]);
        at = at + 1 < p->n_steps ? at + 1 : 0;
    }
}

uint64_t row_hammer_round(const struct row_hammer *hammer_here, const struct row_pattern *pattern,
                          uint64_t n_sites, uint64_t n_steps, uint64_t *random,
                          bool (*stopped)(void *ctx), void *ctx)
{
    struct slice region = hammer_here->region;
    struct span span = { region.phys, region.n_lines * sizeof(struct line) };
    struct line_run all = { .first = region.virt, .phys = region.phys, .n_lines = region.n_lines };
    struct data data = data_background(0);
    struct hammering h = { .hammer = hammer_here, .pattern = pattern, .data = &data };
    uint64_t sweeps = 0;

    for (uint64_t i = 0; i < 2 * n_sites && !stopped(ctx); i++) {
        h.complement = i % 2;
        if (!h.complement && !row_site_find(hammer_here->map, pattern, span, random, &h.site))
            break;
        list_lines(&h);
        write_site(&h);
        hammer(&h, n_steps, stopped, ctx);
        line_ops_flush(&all, hammer_here->sweep->has_clflushopt);
        verify_site(&h);
        sweeps += 2;
    }
    return sweeps;
}

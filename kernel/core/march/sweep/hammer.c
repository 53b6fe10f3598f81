// SPDX-License-Identifier: MIT
#include "sweep/hammer.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"

#define KIB    UINT64_C(1024)
#define INLINE static inline __attribute__((always_inline))

/* Reads between two looks at the stop key. */
#define BATCH_READS 32768

/*
 * Pressing reads as many columns as keep all banks' rows open for about tREFI, 7.8 us: after that a
 * refresh closes them. Many-sided comes first: it reaches all rows in the fewest sites.
 */
static const struct hammer_pattern patterns[] = {
    { "many-sided 64K", 64 * KIB, HAMMER_ALL_SIDES, 2, 1 },
    { "double-sided 64K", 64 * KIB, 2, 2, 1 },
    { "single-sided 64K", 64 * KIB, 2, 3, 1 },
    { "press 64K", 64 * KIB, 2, 2, 128 },
    { "many-sided 128K", 128 * KIB, HAMMER_ALL_SIDES, 2, 1 },
    { "double-sided 128K", 128 * KIB, 2, 2, 1 },
    { "single-sided 128K", 128 * KIB, 2, 3, 1 },
    { "press 128K", 128 * KIB, 2, 2, 64 },
    { "many-sided 256K", 256 * KIB, HAMMER_ALL_SIDES, 2, 1 },
    { "double-sided 256K", 256 * KIB, 2, 2, 1 },
    { "single-sided 256K", 256 * KIB, 2, 3, 1 },
    { "press 256K", 256 * KIB, 2, 2, 32 },
    { "many-sided 512K", 512 * KIB, HAMMER_ALL_SIDES, 2, 1 },
    { "double-sided 512K", 512 * KIB, 2, 2, 1 },
    { "single-sided 512K", 512 * KIB, 2, 3, 1 },
    { "press 512K", 512 * KIB, 2, 2, 16 },
    { "many-sided 1M", 1024 * KIB, HAMMER_ALL_SIDES, 2, 1 },
    { "double-sided 1M", 1024 * KIB, 2, 2, 1 },
    { "single-sided 1M", 1024 * KIB, 2, 3, 1 },
    { "press 1M", 1024 * KIB, 2, 2, 8 },
};

const struct hammer_pattern *hammer_pattern(size_t i)
{
    return i < sizeof(patterns) / sizeof(patterns[0]) ? &patterns[i] : NULL;
}

/* The rows that are wholly within the margin. */
static struct span rows_within(const struct hammer_pattern *p, struct span region)
{
    uint64_t base = align_up(region.base + HAMMER_MARGIN_BYTES, p->row_bytes);
    uint64_t end = align_down(span_end(region) - HAMMER_MARGIN_BYTES, p->row_bytes);
    bool any = region.size > 2 * HAMMER_MARGIN_BYTES && end > base;

    ASSERT(p->row_bytes >= HAMMER_BANK_BYTES && !(p->row_bytes & (p->row_bytes - 1)) && p->step);
    return (struct span){ base, any ? end - base : 0 };
}

static uint32_t sides_within(const struct hammer_pattern *p, struct span rows)
{
    uint64_t n_rows = rows.size / p->row_bytes, most = div_up(n_rows, p->step);

    return most < p->sides ? (uint32_t)most : p->sides;
}

uint64_t hammer_sites(const struct hammer_pattern *p, struct span region)
{
    struct span rows = rows_within(p, region);
    uint32_t sides = sides_within(p, rows);

    return sides < 2 ? 0 : rows.size / p->row_bytes - (uint64_t)(sides - 1) * p->step;
}

struct hammer_site hammer_site(const struct hammer_pattern *p, struct span region, uint64_t i)
{
    struct span rows = rows_within(p, region);

    ASSERT(i < hammer_sites(p, region));
    return (struct hammer_site){
        .first = rows.base + i * p->row_bytes,
        .step_bytes = p->step * p->row_bytes,
        .sides = sides_within(p, rows),
    };
}

bool hammer_is_aggressor(const struct hammer_pattern *p, const struct hammer_site *site,
                         uint64_t phys)
{
    uint64_t offset = phys - site->first;

    return offset / site->step_bytes < site->sides && offset % site->step_bytes < p->row_bytes;
}

/* One site, in one polarity. */
struct hammering {
    const struct sweep *sweep;
    const struct hammer_pattern *pattern;
    const struct data *data;
    struct slice region;
    struct hammer_site site;
    bool complement; /* in all rows but the aggressors */
};

/* Row by row, each with its own polarity. */
static void fill_or_verify(const struct hammering *h, bool verify)
{
    uint64_t row_bytes = h->pattern->row_bytes;
    uint64_t left = h->region.n_lines * sizeof(struct line);
    struct line_run run = { .first = h->region.virt, .phys = h->region.phys };

    while (left) {
        bool complement = h->complement != hammer_is_aggressor(h->pattern, &h->site, run.phys);
        uint64_t in_row = row_bytes - run.phys % row_bytes, size = min_u64(in_row, left);

        run.n_lines = size / sizeof(struct line);
        if (verify)
            h->sweep->ops->verify(&run, h->data, complement, &h->sweep->faults);
        else
            h->sweep->ops->fill(&run, h->data, complement);
        run.first += run.n_lines;
        run.phys += size;
        left -= size;
    }
    line_ops_fence();
}

enum touch { TOUCH_READ, TOUCH_CLFLUSH, TOUCH_CLFLUSHOPT };

/*
 * All aggressors' lines: of each row a column of all banks, then their next column, so that each
 * bank's row is used again before its controller thinks of closing it.
 */
INLINE void touch_lines(const struct hammering *h, enum touch touch)
{
    const char *row = (const char *)h->region.virt + (h->site.first - h->region.phys);

    for (uint32_t side = 0; side < h->site.sides; side++, row += h->site.step_bytes) {
        for (uint32_t column = 0; column < h->pattern->columns; column++) {
            const char *line = row + column * sizeof(struct line);
            const char *end = line + h->pattern->row_bytes;

            for (; line < end; line += HAMMER_BANK_BYTES) {
                if (touch == TOUCH_READ)
                    (void)*(const volatile uint64_t *)line;
                else if (touch == TOUCH_CLFLUSHOPT)
                    __asm__ volatile("clflushopt %0" : : "m"(*line) : "memory");
                else
                    __asm__ volatile("clflush %0" : : "m"(*line) : "memory");
            }
        }
    }
}

/*
 * Opens each aggressor once in each bank. The reads need no fences between them: no line is in a
 * cache, so all reach DRAM, and in whatever order a bank does its reads of different rows, each
 * opens its row again. Two fences for all of them keep the flushes in their place
 * (sweep/line_ops.h): none passes the reads before it, and no later read passes a flush.
 */
static void open_rows(const struct hammering *h)
{
    touch_lines(h, TOUCH_READ);
    __asm__ volatile("lfence" : : : "memory");
    if (h->sweep->has_clflushopt)
        touch_lines(h, TOUCH_CLFLUSHOPT);
    else
        touch_lines(h, TOUCH_CLFLUSH);
    line_ops_fence();
}

static void hammer(const struct hammering *h, uint64_t n_reads, bool (*stopped)(void *ctx),
                   void *ctx)
{
    uint64_t banks = h->pattern->row_bytes / HAMMER_BANK_BYTES;
    uint64_t once = h->site.sides * banks * h->pattern->columns;
    uint64_t left, batch;

    ASSERT(once);
    left = n_reads > once ? n_reads / once : 1;
    batch = BATCH_READS > once ? BATCH_READS / once : 1;
    while (left && !stopped(ctx)) {
        uint64_t n = min_u64(left, batch);

        for (uint64_t i = 0; i < n; i++)
            open_rows(h);
        left -= n;
    }
}

uint64_t hammer_round(const struct sweep *sweep, struct slice region,
                      const struct hammer_pattern *pattern, uint64_t n_reads,
                      bool (*stopped)(void *ctx), void *ctx)
{
    struct span span = { region.phys, region.n_lines * sizeof(struct line) };
    struct line_run all = { .first = region.virt, .phys = region.phys, .n_lines = region.n_lines };
    struct data data = data_background(0);
    uint64_t n = 2 * hammer_sites(pattern, span), sweeps = 0;

    for (uint64_t i = 0; i < n && !stopped(ctx); i++) {
        struct hammering h = {
            .sweep = sweep,
            .pattern = pattern,
            .data = &data,
            .region = region,
            .site = hammer_site(pattern, span, i / 2),
            .complement = i % 2,
        };

        fill_or_verify(&h, false);
        hammer(&h, n_reads, stopped, ctx);
        line_ops_flush(&all, sweep->has_clflushopt);
        fill_or_verify(&h, true);
        sweeps += 2;
    }
    return sweeps;
}

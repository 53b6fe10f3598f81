// SPDX-License-Identifier: MIT
#include "sweep/page_check.h"

#include "lib/panic.h"

/*
 * A test for faults of cells and between them, one of addresses, and one for cells that are changed
 * by a read or by a write of what they hold: as single cells need no order, their operations may be
 * in elements of their own, which are faster than several on each line.
 */
static const struct {
    const char *march;
    enum data_kind data;
    uint32_t rounds;
    uint32_t first; /* round before use */
} marches[] = {
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)", DATA_BACKGROUND, 2, 1 },
    { "up(w0);up(r0);down(w1);down(r1)", DATA_ADDRESS, 1, 0 },
    { "any(w0);any(r0);any(r0,w1);any(w1);any(r1);any(r1,w0);any(w0);any(r0)", DATA_BACKGROUND, 1,
      0 },
};

struct found {
    struct slice pages;
    uint32_t bad;
};

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct found *f = ctx;

    f->bad |= UINT32_C(1) << ((phys - f->pages.phys) >> PAGE_SHIFT);
}

static bool is_all_bad(const struct found *found)
{
    return found->bad == UINT32_MAX >> (32 - found->pages.n_lines * LINE_SIZE / PAGE_SIZE);
}

static struct march parse(const char *notation)
{
    struct march march;
    struct march_error error;

    ASSERT(march_parse(notation, &march, &error) == MARCH_OK);
    return march;
}

static struct sweep sweep_of(const struct line_ops *ops, bool has_clflushopt, struct found *found)
{
    ASSERT(found->pages.n_lines && found->pages.n_lines * LINE_SIZE <= PAGE_CHECK_MAX * PAGE_SIZE);
    return (struct sweep){
        .ops = ops,
        .has_clflushopt = has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = report, .ctx = found },
    };
}

static void run_march(const char *notation, const struct data *data, const struct sweep *sweep,
                      const struct found *found, const struct page_check_between *between)
{
    struct march march = parse(notation);

    for (uint32_t i = 0; i < march.n_elements && !is_all_bad(found); i++) {
        sweep_element(sweep, &march.element[i], data, found->pages);
        if (between)
            between->call(between->ctx);
    }
}

uint32_t page_check(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
                    enum page_check_why why, const struct page_check_between *between)
{
    struct found found = { .pages = pages };
    struct sweep sweep = sweep_of(ops, has_clflushopt, &found);

    for (size_t i = 0; i < sizeof(marches) / sizeof(marches[0]); i++) {
        uint32_t first = why == PAGE_CHECK_BEFORE_USE ? marches[i].first : 0;

        for (uint32_t round = first; round < marches[i].rounds; round++) {
            struct data data = data_make(marches[i].data, round, 0);

            run_march(marches[i].march, &data, &sweep, &found, between);
        }
    }
    return found.bad;
}

static void run_element(const char *notation, uint32_t element, const struct sweep *sweep,
                        struct slice pages, const struct data *data)
{
    struct march march = parse(notation);

    sweep_element(sweep, &march.element[element], data, pages);
}

static const char *const hold[] = { "any(w0);any(r0)", "any(w1);any(r1)" };

void page_fill(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
               const struct data *data, bool complement)
{
    struct found found = { .pages = pages };
    struct sweep sweep = sweep_of(ops, has_clflushopt, &found);

    run_element(hold[complement], 0, &sweep, pages, data);
}

bool page_holds(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
                const struct data *data, bool complement)
{
    struct found found = { .pages = pages };
    struct sweep sweep = sweep_of(ops, has_clflushopt, &found);

    run_element(hold[complement], 1, &sweep, pages, data);
    return !found.bad;
}

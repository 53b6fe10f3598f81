// SPDX-License-Identifier: MIT
#include "sweep/order.h"

#include "lib/minmax.h"
#include "lib/span.h"

/* At most 1/LATE_SHARE of all steps is spent on beginning late. */
#define LATE_SHARE 48

#define SMALL (UINT64_C(2) << 20) /* bytes of a section where no lanes need more */

/* With LATEST_SHARE sections for each CPU the latest worker begins an eighth of a leg late. */
#define LATEST_SHARE 8

#define LANES_MIN (UINT64_C(4) << 20) /* bytes: it still has a hundred lanes */

#define UNORDERED_MIN 64

/* Digits of worker numbers: as many values as rounds after the first need to distinguish all. */
static uint32_t digit_values(struct order o)
{
    for (uint32_t base = 1;; base++) {
        uint64_t told_apart = 1;

        for (uint32_t r = 1; r < o.n_rounds && told_apart < o.n_workers; r++)
            told_apart *= base;
        if (told_apart >= o.n_workers || base >= o.n_workers)
            return base;
    }
}

/* A slice is no larger, and a large one has more lanes; but workers that begin late need many. */
static uint64_t with_lanes(uint64_t worker_bytes, uint32_t n_cpus)
{
    uint64_t bytes = worker_bytes / LATEST_SHARE / n_cpus;

    return max_u64(LANES_MIN, min_u64(bytes, SWEEP_SLICE_BYTES));
}

/* As many as have no fewer bytes, but ORDER_SECTIONS_MIN at least. */
static uint32_t sections_of(uint64_t share_bytes, uint64_t least_bytes)
{
    uint32_t n = ORDER_SECTIONS_MIN;

    while (n < ORDER_SECTIONS_MAX && share_bytes / (2 * n) >= least_bytes)
        n *= 2;
    return n;
}

uint32_t order_sections(uint64_t worker_bytes, uint32_t n_cpus, bool has_lanes,
                        bool orders_all_pairs)
{
    uint64_t bytes = has_lanes ? with_lanes(worker_bytes, n_cpus) : SMALL;

    if (!orders_all_pairs)
        bytes = max_u64(LINE_SIZE, min_u64(bytes, worker_bytes / UNORDERED_MIN));
    return sections_of(worker_bytes, bytes);
}

/* For each unit of a digit. */
static uint32_t late_unit(uint32_t ahead)
{
    return 2 * ahead - 1;
}

static bool by_legs(struct order o)
{
    return o.n_legs >= ORDER_LEGS;
}

/* By how many units the latest worker is late at most, in any round or leg. */
static uint32_t most_units(struct order o)
{
    if (by_legs(o))
        return o.n_workers - 1;
    return o.n_rounds > 1 ? digit_values(o) - 1 : 0;
}

/* Rounds in which workers begin late: as many as worker numbers have digits. */
static uint32_t late_rounds(struct order o)
{
    uint64_t told_apart = 1, base = digit_values(o);
    uint32_t n = 0;

    for (; told_apart < o.n_workers; n++)
        told_apart *= base;
    return n;
}

/* By how many units workers are late, added up over n_rounds rounds; a march by legs is one. */
static uint64_t all_units(struct order o, uint32_t n_rounds)
{
    if (n_rounds == 1)
        return most_units(o) ? most_units(o) : 1;
    return (uint64_t)most_units(o) * late_rounds(o);
}

uint32_t order_ahead(struct order o)
{
    uint32_t n_rounds = by_legs(o) ? 1 : o.n_rounds, ahead = 1;
    uint64_t units = all_units(o, n_rounds), most = (uint64_t)n_rounds * o.n_sections / LATE_SHARE;

    while (ahead < ORDER_AHEAD_MAX && units * late_unit(ahead + 1) <= most)
        ahead++;
    return ahead;
}

static uint32_t units_late(struct order o, uint32_t worker)
{
    uint32_t base;

    if (by_legs(o) && o.leg == 0)
        return worker;
    if (by_legs(o))
        return o.leg == 2 ? o.n_workers - 1 - worker : 0;
    if (o.round == 0)
        return 0;
    base = digit_values(o);
    for (uint32_t r = 1; r < o.round; r++)
        worker /= base;
    return worker % base;
}

uint32_t order_steps(struct order o)
{
    bool is_late = by_legs(o) ? o.leg == 0 || o.leg == 2 : o.round > 0 && o.round <= late_rounds(o);

    return o.n_sections + (is_late ? most_units(o) * late_unit(order_ahead(o)) : 0);
}

bool order_section(struct order o, uint32_t worker, uint32_t step, bool down, uint32_t *ret_section)
{
    uint32_t now = down ? order_steps(o) - 1 - step : step;
    uint32_t late = units_late(o, worker) * late_unit(order_ahead(o));

    if (now < late || now - late >= o.n_sections)
        return false;
    *ret_section = now - late;
    return true;
}

enum order_lanes order_lanes(struct order o)
{
    if (by_legs(o) && o.leg == 0)
        return ORDER_LEG_LINES;
    if (by_legs(o))
        return o.leg == 2 ? ORDER_LEG_EARLY : ORDER_LEG_LANES;
    if (o.n_rounds < 2)
        return ORDER_ONLY_LANES;
    return o.round % 2 ? ORDER_LANES : ORDER_LINES;
}

// SPDX-License-Identifier: MIT
#include "sweep/engine.h"

#include "lib/minmax.h"
#include "lib/panic.h"

/*
 * Lines in a lane of a sequence, for two rounds of different order: 60 and 53 lanes in a slice.
 * Both are odd, for lanes an even number of lines apart share channels and banks, and their least
 * common multiple is larger than a slice, as sweep/order.h wants.
 */
#define LANE_LINES       273
#define OTHER_LANE_LINES 309
_Static_assert(UINT64_C(103) * LANE_LINES * sizeof(struct line) > SWEEP_SLICE_BYTES,
               "309 = 3 * 103, 273 = 3 * 91");

/* Lines in the order of the direction. */
static struct line_run run_of(struct slice slice, bool down)
{
    uint64_t first = down && slice.n_lines ? slice.n_lines - 1 : 0;

    return (struct line_run){
        .first = slice.virt + first,
        .phys = slice.phys + first * sizeof(struct line),
        .n_lines = slice.n_lines,
        .down = down,
    };
}

/* Cuts a slice in two: ret_part[0] has the n lowest lines, or down: what is above them. */
static void cut(struct slice slice, uint64_t n, bool down, struct line_run ret_part[2])
{
    struct slice low = { slice.virt, slice.phys, n };
    struct slice high = {
        .virt = slice.virt + n,
        .phys = slice.phys + n * sizeof(struct line),
        .n_lines = slice.n_lines - n,
    };

    ret_part[down] = run_of(low, down);
    ret_part[!down] = run_of(high, down);
}

static void run_sequence(const struct sweep *s, const struct march_element *e,
                         const struct data *data, const struct line_run *run, uint64_t n_lanes)
{
    struct line_sequence sequence = {
        .op = e->op,
        .n_ops = e->n_ops,
        .n_lanes = n_lanes,
        .skew = (s->lanes == ORDER_LANES_LATE) - (s->lanes == ORDER_LANES_EARLY),
        .has_clflushopt = s->has_clflushopt,
    };

    if (run->n_lines)
        s->ops->sequence(run, data, &sequence, &s->faults);
}

/* Whole lanes at once; what is left of the slice, line by line. */
static void run_sequences(const struct sweep *s, const struct march_element *e,
                          const struct data *data, struct slice slice, bool down)
{
    uint64_t length = s->lanes == ORDER_OTHER_LANES ? OTHER_LANE_LINES : LANE_LINES;
    uint64_t n_lanes = s->lanes == ORDER_ONE_LANE ? 0 : slice.n_lines / length;
    struct line_run part[2];

    cut(slice, n_lanes * length, down, part);
    run_sequence(s, e, data, &part[0], down ? 1 : n_lanes);
    run_sequence(s, e, data, &part[1], down ? n_lanes : 1);
}

static void run_verify_write(const struct sweep *s, const struct march_element *e,
                             const struct data *data, struct slice slice, bool down)
{
    uint64_t rest = slice.n_lines % (LINE_OPS_LANES * LINE_OPS_TURN);
    bool read = e->op[0].complement, write = e->op[1].complement;
    struct line_run part[2];

    cut(slice, slice.n_lines - rest, down, part);
    if (down)
        run_sequence(s, e, data, &part[0], 1);
    if (part[down].n_lines)
        s->ops->verify_write(&part[down], data, read, write, &s->faults);
    if (!down)
        run_sequence(s, e, data, &part[1], 1);
}

struct span sweep_next_slice(struct span *left, bool down)
{
    uint64_t end = span_end(*left), cut;
    struct span slice = *left;

    if (down) {
        cut = align_down(end - 1, SWEEP_SLICE_BYTES);
        slice.base = max_u64(cut, left->base);
        slice.size = end - slice.base;
    } else {
        cut = align_down(left->base, SWEEP_SLICE_BYTES) + SWEEP_SLICE_BYTES;
        slice.size = min_u64(cut, end) - left->base;
        left->base += slice.size;
    }
    left->size -= slice.size;
    return slice;
}

void sweep_element(const struct sweep *s, const struct march_element *e, const struct data *data,
                   struct slice slice)
{
    const struct march_op *op = e->op;
    bool down = e->kind == MARCH_DOWN;
    struct line_run run = run_of(slice, down);
    bool streams = e->n_ops == 1 || (e->n_ops == 2 && !op[0].write && op[1].write);

    ASSERT(e->kind != MARCH_PAUSE);
    if (!slice.n_lines)
        return;
    if (streams && op[0].before == MARCH_FLUSH)
        line_ops_flush(&run, s->has_clflushopt);
    if (!streams)
        run_sequences(s, e, data, slice, down);
    else if (e->n_ops == 2)
        run_verify_write(s, e, data, slice, down);
    else if (op[0].write)
        s->ops->fill(&run, data, op[0].complement);
    else
        s->ops->verify(&run, data, op[0].complement, &s->faults);
    line_ops_fence();
}

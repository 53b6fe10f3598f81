// SPDX-License-Identifier: MIT
#include "sweep/engine.h"

#include "lib/minmax.h"
#include "lib/panic.h"

/*
 * In the third leg each lane is this many rows ahead of the previous one. If it were only one row,
 * neighbours in a row would not be ordered in either leg.
 */
#define LEG_EARLY 2

/*
 * Lines in a lane for each lane, at least. With fewer, more lines are under way in lanes, but fewer
 * where lines follow each other (order.h), and in the third leg lanes are far ahead of each other.
 */
#define LANE_LENGTH 8
_Static_assert(LANE_LENGTH >= 2 * LEG_EARLY, "no lane is ahead by more than half of its length");

/* At most 1/FEWER_LANES of the lanes is given up for a better cut. */
#define FEWER_LANES 16

/* Of a read whose lines are flushed first: how far ahead, in lines. */
#define STREAM_WINDOW 1024

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

struct lanes {
    uint64_t n, length, window;
    uint32_t early;
};

static void run_sequence(const struct sweep *s, const struct march_element *e,
                         const struct data *data, const struct line_run *run, struct lanes lanes)
{
    struct line_sequence sequence = {
        .op = e->op,
        .n_ops = e->n_ops,
        .n_lanes = lanes.n,
        .window = lanes.window,
        .early = lanes.early,
        .has_clflushopt = s->has_clflushopt,
    };

    if (run->n_lines)
        s->ops->sequence(run, data, &sequence, &s->faults);
}

/* Line after line; those less than the window apart are in no order. */
static void run_lines(const struct sweep *s, const struct march_element *e, const struct data *data,
                      const struct line_run *run, uint64_t window)
{
    run_sequence(s, e, data, run, (struct lanes){ .n = run->n_lines, .window = window });
}

/* Lengths are odd, for lanes an even distance in lines would share channels and banks. */
static struct lanes make_lanes(uint64_t n_lines, uint64_t n)
{
    uint64_t length = n_lines / n;

    return (struct lanes){
        .n = n,
        .length = length && length % 2 == 0 ? length - 1 : length,
        .window = n,
    };
}

/*
 * As many lanes as possible, if each has lines_a_lane lines for each lane; or some fewer, where
 * they leave fewer lines over, which are done one by one.
 */
static struct lanes cut_into_lanes(uint64_t n_lines, uint64_t lines_a_lane)
{
    struct lanes best, lanes;
    uint64_t most = 1;

    while ((most + 1) * (most + 1) * lines_a_lane <= n_lines)
        most++;
    best = make_lanes(n_lines, most);
    for (uint64_t n = most - 1; n > most - most / FEWER_LANES; n--) {
        lanes = make_lanes(n_lines, n);
        if (lanes.n * lanes.length > best.n * best.length)
            best = lanes;
    }
    return best;
}

static struct lanes lanes_of(enum order_lanes order, uint64_t n_lines)
{
    struct lanes lanes = cut_into_lanes(n_lines, order == ORDER_ONLY_LANES ? 1 : LANE_LENGTH);

    lanes.early = order == ORDER_LEG_EARLY ? LEG_EARLY : 0;
    return lanes;
}

/* Of lines one after the other. */
static uint64_t window_of(enum order_lanes order, uint64_t n_lines)
{
    if (order != ORDER_LINES && order != ORDER_LEG_LINES)
        return 1;
    return lanes_of(order, n_lines).length - 1;
}

/* Whole lanes at once; what is left of the slice, line by line. */
static void run_lanes(const struct sweep *s, const struct march_element *e, const struct data *data,
                      struct slice slice, bool down)
{
    struct lanes lanes = lanes_of(s->lanes, slice.n_lines);
    struct line_run part[2];

    cut(slice, lanes.n * lanes.length, down, part);
    if (down)
        run_lines(s, e, data, &part[0], 1);
    if (part[down].n_lines)
        run_sequence(s, e, data, &part[down], lanes);
    if (!down)
        run_lines(s, e, data, &part[1], 1);
}

static void run_sequences(const struct sweep *s, const struct march_element *e,
                          const struct data *data, struct slice slice, bool down)
{
    struct line_run run = run_of(slice, down);

    if (order_has_lanes(s->lanes))
        run_lanes(s, e, data, slice, down);
    else
        run_lines(s, e, data, &run, window_of(s->lanes, slice.n_lines));
}

static void run_verify_write(const struct sweep *s, const struct march_element *e,
                             const struct data *data, struct slice slice, bool down)
{
    uint64_t rest = slice.n_lines % (LINE_OPS_LANES * LINE_OPS_TURN);
    bool read = e->op[0].complement, write = e->op[1].complement;
    struct line_run part[2];

    cut(slice, slice.n_lines - rest, down, part);
    for (size_t i = 0; i < 2; i++) {
        if (part[i].n_lines)
            s->ops->verify_write(&part[i], data, read, write, &s->faults);
    }
}

struct span sweep_next_slice(struct span *left, bool down, uint64_t slice_bytes)
{
    uint64_t end = span_end(*left), cut;
    struct span slice = *left;

    if (left->size <= slice_bytes) {
        left->size = 0;
        return slice;
    }
    if (down) {
        cut = align_down(end - 1, slice_bytes);
        slice.base = max_u64(cut, left->base);
        slice.size = end - slice.base;
    } else {
        cut = align_down(left->base, slice_bytes) + slice_bytes;
        slice.size = min_u64(cut, end) - left->base;
        left->base += slice.size;
    }
    left->size -= slice.size;
    return slice;
}

/* Operations that need no lanes: lines are in order, whatever is under way. */
static bool streams(const struct march_element *e)
{
    return e->n_ops == 1 || (e->n_ops == 2 && !e->op[0].write && e->op[1].write);
}

bool sweep_has_lanes(const struct march *march)
{
    for (uint32_t i = 0; i < march->n_elements; i++) {
        if (march->element[i].kind != MARCH_PAUSE && !streams(&march->element[i]))
            return true;
    }
    return false;
}

static void run_slice(const struct sweep *s, const struct march_element *e, const struct data *data,
                      struct slice slice)
{
    const struct march_op *op = e->op;
    bool down = e->kind == MARCH_DOWN;
    struct line_run run = run_of(slice, down);

    if (streams(e) && e->n_ops == 2 && op[0].before == MARCH_FLUSH)
        line_ops_flush(&run, s->has_clflushopt);
    if (!streams(e))
        run_sequences(s, e, data, slice, down);
    else if (e->n_ops == 2)
        run_verify_write(s, e, data, slice, down);
    else if (op[0].write)
        s->ops->fill(&run, data, op[0].complement);
    else if (op[0].before == MARCH_FLUSH)
        run_lines(s, e, data, &run, STREAM_WINDOW);
    else
        s->ops->verify(&run, data, op[0].complement, &s->faults);
}

/* As little at a time as a pulse has room for. */
static void run_pulses(const struct sweep *s, const struct march_element *e,
                       const struct data *data, struct slice slice)
{
    struct span left = { slice.phys, slice.n_lines * sizeof(struct line) };

    while (left.size) {
        struct span part = sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_PULSE_BYTES);

        pulse_gate_pass(s->gate);
        run_slice(s, e, data,
                  (struct slice){
                      .virt = slice.virt + (part.base - slice.phys) / sizeof(struct line),
                      .phys = part.base,
                      .n_lines = part.size / sizeof(struct line),
                  });
    }
}

void sweep_element(const struct sweep *s, const struct march_element *e, const struct data *data,
                   struct slice slice)
{
    ASSERT(e->kind != MARCH_PAUSE);
    if (!slice.n_lines)
        return;
    if (s->gate)
        run_pulses(s, e, data, slice);
    else
        run_slice(s, e, data, slice);
    line_ops_fence();
}

// SPDX-License-Identifier: MIT
#include "sweep/line_pipeline.h"

#include "lib/minmax.h"
#include "lib/panic.h"

static void add_stage(struct line_pipeline *p, const struct march_op *op)
{
    p->stage[p->n_stages++] = (struct line_stage){ .op = op };
}

static void make_stages(struct line_pipeline *p, const struct line_sequence *sequence)
{
    add_stage(p, sequence->op);
    for (uint32_t i = 0; i < sequence->n_ops; i++) {
        const struct march_op *op = &sequence->op[i];

        if (op->before == MARCH_FLUSH) {
            p->stage[p->n_stages - 1].flush = true;
            p->flushes_loaded |= p->stage[p->n_stages - 1].n_ops > 0;
        }
        if (op->before != MARCH_NOTHING)
            add_stage(p, op);
        p->stage[p->n_stages - 1].n_ops++;
    }
}

struct line_pace line_pipeline_pace(uint32_t n_stages, uint64_t window)
{
    /* Larger batches wait less often for loads; fewer fences matter more. */
    static const struct {
        uint32_t batch, ahead, least_fence;
    } ways[] = { { 16, 4, 16 }, { 8, 2, 4 }, { 4, 2, 4 }, { 2, 1, 4 }, { 1, 1, 2 }, { 1, 0, 1 } };
    uint32_t delays = n_stages > 1 ? n_stages - 1 : 1;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        uint64_t slots = window / ways[i].batch;
        uint64_t delay = slots > ways[i].ahead ? (slots - ways[i].ahead - 1) / delays : 0;

        if (delay > ways[i].least_fence + ways[i].ahead)
            return (struct line_pace){
                .batch = ways[i].batch,
                .fence = (uint32_t)delay - 1 - ways[i].ahead,
                .delay = (uint32_t)delay,
                .ahead = ways[i].ahead,
            };
    }
    return (struct line_pace){ 0 };
}

void line_pipeline_enter_row(const struct line_pipeline *p, struct line_place *place)
{
    uint64_t early = p->early;
    uint64_t begun = early ? min_u64(place->row / early + 1, p->n_lanes) : p->n_lanes;
    uint64_t ended = early && place->row >= p->length ? (place->row - p->length) / early + 1 : 0;

    /* The last lanes begin, and end, first. */
    place->first_lane = p->n_lanes - begun;
    place->end_lane = p->n_lanes - min_u64(ended, p->n_lanes);
}

/* All stages at the beginning: row 0. */
static void begin(struct line_pipeline *p, int64_t step)
{
    struct line_place place = { .offset = -step * (int64_t)(p->early * (p->n_lanes - 1)) };

    line_pipeline_enter_row(p, &place);
    for (uint32_t i = 0; i < p->n_stages; i++) {
        p->stage[i].at = place;
        p->stage[i].ahead = place;
    }
    for (uint32_t k = 0; k < p->pace.ahead; k++) /* before slot 0 nothing is prefetched */
        line_pipeline_next(p, &p->stage[0].ahead);
}

bool line_pipeline_make(const struct line_run *run, const struct line_sequence *sequence,
                        struct line_pipeline *ret_pipeline)
{
    struct line_pipeline *p = ret_pipeline;
    int64_t step = run->down ? -(int64_t)sizeof(struct line) : (int64_t)sizeof(struct line);
    uint64_t n_rows = run->n_lines / sequence->n_lanes;

    ASSERT(sequence->n_ops && n_rows * sequence->n_lanes == run->n_lines);
    *p = (struct line_pipeline){
        .n_lanes = sequence->n_lanes,
        .length = n_rows,
        .early = sequence->early,
    };
    make_stages(p, sequence);
    p->pace = line_pipeline_pace(p->n_stages, sequence->window);
    if (!p->pace.batch)
        return false;
    p->apart = (int64_t)(n_rows + p->early) * step;
    p->row_batches = (p->n_lanes + p->pace.batch - 1) / p->pace.batch;
    p->to_row = step - (int64_t)(p->row_batches - 1) * p->pace.batch * p->apart;
    n_rows += p->early * (p->n_lanes - 1);
    p->n_batches = n_rows * p->row_batches;
    p->n_slots = p->n_batches + (uint64_t)(p->n_stages - 1) * p->pace.delay;
    begin(p, step);
    return true;
}

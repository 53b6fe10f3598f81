// SPDX-License-Identifier: MIT
#include "sweep/line_pipeline.h"

#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"

/*
 * What pays (docs/performance.md): as many lines ahead as a round trip to DRAM takes, then few
 * fences, then a long way from one read of a line to the next. In lines:
 */
#define AHEAD       64
#define AHEAD_SHARE 4   /* of the window, for prefetches, at most */
#define FENCE_MAX   384 /* from fence to fence, where a line is read again */

static struct line_stage *add_stage(struct line_pipeline *p)
{
    struct line_stage *stage = &p->stage[p->n_stages++];

    *stage = (struct line_stage){ 0 };
    return stage;
}

static void make_stages(struct line_pipeline *p, const struct line_sequence *sequence)
{
    struct line_stage *stage = NULL;

    for (uint32_t i = 0; i < sequence->n_ops; i++) {
        const struct march_op *op = &sequence->op[i];

        if (op->before == MARCH_FLUSH)
            add_stage(p);
        if (!stage || op->before != MARCH_NOTHING) {
            stage = add_stage(p);
            stage->op = op;
            stage->prefetch = !op->write;
        }
        stage->n_ops++;
    }
}

static uint32_t count_prefetched(const struct line_pipeline *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_stages; i++)
        n += p->stage[i].prefetch;
    return n;
}

struct line_pace line_pipeline_pace(struct line_needs needs, uint64_t window)
{
    /* Large batches are worth a little less than few fences. */
    static const struct {
        uint32_t batch, least_fence; /* lines */
    } ways[] = { { 16, 96 }, { 8, 16 }, { 4, 8 }, { 2, 4 }, { 1, 1 } };
    uint64_t reads = needs.n_reads ? needs.n_reads : 1, again = reads - 1;
    uint64_t most_ahead = min_u64(AHEAD, window / AHEAD_SHARE / reads);
    uint64_t delays = needs.n_stages > 1 ? needs.n_stages - 1 : 1;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        uint32_t batch = ways[i].batch;
        uint64_t slots = window / batch, ahead = batch > 1 ? most_ahead / batch : 0;
        uint64_t used = needs.n_reads * ahead + 1;
        uint64_t delay = slots > used ? (slots - used) / delays : 0;
        uint64_t fence;

        if ((!ahead && batch > 1) || delay <= ways[i].least_fence / batch)
            continue;
        fence = again ? min_u64(delay - 1, FENCE_MAX / batch) : delay - 1;
        return (struct line_pace){
            .batch = batch,
            .fence = (uint32_t)fence,
            .ahead = (uint32_t)ahead,
            .again = again ? (uint32_t)((slots - used - delays * (fence + 1)) / again) : 0,
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
    uint64_t begin = 0;
    bool has_read = false;

    line_pipeline_enter_row(p, &place);
    for (uint32_t i = 0; i < p->n_stages; i++) {
        bool prefetch = p->stage[i].prefetch;

        if (i)
            begin += p->pace.fence + 1 + (prefetch ? p->pace.ahead : 0);
        if (prefetch && has_read)
            begin += p->pace.again;
        has_read |= prefetch;
        p->stage[i].begin = begin;
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
    p->pace = line_pipeline_pace(
        (struct line_needs){
            .n_stages = p->n_stages,
            .n_reads = count_prefetched(p),
        },
        sequence->window);
    if (!p->pace.batch)
        return false;
    p->apart = (int64_t)(n_rows + p->early) * step;
    p->row_batches = div_up(p->n_lanes, p->pace.batch);
    p->to_row = step - (int64_t)(p->row_batches - 1) * p->pace.batch * p->apart;
    n_rows += p->early * (p->n_lanes - 1);
    p->n_batches = n_rows * p->row_batches;
    begin(p, step);
    p->n_slots = p->n_batches + p->stage[p->n_stages - 1].begin;
    return true;
}

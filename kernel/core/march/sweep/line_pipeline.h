// SPDX-License-Identifier: MIT
/*
 * How several operations on each line of a run are done without waiting for DRAM after each.
 *
 * An element's operations are cut into stages, wherever a line must wait: for a fence after a
 * write, for a flush between reads, which is a stage of its own (enum march_before). Lines go
 * through the stages in batches, as through a pipeline: in each slot of time stage 0 has a batch,
 * and each other stage the batch that the stage before it had some slots ago. One fence every
 * `fence` slots then serves all stages at once:
 *
 * - A batch's next stage is more than `fence` slots later, so that there is a fence in between. So
 *   no flush comes before the loads of the stage before it are done, and no load or store before
 *   the flush has taken effect or the stores of the stage before it are in memory.
 * - A stage that begins with a read is prefetched `ahead` slots before, and is `ahead` slots later
 *   still: there is a fence before the prefetch, too. A prefetch that the processor does earlier
 *   than the program has it finds the line in the cache, does nothing, and the load reads memory.
 * - What a wide window has left over is put before each stage that reads again (`again`). Intel's
 *   second-level prefetcher follows 32 pages, each in one way (Optimization Reference Manual, "Data
 *   Prefetching to the L2 Cache"). A page that it has forgotten is a new stream to it; in one that
 *   it still knows, lines are read more slowly, prefetched by software or not.
 *
 * For example up(r0,r0,w1,w1) in a window of 64 lines: batches of 4 lines, a fence after every
 * second slot (|), prefetches 2 slots ahead, `again` 2. Which batch is in which stage:
 *
 *     slot       0  1 | 2  3 | 4  5 | 6  7 | 8  9 | 10 11 | 12 13 | 14
 *     r0         0  1   2  3   4  5   6  7   8  9   10 11   12 13   14
 *     flush                0   1  2   3  4   5  6    7  8    9 10   11
 *     prefetch                               0  1    2  3    4  5    6
 *     r0,w1                                          0  1    2  3    4
 *     w1                                                        0    1
 *
 * So a line's operations reach DRAM as they would one by one, in their order. Lines that are
 * `window` or more apart in the order of the run are in order, too: all operations on one come
 * before any on the other. Lines that are closer are in no order: sweep/order.h.
 */
#pragma once

#include "sweep/line_ops.h"

/* A batch: its first lane's distance from the first line of the run, and its number in its row. */
struct line_place {
    int64_t offset;
    uint64_t number, row;
    uint64_t first_lane, end_lane; /* those that have a line in this row */
};

struct line_stage {
    const struct march_op *op;
    uint32_t n_ops; /* 0: it flushes */
    bool prefetch;  /* the first operation is a read */
    uint64_t begin; /* the slot of its first batch */
    struct line_place at, ahead;
};

/* In lines, and in slots. */
struct line_pace {
    uint32_t batch, fence, ahead;
    uint32_t again; /* by which a stage that reads a line again is later still */
};

struct line_pipeline {
    struct line_stage stage[2 * MARCH_OPS_MAX];
    uint32_t n_stages;
    struct line_pace pace;
    uint64_t n_lanes, n_batches, n_slots;
    uint64_t row_batches; /* in a row: lines of all lanes that have their turns together */
    uint64_t length;      /* lines in a lane */
    uint64_t early;
    int64_t apart, to_row; /* bytes from lane to lane; from a row's last batch to the next row */
    uint32_t since_fence;
};

/* What an element requires of the pacing. */
struct line_needs {
    uint32_t n_stages;
    uint32_t n_reads; /* of the stages: those that begin with a read */
};

/*
 * The pace at which no line is more than window lines late; batch is 0 if there is none: then each
 * line has all operations before the next has its first.
 */
struct line_pace line_pipeline_pace(struct line_needs needs, uint64_t window);

/*
 * False: there is no pace for so narrow a window. *ret_pipeline is for as long as the sequence's
 * operations are there.
 */
bool line_pipeline_make(const struct line_run *run, const struct line_sequence *sequence,
                        struct line_pipeline *ret_pipeline);

/* Whether the stage has a batch in that slot. */
static inline bool line_pipeline_has(const struct line_pipeline *p, uint32_t stage, uint64_t slot)
{
    return slot - p->stage[stage].begin < p->n_batches;
}

/* Which lanes have a line in the place's row: all, but where they are late. */
void line_pipeline_enter_row(const struct line_pipeline *p, struct line_place *place);

/* The lanes of a batch that have a line in its row. */
static inline uint64_t line_pipeline_first_lane(const struct line_pipeline *p,
                                                struct line_place place)
{
    uint64_t first = place.number * p->pace.batch;

    return first < place.first_lane ? place.first_lane : first;
}

static inline uint64_t line_pipeline_lines(const struct line_pipeline *p, struct line_place place)
{
    uint64_t first = line_pipeline_first_lane(p, place), end = (place.number + 1) * p->pace.batch;

    end = end < place.end_lane ? end : place.end_lane;
    return first < end ? end - first : 0;
}

/* The first of these lines: bytes from the first line of the run. */
static inline int64_t line_pipeline_offset(const struct line_pipeline *p, struct line_place place)
{
    uint64_t first = line_pipeline_first_lane(p, place);

    return place.offset + (int64_t)(first - place.number * p->pace.batch) * p->apart;
}

static inline void line_pipeline_next(const struct line_pipeline *p, struct line_place *place)
{
    if (++place->number == p->row_batches) {
        place->number = 0;
        place->offset += p->to_row;
        place->row++;
        if (p->early)
            line_pipeline_enter_row(p, place);
    } else {
        place->offset += (int64_t)p->pace.batch * p->apart;
    }
}

/* Ends a slot. */
static inline void line_pipeline_fence(struct line_pipeline *p)
{
    if (++p->since_fence == p->pace.fence) {
        p->since_fence = 0;
        line_ops_fence();
    }
}

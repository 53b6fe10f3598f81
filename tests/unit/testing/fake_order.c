// SPDX-License-Identifier: MIT
#include "testing/fake_order.h"

#include "arch/paging.h"
#include "calibration/selection.h"
#include "cpus/cpu_clocks.h"
#include "cpus/cpu_pool.h"
#include "cpus/steps.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "faults/reporter.h"
#include "lib/minmax.h"
#include "faults/cpu_evidence.h"
#include "mce/mca.h"
#include "plan/plan.h"
#include "self/own_aliases.h"
#include "testing/fake_machine.h"
#include "testing/translations.h"

#define PARTS_MAX 64

struct order_notes order_notes;

/* The work of all CPUs, by one. */
static struct {
    const struct step_queue *part[PARTS_MAX];
    uint32_t n_parts;
    uint32_t released; /* steps that count as done for all */
    const void *now;   /* the part and the step that are done, and the runs of lines until now */
    uint32_t step, n_runs;
} work;

static struct order_event *last_event(void)
{
    return &order_notes.event[order_notes.n_events - 1];
}

static struct order_event *add_event(void)
{
    assert_true(order_notes.n_events < ORDER_EVENTS_MAX);
    order_notes.n_events++;
    *last_event() = (struct order_event){ 0 };
    return last_event();
}

/* The first of the lines at an address or above it. */
static size_t line_from(uint64_t phys)
{
    size_t i = 0;

    while (i < order_notes.n_lines && order_notes.line[i] < phys)
        i++;
    return i;
}

void fake_content_lost(const struct footprint *place)
{
    struct order_event *e = add_event();

    e->is_move = true;
    for (size_t i = 0; i < order_notes.n_lines; i++)
        e->is_lost[i] = !place || footprint_holds(place, order_notes.line[i]);
}

/* --- line operations ------------------------------------------------------------------------- */

/* Where a line is in the order of the run, if it has such lanes. */
static int64_t place_in(const struct line_run *run, uint64_t n_lanes, uint64_t early, uint64_t phys)
{
    uint64_t line = (run->down ? run->phys - phys : phys - run->phys) / LINE_SIZE;
    uint64_t length = run->n_lines / n_lanes, lane = line / length, row = line % length;

    return ((int64_t)row - (int64_t)(early * lane)) * (int64_t)n_lanes + (int64_t)lane;
}

static void note_run(const struct line_run *run, const struct line_sequence *sequence)
{
    struct order_event *e = last_event();
    uint64_t low = run->down ? run->phys - (run->n_lines - 1) * LINE_SIZE : run->phys;

    assert_true(!e->is_move && sequence->n_ops <= MARCH_OPS_MAX);
    work.n_runs++;
    e->n_ops = sequence->n_ops;
    memcpy(e->op, sequence->op, sequence->n_ops * sizeof(*sequence->op));
    for (size_t i = line_from(low); i < line_from(low + run->n_lines * LINE_SIZE); i++) {
        assert_false(e->turn[i].is_done);
        e->turn[i] = (struct order_turn){
            .is_done = true,
            .part = work.now,
            .step = work.step,
            .run = work.n_runs,
            .at = place_in(run, sequence->n_lanes, sequence->early, order_notes.line[i]),
            .window = sequence->window,
        };
    }
}

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *sequence, const struct line_faults *faults)
{
    note_run(run, sequence);
}

/* One operation on each line: in no order. */
static void note_one(const struct line_run *run, struct march_op op)
{
    const struct line_sequence one = {
        .op = &op, .n_ops = 1, .n_lanes = run->n_lines, .window = UINT64_MAX
    };

    note_run(run, &one);
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    note_one(run, (struct march_op){ .write = true, .complement = complement });
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    note_one(run, (struct march_op){ .complement = complement });
}

static const struct line_ops noting = { .fill = fill, .verify = verify, .sequence = sequence };

void fake_order_begin(struct selection *selection, bool has_lanes)
{
    selection->ops = selection->address_ops = &noting;
    selection->lines = selection->lanes = has_lanes;
}

/* --- steps ----------------------------------------------------------------------------------- */

void step_queue_begin(struct step_queue *t, uint32_t step)
{
    assert_true(work.n_parts < PARTS_MAX);
    work.part[work.n_parts++] = t;
    atomic_store(&t->at, step);
}

bool step_queue_claim(struct step_queue *t, uint32_t end, uint32_t *ret_step)
{
    uint32_t step = step_queue_done(t);

    if (step >= end)
        return false;
    work.now = t;
    work.step = *ret_step = step;
    last_event()->ahead = (uint32_t)max_u64(last_event()->ahead, step + 1 - work.released);
    return true;
}

uint32_t step_queue_done(const struct step_queue *t)
{
    return (uint32_t)atomic_load(&t->at);
}

void step_queue_end(struct step_queue *t, uint32_t step)
{
    atomic_store(&t->at, step + 1);
}

/* step_queue_begin was called for each part. */
void cpu_pool_run_steps(const uint32_t *numbers, uint32_t n, uint32_t parts,
                        struct cpu_pool_job job)
{
    assert_int_equal(work.n_parts, n * parts);
    add_event();
    work.released = 0;
    job.work(job.ctx, numbers[0]);
    work.n_parts = 0;
}

uint32_t cpu_pool_steps_done(uint32_t cpu)
{
    return work.released;
}

/* All that may be done is: only then it counts, so that work gets as far ahead as it may. */
void cpu_pool_pass(uint32_t cpu)
{
}

void cpu_pool_wait_step(uint32_t cpu, uint32_t step)
{
    uint32_t done = UINT32_MAX;

    for (uint32_t i = 0; i < work.n_parts; i++)
        done = (uint32_t)min_u64(done, step_queue_done(work.part[i]));
    assert_true(done > work.released);
    work.released = done;
}

bool cpu_pool_count_step(uint32_t of, uint32_t step)
{
    return false;
}

void cpu_pool_release_step(uint32_t cpu, uint32_t step)
{
    fail();
}

uint32_t cpu_pool_next_of_group(uint32_t cpu)
{
    return (cpu + 1) % (uint32_t)fake.run.plan.n_workers;
}

bool cpu_pool_is_aborted(void)
{
    return false;
}

/* --- what else is done around it ------------------------------------------------------------- */

void cpu_pool_heartbeat(uint32_t cpu)
{
    fake.us++;
}

void own_aliases_guard(const struct shares *shares, struct own_aliases_part part)
{
    fail();
}

void own_aliases_guarded_all(void)
{
    fail();
}

void mca_sweep_begin(struct span slice)
{
}

void mca_sweep_end(struct span slice)
{
}

uint64_t cpu_clocks_now(uint32_t cpu)
{
    return 0;
}

bool translations_swept(struct translations *t, uint64_t bytes)
{
    return false;
}

/* --- what follows ---------------------------------------------------------------------------- */

/* 1: a comes before b; -1: after it; 0: in no order. */
static int compare(const struct order_event *e, const struct order_turn *a,
                   const struct order_turn *b)
{
    int64_t apart = (int64_t)b->step - (int64_t)a->step, least = (int64_t)e->ahead;

    if (a->part == b->part) {
        apart = a->run == b->run ? b->at - a->at : (int64_t)b->run - (int64_t)a->run;
        least = a->run == b->run ? (int64_t)min_u64(a->window, INT64_MAX) : 1;
    }
    return (apart >= least) - (apart <= -least);
}

enum order_of_two order_of_two(const struct order_event *e, size_t first, size_t second)
{
    const struct order_turn *a = &e->turn[first], *b = &e->turn[second];

    if (!a->is_done || !b->is_done)
        return a->is_done ? ORDER_FIRST_ALONE : b->is_done ? ORDER_SECOND_ALONE : ORDER_NEITHER;
    switch (compare(e, a, b)) {
    case 1: return ORDER_FIRST_BEFORE;
    case -1: return ORDER_SECOND_BEFORE;
    default: return ORDER_NONE;
    }
}

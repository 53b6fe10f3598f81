// SPDX-License-Identifier: MIT
#include "sweep/line_pipeline.h"

#include "marches.h"

#define LINES_MAX 4200

static const char *const marches[] = {
    "any(w0);up(r0,r0)",
    "any(w0);up(w1,w0)",
    "any(w0);up(r0,r0,w1,w1)",
    "any(w0);any(r0);up(r0,w1)",
    "any(w0);up(r0,w0,r0,r0,w1,r1)",
    "any(w0);up(r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0,r0)",
};

static const struct {
    uint64_t n_lines, n_lanes, window;
    uint32_t early;
    bool down;
} runs[] = {
    { 2100, 2100, 256, 0, false },  { 2100, 2100, 256, 0, true },  { 2099, 2099, 64, 0, false },
    { 2000, 50, 50, 0, false },     { 2000, 50, 50, 0, true },     { 1995, 57, 57, 0, true },
    { 14, 7, 7, 0, false },         { 1, 1, 1024, 0, false },      { 5, 5, 256, 0, true },
    { 2000, 20, 20, 4, false },     { 2000, 20, 20, 4, true },     { 1995, 57, 57, 1, false },
    { 1995, 57, 57, 3, true },      { 1000, 50, 50, 4, false },    { 1000, 50, 50, 4, true },
    { 4200, 4200, 2895, 0, false }, { 4200, 4200, 2895, 0, true }, { 4200, 4200, 1234, 0, true },
};

/* When what happens to a line, in steps of the program. */
static struct {
    uint64_t first, last; /* from the first prefetch or operation on */
    uint64_t stage_ended;
    uint32_t stages;
} lines[LINES_MAX];

static uint64_t now, fenced; /* the last MFENCE */

static struct march_element last_element(const char *notation)
{
    struct march march = parsed(notation);

    return march.element[march.n_elements - 1];
}

/* The line's place in the run's order of addresses. */
static uint64_t line_of(const struct line_pipeline *p, struct line_place place, uint64_t k)
{
    int64_t bytes = line_pipeline_offset(p, place) + (int64_t)k * p->apart;

    return (uint64_t)(bytes < 0 ? -bytes : bytes) / sizeof(struct line);
}

static void begin_stage(uint64_t line, uint32_t stage)
{
    assert_true(line < LINES_MAX);
    if (stage) { /* what the stage before did has taken effect */
        assert_true(fenced > lines[line].stage_ended);
    }
    if (!lines[line].first)
        lines[line].first = now;
}

static void prefetch(struct line_pipeline *p, uint32_t i)
{
    for (uint64_t k = 0; k < line_pipeline_lines(p, p->stage[i].ahead); k++) {
        uint64_t line = line_of(p, p->stage[i].ahead, k);

        assert_int_equal(lines[line].stages, i);
        begin_stage(line, i);
    }
}

static void operate(struct line_pipeline *p, uint32_t i)
{
    for (uint64_t k = 0; k < line_pipeline_lines(p, p->stage[i].at); k++) {
        uint64_t line = line_of(p, p->stage[i].at, k);

        assert_int_equal(lines[line].stages, i);
        begin_stage(line, i);
        lines[line].stages++;
        lines[line].stage_ended = lines[line].last = now;
    }
}

/* As the loops of line_sequence_template.h do it. */
static void run_slot(struct line_pipeline *p, uint64_t slot)
{
    for (uint32_t i = p->n_stages; i-- > 0;) {
        struct line_stage *stage = &p->stage[i];

        now++;
        if (stage->prefetch && p->pace.ahead && line_pipeline_has(p, i, slot + p->pace.ahead)) {
            prefetch(p, i);
            line_pipeline_next(p, &stage->ahead);
        }
        if (line_pipeline_has(p, i, slot)) {
            operate(p, i);
            line_pipeline_next(p, &stage->at);
        }
    }
    now++;
    line_pipeline_fence(p);
    if (!p->since_fence)
        fenced = now;
    now++;
}

/* The line that has its turn at that place of the order; LINES_MAX: none. */
static uint64_t line_at(const struct line_pipeline *p, uint64_t place)
{
    uint64_t lane = place % p->n_lanes, row = place / p->n_lanes;
    uint64_t late = (p->n_lanes - 1 - lane) * p->early;

    return row >= late && row - late < p->length ? lane * p->length + row - late : LINES_MAX;
}

static void check(const struct line_pipeline *p, uint64_t window)
{
    static uint64_t
        last_before[8 * LINES_MAX + 1]; /* of all places before: when it was used last */
    uint64_t most_late = p->early * (p->n_lanes - 1);
    uint64_t n = (p->length + most_late) * p->n_lanes, found = 0;

    assert_true(n <= 8 * LINES_MAX);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t line = line_at(p, i);

        last_before[i + 1] = last_before[i];
        if (line == LINES_MAX)
            continue;
        found++;
        assert_int_equal(lines[line].stages, p->n_stages);
        if (i >= window)
            assert_true(last_before[i + 1 - window] < lines[line].first);
        if (lines[line].last > last_before[i])
            last_before[i + 1] = lines[line].last;
    }
    assert_int_equal(found, p->length * p->n_lanes);
    for (uint64_t line = found; line < LINES_MAX; line++) /* of no lane */
        assert_int_equal(lines[line].stages, 0);
}

TEST(lines_have_their_stages_in_order_and_far_ones_after_each_other)
{
    size_t paced = 0;

    for (size_t i = 0; i < sizeof(marches) / sizeof(marches[0]); i++) {
        struct march_element e = last_element(marches[i]);

        for (size_t k = 0; k < sizeof(runs) / sizeof(runs[0]); k++) {
            struct line_run run = { .n_lines = runs[k].n_lines, .down = runs[k].down };
            struct line_sequence sequence = { e.op,           e.n_ops,       runs[k].n_lanes,
                                              runs[k].window, runs[k].early, true };
            struct line_pipeline p;

            if (!line_pipeline_make(&run, &sequence, &p))
                continue;
            paced++;
            memset(lines, 0, sizeof(lines));
            now = fenced = 0;
            for (uint64_t slot = 0; slot < p.n_slots; slot++)
                run_slot(&p, slot);
            check(&p, runs[k].window);
        }
    }
    assert_true(paced > 50);
}

/* An element's operations, and where they are cut. A stage without any flushes. */
TEST(stages_end_where_a_line_must_wait)
{
    struct march_element e = last_element("any(w0);any(r0);up(r0,w0,r0,r0,w1,w0)");
    struct line_run run = { .n_lines = 100 };
    struct line_sequence sequence = { e.op, e.n_ops, 100, 256, 0, true };
    static const uint32_t n_ops[] = { 0, 2, 1, 0, 2, 1 };
    static const bool prefetch[] = { false, true, true, false, true, false };
    struct line_pipeline p;

    assert_true(line_pipeline_make(&run, &sequence, &p));
    assert_int_equal(p.n_stages, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(p.stage[i].n_ops, n_ops[i]);
        assert_int_equal(p.stage[i].prefetch, prefetch[i]);
    }
}

/* As the header has it. */
TEST(the_example_of_the_header)
{
    static const uint64_t begin[] = { 0, 3, 10, 13 };
    struct march_element e = last_element("any(w0);up(r0,r0,w1,w1)");
    struct line_run run = { .n_lines = 100 };
    struct line_sequence sequence = { e.op, e.n_ops, 100, 64, 0, true };
    struct line_pipeline p;

    assert_true(line_pipeline_make(&run, &sequence, &p));
    assert_int_equal(p.pace.batch, 4);
    assert_int_equal(p.pace.fence, 2);
    assert_int_equal(p.pace.ahead, 2);
    assert_int_equal(p.pace.again, 2);
    assert_int_equal(p.n_stages, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(p.stage[i].begin, begin[i]);
}

TEST(a_pace_fits_its_window)
{
    for (uint32_t stages = 1; stages <= 2 * MARCH_OPS_MAX; stages++) {
        struct line_needs needs = { stages, (stages + 1) / 2 };

        for (uint64_t window = 1; window <= 4000; window++) {
            struct line_pace p = line_pipeline_pace(needs, window);
            uint32_t slots = (stages - 1) * (p.fence + 1) + needs.n_reads * p.ahead +
                             (needs.n_reads - 1) * p.again + 1;

            if (!p.batch)
                continue;
            assert_true(p.fence >= 1);
            assert_true(p.ahead * p.batch <= 64);
            assert_true(slots * p.batch <= window);
        }
        assert_int_equal(line_pipeline_pace(needs, 1).batch, 0);
        assert_true(line_pipeline_pace(needs, 64).batch > 0);
    }
}

/* Four stages, two of which begin with a read, as r,r,w,w has them. */
TEST(a_wide_window_has_few_fences_and_looks_far_ahead)
{
    const struct line_needs needs = { 4, 2 };
    struct line_pace p = line_pipeline_pace(needs, 1024);

    assert_true(p.batch == 16 && p.fence * p.batch > 256 && p.ahead * p.batch == 64);
    p = line_pipeline_pace(needs, 256);
    assert_true(p.batch == 8 && p.fence * p.batch >= 48 && p.ahead * p.batch == 32);
    p = line_pipeline_pace(needs, 10);
    assert_true(p.batch == 1 && p.fence >= 1);
}

/* r,r,w,w: more than 32 pages from one read of a line to the other, not from there to the end. */
TEST(a_wider_one_has_a_long_way_between_two_reads)
{
    struct march_element e = last_element("any(w0);up(r0,r0,w1,w1)");
    struct line_run run = { .n_lines = 4200 };
    struct line_sequence sequence = { e.op, e.n_ops, 4200, 2895, 0, true };
    struct line_pipeline p;
    struct line_pace one_read;

    assert_true(line_pipeline_make(&run, &sequence, &p));
    assert_true((p.stage[2].begin - p.stage[0].begin) * p.pace.batch > 2048);
    assert_true((p.stage[3].begin - p.stage[2].begin) * p.pace.batch < 512);
    assert_true(p.pace.fence * p.pace.batch > 256);
    one_read = line_pipeline_pace((struct line_needs){ 2, 1 }, 2895); /* fences alone */
    assert_true(one_read.again == 0 && one_read.fence * one_read.batch > 2700);
}

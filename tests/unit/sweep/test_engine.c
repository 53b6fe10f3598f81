// SPDX-License-Identifier: MIT
#include "sweep/engine.h"

#include "lib/minmax.h"
#include "marches.h"
#include "memory.h"
#include "sweep/line_pipeline.h"
#include "tests/host/cpu_features.h"

/* The element number of a march. */
static struct march_element element(const char *notation, uint32_t number)
{
    struct march march = parsed(notation);

    assert_in_range(number, 0, march.n_elements - 1);
    return march.element[number];
}

/* A table of line operations that writes down how it was called. */
static struct called {
    char text[4096];
    size_t n;
} called;

static void say(const char *what, const struct line_run *run)
{
    int n =
        snprintf(called.text + called.n, sizeof(called.text) - called.n, "%s %#lx %lu %s;", what,
                 (unsigned long)run->phys, (unsigned long)run->n_lines, run->down ? "down" : "up");

    called.n += (size_t)n;
    assert_true(called.n < sizeof(called.text));
    assert_int_equal((uintptr_t)run->first % 4096, run->phys % 4096);
}

static void say_fill(const struct line_run *run, const struct data *data, bool complement)
{
    say(complement ? "w1" : "w0", run);
}

static void say_verify(const struct line_run *run, const struct data *data, bool complement,
                       const struct line_faults *faults)
{
    say(complement ? "r1" : "r0", run);
}

static void say_verify_write(const struct line_run *run, const struct data *data, bool read,
                             bool write, const struct line_faults *faults)
{
    static const char *const names[2][2] = { { "r0w0", "r0w1" }, { "r1w0", "r1w1" } };

    say(names[read][write], run);
}

static void say_sequence(const struct line_run *run, const struct data *data,
                         const struct line_sequence *sequence, const struct line_faults *faults)
{
    char text[64] = "";

    for (uint32_t i = 0; i < sequence->n_ops; i++)
        strcat(text, sequence->op[i].write        ? sequence->op[i].complement ? "+w1" : "+w0"
                     : sequence->op[i].complement ? "+r1"
                                                  : "+r0");
    if (sequence->window > 1)
        sprintf(text + strlen(text), " /%lu window %lu", (unsigned long)sequence->n_lanes,
                (unsigned long)sequence->window);
    say(text, run);
}

static const struct line_ops saying = {
    .name = "saying",
    .fill = say_fill,
    .verify = say_verify,
    .verify_write = say_verify_write,
    .sequence = say_sequence,
};

static const struct call {
    const char *notation;
    uint32_t element;
    enum order_lanes lanes;
    uint64_t n_lines; /* from physical 0x1000 on */
    const char *calls;
} calls[] = {
    { "any(w0)", 0, ORDER_ONE_LANE, 256, "w0 0x1000 256 up;" },
    { "any(w1)", 0, ORDER_ONE_LANE, 1, "w1 0x1000 1 up;" },
    { "down(w0)", 0, ORDER_ONE_LANE, 256, "w0 0x4fc0 256 down;" },
    { "down(w0)", 0, ORDER_ONE_LANE, 1, "w0 0x1000 1 down;" },
    { "any(w0);up(r0)", 1, ORDER_ONE_LANE, 3, "r0 0x1000 3 up;" },
    { "any(w1);down(r1)", 1, ORDER_ONE_LANE, 3, "r1 0x1080 3 down;" },
    { "any(w0);up(r0,w1)", 1, ORDER_ONE_LANE, 256, "r0w1 0x1000 256 up;" },
    { "any(w1);down(r1,w0)", 1, ORDER_ONE_LANE, 256, "r1w0 0x4fc0 256 down;" },

    { "any(w1);up(r1,w1)", 1, ORDER_ONE_LANE, 2, "r1w1 0x1000 2 up;" },
    { "any(w1);down(r1,w1)", 1, ORDER_ONE_LANE, 15, "r1w1 0x1380 15 down;" },
    { "any(w1);up(r1,w1)", 1, ORDER_ONE_LANE, 16, "r1w1 0x1000 16 up;" },
    { "any(w1);up(r1,w1)", 1, ORDER_ONE_LANE, 65, "r1w1 0x1000 64 up;r1w1 0x2000 1 up;" },
    { "any(w1);down(r1,w1)", 1, ORDER_ONE_LANE, 65, "r1w1 0x2000 1 down;r1w1 0x1fc0 64 down;" },
    { "any(w0);up(w1,w0)", 1, ORDER_ONE_LANE, 2, "+w1+w0 0x1000 2 up;" },
    { "any(w0);up(r0,r0)", 1, ORDER_ONE_LANE, 2, "+r0+r0 0x1000 2 up;" },
    { "any(w0);up(w1,r1)", 1, ORDER_ONE_LANE, 2, "+w1+r1 0x1000 2 up;" },
    { "any(w0);down(r0,w1,r1)", 1, ORDER_ONE_LANE, 100, "+r0+w1+r1 0x28c0 100 down;" },

    { "any(w0);any(r0);any(r0)", 2, ORDER_ONE_LANE, 511, "+r0 /511 window 1024 0x1000 511 up;" },
    { "any(w0);any(r0);down(r0,w1)", 2, ORDER_ONE_LANE, 1024, "r0w1 0x10fc0 1024 down;" },
    { "any(w0);any(r0);down(r0,r0,w1)", 2, ORDER_ONE_LANE, 513, "+r0+r0+w1 0x9000 513 down;" },
    { "any(w0);any(r0);any(w1)", 2, ORDER_ONE_LANE, 1000, "w1 0x1000 1000 up;" },

    { "any(w0);up(r0,r0)", 1, ORDER_LINES, 2, "+r0+r0 0x1000 2 up;" },
    { "any(w0);down(r0,r0)", 1, ORDER_LINES, 547, "+r0+r0 /547 window 66 0x9880 547 down;" },
    { "any(w0);up(r0,r0)", 1, ORDER_ONLY_LANES, 256,
      "+r0+r0 /16 window 16 0x1000 240 up;+r0+r0 0x4c00 16 up;" },
    { "any(w0);up(r0,r0)", 1, ORDER_ONLY_LANES, 514,
      "+r0+r0 /22 window 22 0x1000 506 up;+r0+r0 0x8e80 8 up;" },
    { "any(w0);up(r0,r0)", 1, ORDER_ONLY_LANES, 772,
      "+r0+r0 /27 window 27 0x1000 729 up;+r0+r0 0xc640 43 up;" },
    { "any(w0);down(r0,r0)", 1, ORDER_ONLY_LANES, 772,
      "+r0+r0 0xd0c0 43 down;+r0+r0 /27 window 27 0xc600 729 down;" },
    { "any(w0);up(r0,r0)", 1, ORDER_LANES, 514,
      "+r0+r0 /8 window 8 0x1000 504 up;+r0+r0 0x8e00 10 up;" },
    { "any(w0);up(r0,r0)", 1, ORDER_ONE_LANE, 620, "+r0+r0 0x1000 620 up;" },
    { "any(w0);up(r0,w1)", 1, ORDER_LINES, 256, "r0w1 0x1000 256 up;" },

    { "any(w0)", 0, ORDER_ONE_LANE, 0, "" },
    { "any(w0);any(r0);down(r0)", 2, ORDER_ONE_LANE, 0, "" },
};

TEST(calls_the_fastest_loop)
{
    struct memory m = memory_make();
    struct data data = data_background(0);

    for (size_t i = 0; i < COUNT(calls); i++) {
        struct march_element e = element(calls[i].notation, calls[i].element);
        struct sweep sweep = { .ops = &saying, .lanes = calls[i].lanes };

        called = (struct called){ 0 };
        sweep_element(&sweep, &e, &data, (struct slice){ m.line, 0x1000, calls[i].n_lines });
        assert_string_equal(called.text, calls[i].calls);
    }
    memory_free(m);
}

/* Whole marches on real tables, chunk by chunk as run/ does it. */
static void run_march(const struct sweep *sweep, const char *notation, const struct data *data,
                      struct memory m, uint64_t chunk)
{
    struct march march = parsed(notation);

    for (uint32_t i = 0; i < march.n_elements; i++) {
        const struct march_element *e = &march.element[i];

        for (uint64_t done = 0, n; done < MEMORY_LINES; done += n) {
            uint64_t left = MEMORY_LINES - done, first;

            n = chunk < left ? chunk : left;
            first = e->kind == MARCH_DOWN ? left - n : done;
            sweep_element(sweep, e, data, (struct slice){ m.line + first, m.phys + first * 64, n });
        }
    }
}

static const struct {
    const char *notation;
    bool left; /* the value that it leaves */
} marches[] = {
    { "any(w0);any(r0);any(w1);any(r1)", true },
    { "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)", false },
    { "down(w0);up(r0,w1,r1);up(r1,w0,r0);down(r0,w1,r1);down(r1,w0,r0)", false },
    { "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)",
      false },
    { "any(w0);up(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);any(r0);down(r0);any(r0,w1)", true },
};

TEST(good_memory_passes_every_march)
{
    static const uint64_t chunks[] = { 100, MEMORY_LINES };
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    static struct reports got;
    struct memory m = memory_make();

    for (size_t t = 0; t < n_ops; t++) {
        for (size_t i = 0; i < COUNT(marches) * MEMORY_DATA * COUNT(chunks) * 6; i++) {
            struct data data = memory_data(i / 6 % MEMORY_DATA);
            size_t march = i / 6 / MEMORY_DATA % COUNT(marches);
            struct sweep sweep = {
                .ops = ops[t],
                .has_clflushopt = i & 1 && host_has_clflushopt(),
                .lanes = (enum order_lanes)(i / 2 % 3),
                .faults = { .report = reports_add, .ctx = &got },
            };

            got.n = 0;
            memory_spoil(m);
            run_march(&sweep, marches[march].notation, &data, m,
                      chunks[i / 6 / MEMORY_DATA / COUNT(marches)]);
            assert_int_equal(got.n, 0);
            memory_check(m, 0, MEMORY_LINES, &data, marches[march].left);
        }
    }
    memory_free(m);
}

/* A flushed read reports as an unflushed one does, in the element's direction. */
TEST(flushed_reads_find_the_same)
{
    static const struct {
        const char *notation;
        bool down;
    } pairs[] = {
        { "any(w0);any(r0);any(r0)", false },
        { "any(w0);any(r0);down(r0)", true },
        { "any(w0);any(r0);up(r0,w1)", false },
        { "any(w0);any(r0);down(r0,w1,w0)", true },
    };
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    static struct reports expected, got;
    struct memory m = memory_make();
    uint64_t prng = 1;

    for (size_t i = 0; i < n_ops * MEMORY_DATA * COUNT(pairs); i++) {
        const char *notation = pairs[i % COUNT(pairs)].notation;
        struct march_element e = element(notation, 2);
        struct data data = memory_data(i / COUNT(pairs) % MEMORY_DATA);
        struct sweep sweep = { .ops = ops[i / COUNT(pairs) / MEMORY_DATA],
                               .faults = { .report = reports_add, .ctx = &got } };

        assert_int_equal(e.op[0].before, MARCH_FLUSH);
        memory_set(m, 0, MEMORY_LINES, &data, false);
        memory_flip(m, 0, MEMORY_LINES, pairs[i % COUNT(pairs)].down, &data, false, 100, &prng,
                    &expected);
        got.n = 0;
        sweep_element(&sweep, &e, &data, (struct slice){ m.line, m.phys, MEMORY_LINES });
        reports_sort(&got);
        reports_sort(&expected);
        reports_equal(&got, &expected);
    }
    memory_free(m);
}

/* Up's slices are down's in reverse, whatever the span; what is small enough is one. */
TEST(slices_are_the_same_up_and_down)
{
    static const struct span spans[] = {
        { 0, SWEEP_SLICE_BYTES },
        { 0, SWEEP_SLICE_BYTES + 64 },
        { 64, SWEEP_SLICE_BYTES },
        { 0xfffc0, 64 },
        { 0xfffc0, 128 },
        { 0x100000, 64 },
        { 0xffffffc0, 3 * 0x100000 },
        { 0x12340, 0xabcdef * 64 },
        { SWEEP_SLICE_BYTES - 64, 2 * SWEEP_SLICE_BYTES },
        { SWEEP_SLICE_BYTES - 64, SWEEP_SLICE_BYTES + 64 },
        { SWEEP_SLICE_BYTES - 64, SWEEP_SLICE_BYTES + 128 },
        { SWEEP_SLICE_BYTES - 64, SWEEP_SLICE_BYTES },
    };

    for (size_t i = 0; i < COUNT(spans); i++) {
        struct span up = spans[i], down = spans[i], slices[1024];
        uint64_t size = up.size;
        size_t n = 0;

        for (uint64_t at = up.base; up.size; n++) {
            slices[n] = sweep_next_slice(&up, false, SWEEP_SLICE_BYTES);
            assert_int_equal(slices[n].base, at);
            assert_in_range(slices[n].size, 64, SWEEP_SLICE_BYTES);
            at += slices[n].size;
        }
        assert_int_equal(n == 1, size <= SWEEP_SLICE_BYTES);
        while (down.size) {
            struct span s = sweep_next_slice(&down, true, SWEEP_SLICE_BYTES);

            assert_true(n > 0);
            assert_memory_equal(&s, &slices[--n], sizeof(s));
        }
        assert_int_equal(n, 0);
    }
}

/* Two places that reach the same cells: address data names the partner. */
TEST(address_data_shows_an_alias)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    static struct reports got;
    struct memory m = memory_make();
    struct march_element write = element("any(w0);any(r0)", 0);
    struct march_element read = element("any(w0);any(r0)", 1);
    struct data data = data_address(5);

    for (size_t t = 0; t < n_ops; t++) {
        struct sweep sweep = { .ops = ops[t], .faults = { .report = reports_add, .ctx = &got } };

        /* the same memory stands at 0x10000 and at 0x810000: the later write remains */
        got.n = 0;
        sweep_element(&sweep, &write, &data, (struct slice){ m.line, 0x10000, MEMORY_LINES });
        sweep_element(&sweep, &write, &data, (struct slice){ m.line, 0x810000, MEMORY_LINES });
        sweep_element(&sweep, &read, &data, (struct slice){ m.line, 0x10000, MEMORY_LINES });
        assert_int_equal(got.n, MEMORY_LINES * 8);
        for (size_t i = 0; i < got.n; i++) {
            assert_int_equal(got.report[i].phys, 0x10000 + i * 8);
            assert_int_equal(data_address_of(&data, i % 8, got.report[i].found),
                             0x810000 + i / 8 * 64);
        }
        got.n = 0;
        sweep_element(&sweep, &read, &data, (struct slice){ m.line, 0x810000, MEMORY_LINES });
        assert_int_equal(got.n, 0);
    }
    memory_free(m);
}

/* A counter that goes on with each look, as the gate sees it. */
static uint64_t counter;

static uint64_t tick(void *ctx)
{
    return counter += 100;
}

/* Lines are accessed in small runs, in the element's order, each right after a look at the gate. */
static const struct call pulsed[] = {
    { "any(w0)", 0, ORDER_ONE_LANE, 40, "w0 0x1000 16 up;w0 0x1400 16 up;w0 0x1800 8 up;" },
    { "down(w0)", 0, ORDER_ONE_LANE, 40, "w0 0x19c0 8 down;w0 0x17c0 16 down;w0 0x13c0 16 down;" },
    { "any(w0);up(r0)", 1, ORDER_ONE_LANE, 17, "r0 0x1000 16 up;r0 0x1400 1 up;" },
    { "any(w0);up(r0,w1)", 1, ORDER_ONE_LANE, 32, "r0w1 0x1000 16 up;r0w1 0x1400 16 up;" },
    { "any(w0);down(r0,w1)", 1, ORDER_ONE_LANE, 17, "r0w1 0x1400 1 down;r0w1 0x13c0 16 down;" },
    { "any(w0);up(r0)", 1, ORDER_ONE_LANE, 0, "" },
};

TEST(pulses_are_small_runs)
{
    struct pulse_schedule schedule = pulse_schedule_make(UINT64_C(2000000000), 0, 0);
    struct data data = data_background(0);
    struct memory m = memory_make();

    for (size_t i = 0; i < COUNT(pulsed); i++) {
        struct march_element e = element(pulsed[i].notation, pulsed[i].element);
        struct pulse_gate gate = { .schedule = &schedule, .now = tick };
        struct sweep sweep = { .ops = &saying, .lanes = pulsed[i].lanes, .gate = &gate };

        called = (struct called){ 0 };
        sweep_element(&sweep, &e, &data, (struct slice){ m.line, 0x1000, pulsed[i].n_lines });
        assert_string_equal(called.text, pulsed[i].calls);
    }
    memory_free(m);
}

/* The real table's loops, which may only run while traffic is on. */
static const struct pulse_schedule *on_schedule;
static uint32_t in_pulse;

static void check_on(void)
{
    assert_true(counter < pulse_at(on_schedule, counter).off);
    in_pulse++;
}

static void fill_on(const struct line_run *run, const struct data *data, bool complement)
{
    check_on();
    line_ops_sse2.fill(run, data, complement);
}

static void verify_on(const struct line_run *run, const struct data *data, bool complement,
                      const struct line_faults *faults)
{
    check_on();
    line_ops_sse2.verify(run, data, complement, faults);
}

static void verify_write_on(const struct line_run *run, const struct data *data, bool read,
                            bool write, const struct line_faults *faults)
{
    check_on();
    line_ops_sse2.verify_write(run, data, read, write, faults);
}

/* A test in pulses finds what the same test finds without, and touches no line while it is off. */
TEST(pulses_find_the_same)
{
    struct pulse_schedule schedule = pulse_schedule_make(UINT64_C(2000000000), 0, 0);
    struct line_ops ops = {
        "on", fill_on, verify_on, verify_write_on, line_ops_sse2.sequence, line_ops_sse2.mix
    };
    struct pulse_gate gate = { .schedule = &schedule, .now = tick };
    const char *march = "any(w0);up(r0,w1);down(r1,w0);any(r0)";
    struct memory m = memory_make();
    struct march_element read = element(march, 3);
    static struct reports got;

    on_schedule = &schedule;
    for (size_t i = 0; i < 2 * MEMORY_DATA; i++) {
        struct data data = memory_data(i / 2);
        struct sweep sweep = {
            .ops = &ops,
            .gate = &gate,
            .faults = { .report = reports_add, .ctx = &got },
        };

        got.n = in_pulse = 0;
        memory_spoil(m);
        run_march(&sweep, march, &data, m, i % 2 ? 100 : MEMORY_LINES);
        assert_int_equal(got.n, 0);
        assert_true(in_pulse >= 4 * MEMORY_LINES / 16);
        memory_check(m, 0, MEMORY_LINES, &data, false);

        m.line[i].word[3] ^= 1;
        m.line[MEMORY_LINES - 1].word[7] ^= UINT64_C(1) << 63;
        sweep_element(&sweep, &read, &data, (struct slice){ m.line, m.phys, MEMORY_LINES });
        assert_int_equal(got.n, 2);
        assert_int_equal(got.report[0].phys, m.phys + i * 64 + 3 * 8);
        assert_int_equal(got.report[0].expected ^ got.report[0].found, 1);
        assert_int_equal(got.report[1].phys, m.phys + MEMORY_LINES * 64 - 8);
    }
    memory_free(m);
}

/* A read and a write of one line follow the line before it; more operations do not. */
TEST(marches_with_lanes)
{
    static const struct {
        const char *notation;
        bool has_lanes;
    } cases[] = {
        { "any(w0);any(r0)", false },
        { "any(w0);del(2000);up(r0,w1);down(r1,w0);any(r0)", false },
        { "any(w0);up(r0,w1,r1)", true },
        { "any(w0);del(2000);any(r0);down(w1,r1)", true },
        { "any(w0);up(r0,r0)", true },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct march march = parsed(cases[i].notation);

        assert_int_equal(sweep_has_lanes(&march), cases[i].has_lanes);
    }
}

/* --- how far apart a line's operations are -----------------------------------------------------
 */

/* Lines that a stage writes between its write of a line and that line's next operation. */
static struct {
    uint64_t fewest, most;
} between;

static uint64_t lines_in(const struct line_pipeline *p, struct line_place from, uint64_t slots)
{
    uint64_t n = 0;

    for (uint64_t slot = 0; slot < slots; slot++) {
        n += line_pipeline_lines(p, from);
        line_pipeline_next(p, &from);
    }
    return n;
}

/* For the last line of each batch of the first rows: what the slots in between have. */
static void measure_sequence(const struct line_run *run, const struct data *data,
                             const struct line_sequence *sequence, const struct line_faults *faults)
{
    struct line_pipeline p;

    if (sequence->window == 1) /* the lines that lanes leave over */
        return;
    assert_true(line_pipeline_make(run, sequence, &p));
    for (uint32_t i = 0; i + 1 < p.n_stages; i++) {
        const struct line_stage *stage = &p.stage[i], *next = &p.stage[i + 1];
        uint64_t slots = next->begin - (next->prefetch ? p.pace.ahead : 0) - stage->begin - 1;
        struct line_place place = stage->at;

        if (!stage->n_ops || !stage->op[stage->n_ops - 1].write)
            continue;
        for (uint64_t batch = 0; batch < min_u64(2 * p.row_batches, 1000); batch++) {
            uint64_t lines = lines_in(&p, place, slots);

            between.fewest = min_u64(between.fewest, lines);
            between.most = max_u64(between.most, lines);
            line_pipeline_next(&p, &place);
        }
    }
}

static const struct line_ops measuring = {
    .name = "measuring",
    .fill = say_fill,
    .verify = say_verify,
    .verify_write = say_verify_write,
    .sequence = measure_sequence,
};

/* Of March MSS and RAW, as docs/coverage.md has them. */
static const struct {
    uint64_t mib;
    enum order_lanes lanes;
    uint64_t fewest, most;
} distances[] = {
    { 4, ORDER_LEG_LANES, 11, 16 },    { 8, ORDER_LEG_LANES, 20, 24 },
    { 16, ORDER_LEG_LANES, 19, 32 },   { 32, ORDER_LEG_LANES, 34, 56 },
    { 64, ORDER_LEG_LANES, 53, 72 },   { 128, ORDER_LEG_LANES, 88, 112 },
    { 4, ORDER_LEG_LINES, 128, 176 },  { 8, ORDER_LEG_LINES, 176, 288 },
    { 16, ORDER_LEG_LINES, 288, 384 }, { 32, ORDER_LEG_LINES, 384, 448 },
    { 64, ORDER_LEG_LINES, 384, 784 }, { 128, ORDER_LEG_LINES, 384, 1136 },
};

TEST(distance_by_section_size)
{
    static const char *const elements[] = { "any(w0);up(r0,r0,w1,w1)",
                                            "any(w0);up(r0,w0,r0,r0,w1,r1)" };

    for (size_t i = 0; i < COUNT(distances); i++) {
        struct sweep sweep = { .ops = &measuring, .lanes = distances[i].lanes };
        struct slice slice = { .n_lines = (distances[i].mib << 20) / sizeof(struct line) };

        between.fewest = UINT64_MAX;
        between.most = 0;
        for (size_t e = 0; e < COUNT(elements); e++) {
            struct march_element element_of = element(elements[e], 1);
            struct data data = data_background(0);

            sweep_element(&sweep, &element_of, &data, slice);
        }
        assert_int_equal(between.fewest, distances[i].fewest);
        assert_int_equal(between.most, distances[i].most);
    }
}

// SPDX-License-Identifier: MIT
#include "progress/progress.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "arch/tsc.h"
#include "progress/ram_map.h"
#include "machine/machine.h"
#include "memory/arena.h"

/*
 * How long the tests will still take. Bytes that a test sweeps are weighted by its cost, from a
 * short measurement before the tests. Costs need only be right relative to each other: the speed of
 * all tests is that since the tests began; the current test's is its own, as soon as it is known.
 * The first sweep of memory is ignored once it is over: if a host provides memory when it is first
 * touched, that sweep is far slower.
 */
struct time_left_point {
    double s, work, waited_s;
};

struct time_left {
    double cost;    /* of a byte that is swept now */
    uint64_t swept; /* bytes, whose cost is in work */
    double work, waited_s;
    double pass_work, pass_wait_s;     /* of a whole pass */
    double work_before, waited_before; /* this pass */
    uint64_t sweep_bytes, first_swept;
    struct time_left_point begin, later, test; /* s 0: not reached */
    double test_work;                          /* of the whole current test */
};

#define SHORTEST_S 1.0 /* over which a speed is measured, at least */

static void count(struct time_left *t, uint64_t swept)
{
    t->work += t->cost * (double)(swept - t->swept);
    t->swept = swept;
}

static struct time_left_point point_now(const struct time_left *t, double s)
{
    return (struct time_left_point){ s, t->work, t->waited_s };
}

/* A pass begins. swept: all bytes swept until now; s: the seconds since any fixed moment. */
static void time_left_begin_pass(struct time_left *t, struct time_left_pass pass, uint64_t swept,
                                 double s)
{
    if (!(t->begin.s > 0))
        t->swept = t->first_swept = swept;
    count(t, swept);
    if (!(t->begin.s > 0))
        t->begin = point_now(t, s);
    t->sweep_bytes = pass.sweep_bytes;
    t->pass_work = pass.work;
    t->pass_wait_s = pass.wait_s;
    t->work_before = t->work;
    t->waited_before = t->waited_s;
}

/* A test begins that sweeps `bytes` bytes at this cost. */
static void time_left_begin_test(struct time_left *t, double cost, uint64_t bytes, uint64_t swept,
                                 double s)
{
    count(t, swept);
    t->cost = cost;
    t->test_work = cost * (double)bytes;
    t->test = point_now(t, s);
}

/* s seconds of pauses are over. */
static void time_left_waited(struct time_left *t, double s)
{
    t->waited_s += s;
}

/* Traffic paused for s seconds, which nobody had counted with. */
static void time_left_paused(struct time_left *t, double s)
{
    t->waited_s += s;
    t->pass_wait_s += s;
}

/* Bytes will be swept once more, at the current test's cost. */
static void time_left_add_repeat(struct time_left *t, uint64_t bytes)
{
    t->pass_work += t->cost * (double)bytes;
    t->test_work += t->cost * (double)bytes;
}

/* Bytes were swept that are not part of the pass's work. */
static void time_left_add_uncounted(struct time_left *t, uint64_t bytes)
{
    t->swept += bytes;
    t->first_swept += bytes;
}

/* Seconds for a unit of work since `from`; 0: not known yet. */
static double rate_limit_since(const struct time_left *t, struct time_left_point from, double s)
{
    double busy_s = s - from.s - (t->waited_s - from.waited_s);
    double work = t->work - from.work;

    return from.s > 0 && busy_s >= SHORTEST_S && work > 0 ? busy_s / work : 0;
}

static double left_of(double total, double done)
{
    return total > done ? total - done : 0;
}

/* The current test was skipped, of which wait_s are pauses: what is left of it is not done. */
static void time_left_skip(struct time_left *t, double wait_s, uint64_t swept)
{
    count(t, swept);
    t->pass_work -= left_of(t->test_work, t->work - t->test.work);
    t->pass_wait_s -= left_of(wait_s, t->waited_s - t->test.waited_s);
}

/* Seconds until the end of this pass and of more_passes after it; < 0: not known yet. */
static double time_left_estimate(struct time_left *t, uint64_t swept, double s,
                                 uint64_t more_passes)
{
    double more = (double)more_passes, work, wait_s, pace, own_pace, own_work;

    count(t, swept);
    if (!(t->later.s > 0) && swept - t->first_swept >= t->sweep_bytes)
        t->later = point_now(t, s);
    pace = rate_limit_since(t, t->later, s);
    if (!(pace > 0))
        pace = rate_limit_since(t, t->begin, s);
    work = left_of(t->pass_work, t->work - t->work_before) + more * t->pass_work;
    wait_s = left_of(t->pass_wait_s, t->waited_s - t->waited_before) + more * t->pass_wait_s;
    if (work > 0 && !(pace > 0))
        return -1;
    own_work = left_of(t->test_work, t->work - t->test.work);
    if (own_work > work)
        own_work = work;
    own_pace = rate_limit_since(t, t->test.s > t->later.s ? t->test : t->later, s);
    if (!(own_pace > 0))
        own_pace = pace;
    return own_work * own_pace + (work - own_work) * pace + wait_s;
}

#define PROGRESS_EVERY_US 250000
#define RATE_WINDOW_US    1000000

struct swept {
    _Alignas(64) _Atomic uint64_t bytes;
};

static struct swept *swept; /* by CPU */
static uint32_t n_swept;

static uint64_t stop_at_us; /* 0: no limit */
static uint32_t passes;

static struct event_progress now; /* what the next progress event says */
static uint64_t swept_before_pass, pass_total;
static struct time_left time_left;
static bool has_waits;
static uint64_t pass_began_us;
static uint64_t next_progress_us;
static double first_error_s;
static struct {
    uint64_t us, bytes;
    uint64_t node_bytes[NODES_MAX];
} window;
static double node_mb_s[NODES_MAX];

void progress_begin(const struct options *options, uint32_t n_cpus)
{
    swept = arena_alloc(n_cpus * sizeof(*swept));
    n_swept = n_cpus;
    passes = options->passes;
    stop_at_us = options->time_s * 1000000;
    window.us = tsc_elapsed_us();
    progress_heat("");
    progress_phase("start", 0, "", 0, 0);
}

void progress_phase(const char *phase, uint32_t pass, const char *test, uint32_t test_index,
                    uint32_t n_tests)
{
    now.phase = phase;
    now.pass = pass;
    now.test = test;
    now.test_index = test_index;
    now.n_tests = n_tests;
}

void progress_pass(uint64_t pass_total_bytes, struct time_left_pass pass)
{
    swept_before_pass = progress_total_swept();
    pass_total = pass_total_bytes;
    pass_began_us = tsc_elapsed_us();
    has_waits = pass.wait_s > 0;
    time_left_begin_pass(&time_left, pass, swept_before_pass, (double)tsc_elapsed_us() / 1e6);
}

void progress_test(double cost, uint64_t bytes)
{
    time_left_begin_test(&time_left, cost, bytes, progress_total_swept(),
                         (double)tsc_elapsed_us() / 1e6);
}

void progress_waited(uint64_t us)
{
    time_left_waited(&time_left, (double)us / 1e6);
}

void progress_paused(uint64_t us)
{
    time_left_paused(&time_left, (double)us / 1e6);
}

void progress_heat(const char *text)
{
    now.heat = text;
}

void progress_skip(uint64_t us)
{
    time_left_skip(&time_left, (double)us / 1e6, progress_total_swept());
}

void progress_add_repeat(uint64_t bytes)
{
    pass_total += bytes;
    time_left_add_repeat(&time_left, bytes);
}

bool progress_time_is_up(void)
{
    return stop_at_us && tsc_elapsed_us() >= stop_at_us;
}

void progress_swept(uint32_t cpu, uint64_t bytes)
{
    /* Only this CPU writes it. */
    uint64_t sum = atomic_load_explicit(&swept[cpu].bytes, memory_order_relaxed) + bytes;

    atomic_store_explicit(&swept[cpu].bytes, sum, memory_order_relaxed);
}

void progress_add_uncounted(uint64_t bytes)
{
    progress_swept(0, bytes);
    swept_before_pass += bytes;
    time_left_add_uncounted(&time_left, bytes);
}

uint64_t progress_total_swept(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_swept; i++)
        sum += atomic_load_explicit(&swept[i].bytes, memory_order_relaxed);
    return sum;
}

/* Of this pass and so many more; < 0: unknown. */
static double passes_left(uint64_t total_swept, uint64_t us, uint64_t more_passes)
{
    return pass_total || has_waits
               ? time_left_estimate(&time_left, total_swept, (double)us / 1e6, more_passes)
               : -1;
}

/* Of the whole run; < 0: unknown. */
static double seconds_left(uint64_t total_swept, uint64_t us)
{
    uint64_t more_passes = passes > now.pass ? passes - now.pass : 0;
    double limit = stop_at_us > us ? (double)(stop_at_us - us) / 1e6 : 0, left;

    if (!passes)
        return stop_at_us ? limit : -1;
    left = passes_left(total_swept, us, more_passes);
    return stop_at_us && (left < 0 || limit < left) ? limit : left;
}

static uint64_t swept_by_node(uint32_t node)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_swept; i++) {
        if (machine.cpu_node[i] == node)
            sum += atomic_load_explicit(&swept[i].bytes, memory_order_relaxed);
    }
    return sum;
}

/* The current speeds, if the window is long enough to be measured. */
static void measure_window(uint64_t us, uint64_t total)
{
    double window_us = (double)(us - window.us);

    if (us - window.us < RATE_WINDOW_US)
        return;
    now.mb_s = (double)(total - window.bytes) / window_us;
    for (uint32_t n = 0; n < machine.nodes.n_nodes; n++) {
        uint64_t bytes = swept_by_node(n);

        node_mb_s[n] = (double)(bytes - window.node_bytes[n]) / window_us;
        window.node_bytes[n] = bytes;
    }
    window.us = us;
    window.bytes = total;
}

struct error_rate progress_error_rate(const struct run *run)
{
    uint64_t errors = fault_log_errors(&run->found.log);

    if (!run->selection.tests.is_stability)
        return (struct error_rate){ 0 };
    if (errors && !(first_error_s > 0))
        first_error_s = (double)tsc_elapsed_us() / 1e6;
    return error_rate_make(errors, progress_total_swept(),
                           errors ? first_error_s : (double)__builtin_nanf(""));
}

void progress_send(const struct run *run)
{
    const struct fault_log *log = &run->found.log;
    uint64_t us = tsc_elapsed_us(), total = progress_total_swept();

    measure_window(us, total);
    now.ram = ram_map_look(log);
    now.node_mb_s = node_mb_s;
    now.n_nodes = machine.nodes.n_nodes;
    now.passes = passes;
    now.pass_done_bytes = total - swept_before_pass;
    now.pass_total_bytes = pass_total;
    now.seconds = (double)us / 1e6;
    now.seconds_left = seconds_left(total, us);
    now.pass_seconds = (double)(us - pass_began_us) / 1e6;
    now.pass_seconds_left = passes_left(total, us, 0);
    now.faults = fault_log_faults(log);
    now.bad_pages = fault_log_bad_pages(log);
    now.failing_bits = fault_log_failing_bits(log);
    now.rate = progress_error_rate(run);
    now.is_encrypted = external_is_encrypted(&run->found.external);
    events_send(&(struct event){ .type = EVENT_PROGRESS, .progress = now });
}

void progress_send_when_due(const struct run *run)
{
    uint64_t us = tsc_elapsed_us();

    if (us < next_progress_us)
        return;
    next_progress_us = us + PROGRESS_EVERY_US;
    progress_send(run);
}

void progress_end(const struct run *run)
{
    progress_phase("done", now.pass, "", 0, 0);
    progress_send(run);
}

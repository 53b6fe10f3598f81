// SPDX-License-Identifier: MIT
/*
 * How well threads keep in step: the pulses of test bus-pulse (kernel/core/march/sweep/pulse.h) by
 * the code that ships, over this host's memory, with the time stamp counter read when each thread's
 * traffic really comes on and has really gone off.
 *
 *   pulse_bench [-m MiB] [-s seconds] [-t threads] [-a]
 *
 * 256 MiB, 20 seconds for the schedule, 2 threads by default. -a: all 279 pairs of frequency and
 * duty, not only 30.
 *
 * A row: the frequency and the duty that the schedule has; those of the first thread's pulses, by
 * medians; GB/s of all threads while traffic is on (bytes read and bytes written); the share of the
 * schedule's pulses that all threads had; between the first thread that comes on and the last one
 * the median and the 95th percentile of these, and the same for going off.
 *
 * Exits with 1 if a word was read wrong, with 2 if it did not begin.
 */
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "sweep/engine.h"
#include "tests/host/cpu_features.h"

#define THREADS_MAX 64
#define EDGES_MAX   (UINT64_C(1) << 23)
#define PHYS        (UINT64_C(1) << 32)
#define SLICE       (UINT64_C(2) << 20) /* as sections of tests without lanes */

/* What a thread did in one go. */
struct burst {
    uint64_t on, off; /* ticks */
    uint64_t bytes;
};

struct thread {
    uint32_t number;
    pthread_t id;
    uint64_t looked; /* the last look at the counter */
    uint64_t bytes;  /* swept since then */
    struct burst current;
    bool is_on;
    struct burst *burst;
    uint64_t n_bursts;
};

/* Of a row: the first thread's bursts, and of those that all threads had, how far they are apart.
 */
struct sums {
    uint64_t on_ticks, bytes; /* bytes: of all threads */
    uint64_t last_on;
    double *on, *interval, *on_spread, *off_spread; /* ns */
    size_t n, n_intervals, n_spreads;
};

static struct {
    uint64_t bytes, seconds, hz, end;
    uint32_t threads;
    bool all, steady; /* steady: one pulse without end */
    struct line *memory;
    const struct line_ops *ops;
    struct pulse_schedule schedule;
    struct thread thread[THREADS_MAX];
} bench = { .bytes = UINT64_C(256) << 20, .seconds = 20, .threads = 2 };

static _Atomic uint64_t n_faults;
static _Thread_local struct thread *me;

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    n_faults++;
}

/* The loops that ship; what they do is noted. */
static void note(const struct line_run *run, uint32_t n_ops)
{
    me->bytes += run->n_lines * sizeof(struct line) * n_ops;
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    bench.ops->fill(run, data, complement);
    note(run, 1);
}

static void verify_write(const struct line_run *run, const struct data *data, bool read, bool write,
                         const struct line_faults *faults)
{
    bench.ops->verify_write(run, data, read, write, faults);
    note(run, 2);
}

static void burst_end(struct thread *t, uint64_t at)
{
    t->current.off = at;
    if (t->n_bursts < EDGES_MAX)
        t->burst[t->n_bursts++] = t->current;
    t->is_on = false;
}

/*
 * The gate looks before each small run, and once more when traffic is off and a fence has waited
 * for all of it. So traffic comes on after the look before the first run, and has gone off at the
 * first look without a run since the one before.
 */
static uint64_t look(void *ctx)
{
    struct thread *t = ctx;
    uint64_t now = host_tsc();

    if (t->bytes && !t->is_on) {
        t->is_on = true;
        t->current = (struct burst){ .on = t->looked };
    } else if (!t->bytes && t->is_on) {
        burst_end(t, now);
    }
    t->current.bytes += t->bytes;
    t->bytes = 0;
    return t->looked = now;
}

static struct slice slice_of(struct span s)
{
    return (struct slice){
        .virt = bench.memory + (s.base - PHYS) / sizeof(struct line),
        .phys = s.base,
        .n_lines = s.size / sizeof(struct line),
    };
}

static void sweep_share(const struct sweep *sweep, const struct march_element *e,
                        const struct data *data)
{
    uint64_t size = bench.bytes / bench.threads;
    struct span left = { PHYS + me->number * size, size };

    while (left.size && host_tsc() < bench.end)
        sweep_element(sweep, e, data,
                      slice_of(sweep_next_slice(&left, e->kind == MARCH_DOWN, SLICE)));
}

/* Reads and writes its share until the schedule has been gone through. */
static void *run_thread(void *arg)
{
    struct march_error error;
    struct data data = data_bus(0);
    struct pulse_gate gate = { .schedule = &bench.schedule, .now = look, .ctx = arg };
    struct line_ops ops = { .name = "noted", .fill = fill, .verify_write = verify_write };
    struct sweep sweep = { .ops = &ops, .faults = { .report = count_fault }, .gate = &gate };
    struct march march;

    me = arg;
    if (bench.steady)
        gate.pulse = (struct pulse){ .off = UINT64_MAX, .end = UINT64_MAX };
    host_pin(me->number);
    if (march_parse("any(w0);up(r0,w1);down(r1,w0)", &march, &error) != MARCH_OK)
        abort();
    while (host_tsc() < bench.schedule.start)
        __builtin_ia32_pause();
    sweep_share(&sweep, &march.element[0], &data);
    for (uint32_t e = 1; host_tsc() < bench.end; e = 3 - e)
        sweep_share(&sweep, &march.element[e], &data);
    if (me->is_on)
        burst_end(me, host_tsc());
    return NULL;
}

static double ns(uint64_t n_ticks)
{
    return (double)n_ticks * 1e9 / (double)bench.hz;
}

static uint64_t pulse_of(const struct burst *b)
{
    return pulse_at(&bench.schedule, b->on).begin;
}

/* The thread's burst that began in the pulse; NULL: none. *at goes on through its bursts. */
static const struct burst *burst_in(const struct thread *t, uint64_t pulse, uint64_t *at)
{
    while (*at < t->n_bursts && pulse_of(&t->burst[*at]) < pulse)
        ++*at;
    return *at < t->n_bursts && pulse_of(&t->burst[*at]) == pulse ? &t->burst[*at] : NULL;
}

static void sums_add(struct sums *s, const struct burst *first, uint64_t at[THREADS_MAX])
{
    uint64_t pulse = pulse_of(first), on[2] = { first->on, first->on };
    uint64_t off[2] = { first->off, first->off };
    bool all = true;

    if (s->n)
        s->interval[s->n_intervals++] = ns(first->on - s->last_on);
    s->last_on = first->on;
    s->on[s->n++] = ns(first->off - first->on);
    s->on_ticks += first->off - first->on;
    s->bytes += first->bytes;
    for (uint32_t i = 1; i < bench.threads; i++) {
        const struct burst *b = burst_in(&bench.thread[i], pulse, &at[i]);

        all = all && b;
        if (!b)
            continue;
        s->bytes += b->bytes;
        on[0] = b->on < on[0] ? b->on : on[0];
        on[1] = b->on > on[1] ? b->on : on[1];
        off[0] = b->off < off[0] ? b->off : off[0];
        off[1] = b->off > off[1] ? b->off : off[1];
    }
    if (!all)
        return;
    s->on_spread[s->n_spreads] = ns(on[1] - on[0]);
    s->off_spread[s->n_spreads++] = ns(off[1] - off[0]);
}

/* The median and the 95th percentile. */
static void print_spread(double *x, size_t n)
{
    double median = host_median(x, n); /* sorts */

    printf(" %7.0f %7.0f", median, x[(n - 1) * 95 / 100]);
}

static void print_row(uint32_t number, struct sums *s)
{
    struct pulse_setting setting = pulse_setting(number);
    uint64_t period = bench.schedule.period_ticks[number % PULSE_FREQUENCIES];
    double wanted = (double)bench.schedule.dwell_ticks / (double)period, interval;

    printf("%8u %4u", setting.hz, setting.duty);
    if (s->n_intervals && s->n_spreads) {
        interval = host_median(s->interval, s->n_intervals);
        printf(" %9.0f %5.1f", 1e9 / interval, 100 * host_median(s->on, s->n) / interval);
        printf(" %6.1f %6.1f", (double)s->bytes / ns(s->on_ticks),
               100 * (double)s->n_spreads / wanted);
        print_spread(s->on_spread, s->n_spreads);
        print_spread(s->off_spread, s->n_spreads);
    }
    printf("\n");
}

/* 1, 2 and 5 of each decade, with a small, the middle and a large duty. */
static bool is_shown(struct pulse_setting s)
{
    uint32_t digits = s.hz;

    while (digits % 10 == 0)
        digits /= 10;
    return bench.all || ((digits == 1 || digits == 2 || digits == 5) &&
                         (s.duty == 10 || s.duty == 50 || s.duty == 90));
}

/* A row for each setting, frequency by frequency. */
static void print_table(void)
{
    static struct sums sums[PULSE_SETTINGS];
    uint64_t at[THREADS_MAX] = { 0 };
    const struct thread *first = &bench.thread[0];

    for (uint32_t c = 0; c < PULSE_SETTINGS; c++) {
        uint64_t most =
            bench.schedule.dwell_ticks / bench.schedule.period_ticks[c % PULSE_FREQUENCIES] + 2;

        sums[c].on = calloc(most, sizeof(double));
        sums[c].interval = calloc(most, sizeof(double));
        sums[c].on_spread = calloc(most, sizeof(double));
        sums[c].off_spread = calloc(most, sizeof(double));
    }
    for (uint64_t i = 0; i < first->n_bursts; i++)
        sums_add(&sums[pulse_setting_at(&bench.schedule, first->burst[i].on)], &first->burst[i],
                 at);
    printf("%8s %4s %9s %5s %6s %6s %7s %7s %7s %7s\n", "Hz", "duty", "really", "duty", "GB/s",
           "% seen", "on: ns", "95 %", "off: ns", "95 %");
    for (uint32_t f = 0; f < PULSE_FREQUENCIES; f++) {
        for (uint32_t d = 10; d <= 90; d += 10) {
            for (uint32_t c = f; c < PULSE_SETTINGS; c += PULSE_FREQUENCIES) {
                if (pulse_setting(c).duty == d && is_shown(pulse_setting(c)))
                    print_row(c, &sums[c]);
            }
        }
    }
}

static void parse(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "m:s:t:a")) != -1) {
        if (option == 'm')
            bench.bytes = strtoull(optarg, NULL, 10) << 20;
        else if (option == 's')
            bench.seconds = strtoull(optarg, NULL, 10);
        else if (option == 't')
            bench.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'a')
            bench.all = true;
        else
            exit(2);
    }
    if (optind < argc || !bench.bytes || !bench.seconds || bench.threads < 1 ||
        bench.threads > THREADS_MAX || bench.threads > sysconf(_SC_NPROCESSORS_ONLN)) {
        fprintf(stderr,
                "usage: pulse_bench [-m MiB] [-s seconds] [-t threads, 1 to the CPUs] [-a]\n");
        exit(2);
    }
}

/* All threads, for the time of the schedule that begins soon, or for as many ticks of it. */
static void run_threads(bool steady, uint64_t n_ticks)
{
    bench.steady = steady;
    bench.schedule = pulse_schedule_make(bench.hz, host_tsc() + bench.hz / 20, n_ticks);
    bench.end =
        bench.schedule.start + (steady ? n_ticks : PULSE_SETTINGS * bench.schedule.dwell_ticks);
    for (uint32_t i = 0; i < bench.threads; i++) {
        if (pthread_create(&bench.thread[i].id, NULL, run_thread, &bench.thread[i]))
            host_die("pthread_create");
    }
    for (uint32_t i = 0; i < bench.threads; i++)
        pthread_join(bench.thread[i].id, NULL);
}

/* GB/s while traffic is on without end, for half a second. */
static double steady_gb_s(void)
{
    double gb_s = 0;

    run_threads(true, bench.hz / 2);
    for (uint32_t i = 0; i < bench.threads; i++) {
        const struct burst *b = &bench.thread[i].burst[0];

        gb_s += (double)b->bytes / ns(b->off - b->on);
        bench.thread[i].n_bursts = 0;
    }
    return gb_s;
}

int main(int argc, char **argv)
{
    struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                      .avx2 = __builtin_cpu_supports("avx2") };
    double steady;

    parse(argc, argv);
    bench.ops = line_ops_choose(features, NULL);
    bench.memory = host_huge_pages(bench.bytes);
    memset(bench.memory, 1, bench.bytes);
    bench.hz = host_tsc_hz();
    for (uint32_t i = 0; i < bench.threads; i++) {
        bench.thread[i].number = i;
        bench.thread[i].burst = host_huge_pages(EDGES_MAX * sizeof(struct burst));
    }
    host_print_load("before");
    steady = steady_gb_s();
    run_threads(false, bench.seconds * bench.hz);
    printf("counter: %.3f GHz, %s, threads: %u, %.1f ms for each frequency and duty; "
           "%.1f GB/s without an end\n",
           (double)bench.hz / 1e9, bench.ops->name, bench.threads,
           ns(bench.schedule.dwell_ticks) / 1e6, steady);
    print_table();
    host_print_load("after");
    printf("words read wrong: %llu\n", (unsigned long long)n_faults);
    return n_faults != 0;
}

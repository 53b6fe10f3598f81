// SPDX-License-Identifier: MIT
/*
 * Whole passes of the shipped tests over this host's memory, as kernel/run/element.c does them:
 * every thread its share, by parts and sections, as far in step as they have to be; lanes by round
 * and turn.
 * Only pauses are left out, and row hammer, which lasts as long as it is told to.
 *
 *   pass_host_bench [-m MiB] [-r runs] [-t threads] [-i isa] [-e] [tests]
 *
 * 2048 MiB, 5 runs, with 1 thread and with 2, the instructions that are fastest in a short trial,
 * tests=standard by default. -e: a line for each element of each march, too.
 *
 * The efficiency is what the memory needs over what the pass takes. What the memory needs is taken
 * from likwid-bench, before and after each pass: every read and every write of the march moves all
 * memory once; reads at the speed of load_avx, writes at that of store_mem_avx, and a read and a
 * write of the same element together at that of copy_mem_avx, which counts both. Figures are
 * medians of the runs, with the smallest and the largest; ratios are the medians of the runs' own.
 *
 * Exits with 1 if a word was read wrong, with 2 if not all memory was swept or it did not begin.
 */
#include "host.h"
#include "host_steps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "sweep/block_move.h"
#include "sweep/engine.h"
#include "sweep/sections.h"
#include "sweep/tests.h"
#include "trial/trial.h"

#define RUNS_MAX    99
#define THREADS_MAX HOST_STEPS_THREADS
#define SEED        1
#define PHYS        (UINT64_C(1) << 32) /* of the memory's first byte, as data have it */
#define PAGE        UINT64_C(4096)

#define LIKWID_MOST_BYTES (UINT64_C(1) << 30)
#define LIKWID_ITERATIONS 3

#define TRIAL_BYTES  (UINT64_C(64) << 20)
#define TRIAL_ROUNDS 3

/* Of block move's sweeps: each step writes all lines and moves half of them. */
#define BLOCK_MOVE_WRITES 9
#define BLOCK_MOVE_READS  12
_Static_assert(BLOCK_MOVE_WRITES + BLOCK_MOVE_READS == BLOCK_MOVE_SWEEPS, "sweep/block_move.c");

enum likwid { LIKWID_LOAD, LIKWID_STORE, LIKWID_COPY, LIKWIDS };

static const char *const likwid_kernels[LIKWIDS] = { "load_avx", "store_mem_avx", "copy_mem_avx" };

/* Reads and writes of all memory. */
struct traffic {
    uint32_t reads, writes;
};

/* An element of a test in all its rounds; block move is one element. */
struct part {
    struct traffic traffic;
    char name[64];
    double seconds[RUNS_MAX];
};

struct barrier {
    _Atomic uint32_t here, round;
};

static struct {
    uint64_t bytes;
    uint32_t runs, threads;
    const struct line_ops *ops;
    bool has_clflushopt, has_likwid, by_element;
    const char *words;
    struct test_list tests;
    struct line *memory;
} bench = {
    .bytes = UINT64_C(2048) << 20,
    .runs = 5,
    .words = "standard",
};

static struct part parts[TEST_LIST_MAX][MARCH_ELEMENTS_MAX];
static double likwid_gb_s[RUNS_MAX + 1][LIKWIDS]; /* before run i, and after the last */
static double waits_percent[RUNS_MAX];            /* of all threads, at barriers */
static struct barrier barrier;
static _Atomic uint64_t n_faults;

/* A thread of a pass. */
struct worker {
    uint32_t number, run;
    struct sweep sweep;
    uint64_t swept, waited_ns;

    /* the element at hand */
    const struct march_element *element;
    const struct data *data;
    struct order order;
};

static _Noreturn void fail(const char *why)
{
    fprintf(stderr, "pass_host_bench: %s\n", why);
    exit(2);
}

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    n_faults++;
}

static struct sweep sweep_of(const struct line_ops *ops)
{
    return (struct sweep){
        .ops = ops,
        .has_clflushopt = bench.has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = count_fault },
    };
}

/* A thread waits for the others, as CPUs do in the kernel. */
static void barrier_wait(struct worker *w)
{
    uint32_t round = atomic_load(&barrier.round);
    uint64_t began = host_now_ns();
    uint32_t spins = 0;

    if (atomic_fetch_add(&barrier.here, 1) + 1 == bench.threads) {
        atomic_store(&barrier.here, 0);
        atomic_store(&barrier.round, round + 1);
    }
    while (atomic_load(&barrier.round) == round)
        host_steps_spin(&spins);
    w->waited_ns += host_now_ns() - began;
}

static struct slice slice_of(struct span s)
{
    return (struct slice){
        .virt = bench.memory + (s.base - PHYS) / sizeof(struct line),
        .phys = s.base,
        .n_lines = s.size / sizeof(struct line),
    };
}

static struct span share_of(uint32_t worker)
{
    uint64_t size = bench.bytes / bench.threads;

    return (struct span){ PHYS + worker * size, size };
}

/* A share's sections, its parts' counted one behind the other, end at borders of pages. */
static struct span section_of(struct span share, uint32_t section, uint32_t n_sections)
{
    uint64_t size = share.size / n_sections + 1;
    uint64_t first = (section * size + PAGE - 1) / PAGE * PAGE;
    uint64_t end = ((section + 1) * size + PAGE - 1) / PAGE * PAGE;

    first = first < share.size ? first : share.size;
    end = end < share.size ? end : share.size;
    return (struct span){ share.base + first, end - first };
}

static void sweep_span(struct worker *w, struct span left)
{
    const struct march_element *e = w->element;

    while (left.size) {
        struct span s = sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES);

        sweep_element(&w->sweep, e, w->data, slice_of(s));
        w->swept += s.size * e->n_ops;
    }
}

static uint32_t n_parts(void)
{
    return bench.threads > 1 ? HOST_STEPS_PARTS : 1;
}

/* A step of a part, which may be another thread's. */
static void do_step(void *ctx, uint32_t thread, uint32_t part, uint32_t step)
{
    struct worker *w = ctx;
    uint32_t n = w->order.n_sections, section;

    if (order_section(w->order, part * bench.threads + thread, step, w->element->kind == MARCH_DOWN,
                      &section))
        sweep_span(w, section_of(share_of(thread), part * n + section, n_parts() * n));
}

static void do_element(struct worker *w)
{
    struct host_steps steps = {
        .n_threads = bench.threads,
        .n_parts = n_parts(),
        .n_steps = order_steps(w->order),
        .ahead = order_ahead(w->order),
        .visit = do_step,
    };

    if (w->number == 0)
        host_steps_begin(&steps);
    barrier_wait(w);
    w->waited_ns += host_steps_do(&steps, w->number, w);
    barrier_wait(w);
}

static void do_block_move(struct worker *w, const struct data *data)
{
    struct span left = share_of(w->number);

    while (left.size) {
        struct span s = sweep_next_slice(&left, false, SWEEP_SMALL_SLICE);

        block_move(&w->sweep, data, slice_of(s));
        w->swept += s.size * BLOCK_MOVE_SWEEPS;
    }
    barrier_wait(w);
}

/* The first thread's clock: all have come when a part ends. */
static void take_time(const struct worker *w, struct part *part, uint64_t *began_ns)
{
    uint64_t now = host_now_ns();

    if (w->number == 0)
        part->seconds[w->run] += (double)(now - *began_ns) / 1e9;
    *began_ns = now;
}

static struct order order_of(const struct test *test, const struct march *march, uint32_t round)
{
    uint64_t part = bench.bytes / bench.threads / n_parts();

    return (struct order){
        .n_workers = bench.threads * n_parts(),
        .round = round,
        .n_rounds = test->rounds,
        .n_turns = march_turns(march),
        .n_sections = sections_count(part, bench.threads, sweep_has_lanes(march),
                                     test_orders_all(test, march)),
    };
}

static void do_round(struct worker *w, const struct test *test, struct part *part, uint32_t round)
{
    struct data data = data_make(test->data, round % test->n_data, SEED);
    uint64_t began_ns = host_now_ns();
    struct march march;

    if (test->kind == TEST_BLOCK_MOVE) {
        do_block_move(w, &data);
        take_time(w, part, &began_ns);
        return;
    }
    test_march(test, &march);
    w->data = &data;
    w->order = order_of(test, &march, round);
    for (uint32_t e = 0; e < march.n_elements; e++) {
        if (march.element[e].kind == MARCH_PAUSE)
            continue;
        w->element = &march.element[e];
        w->order.turn = march_turn(&march, e);
        w->sweep.lanes = order_lanes(w->order);
        do_element(w);
        take_time(w, &part[e], &began_ns);
    }
}

static void *do_pass(void *arg)
{
    struct worker *w = arg;

    host_pin(w->number);
    barrier_wait(w);
    w->waited_ns = 0;
    for (size_t t = 0; t < bench.tests.n_tests; t++) {
        const struct test *test = &bench.tests.test[t];

        for (uint32_t round = 0; test->kind != TEST_HAMMER && round < test->rounds; round++)
            do_round(w, test, parts[t], round);
    }
    return NULL;
}

static double percent_of(uint64_t waited_ns, uint64_t took_ns)
{
    return 100 * (double)waited_ns / (double)took_ns / bench.threads;
}

static void run_pass(uint32_t run, uint64_t bytes_wanted)
{
    struct worker w[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    uint64_t swept = 0, waited_ns = 0, began_ns = host_now_ns();

    for (uint32_t i = 0; i < bench.threads; i++) {
        w[i] = (struct worker){ .number = i, .run = run, .sweep = sweep_of(bench.ops) };
        if (pthread_create(&thread[i], NULL, do_pass, &w[i]))
            host_die("pthread_create");
    }
    for (uint32_t i = 0; i < bench.threads; i++) {
        pthread_join(thread[i], NULL);
        swept += w[i].swept;
        waited_ns += w[i].waited_ns;
    }
    waits_percent[run] = percent_of(waited_ns, host_now_ns() - began_ns);
    if (swept != bytes_wanted)
        fail("not all memory was swept");
}

static void run_likwid(double ret_gb_s[LIKWIDS])
{
    uint64_t bytes = bench.bytes < LIKWID_MOST_BYTES ? bench.bytes : LIKWID_MOST_BYTES;

    for (int i = 0; bench.has_likwid && i < LIKWIDS; i++) {
        ret_gb_s[i] = host_likwid_gb_s(likwid_kernels[i], bytes, bench.threads, LIKWID_ITERATIONS);
        if (ret_gb_s[i] <= 0)
            fail("likwid-bench gave no figure");
    }
}

/* Of the two likwid-bench runs around a pass. */
static double likwid_seconds(struct traffic t, uint32_t run)
{
    uint32_t both = t.reads < t.writes ? t.reads : t.writes;
    double gb = (double)bench.bytes / 1e9, seconds = 0;

    for (uint32_t i = run; i <= run + 1; i++)
        seconds += gb * (2 * both / likwid_gb_s[i][LIKWID_COPY] +
                         (t.reads - both) / likwid_gb_s[i][LIKWID_LOAD] +
                         (t.writes - both) / likwid_gb_s[i][LIKWID_STORE]);
    return seconds / 2;
}

/* Parts of a pass: what a line of the table is about. */
struct sum {
    uint32_t sweeps;
    double seconds[RUNS_MAX], likwid[RUNS_MAX];
};

static void sum_add(struct sum *sum, const struct part *part)
{
    sum->sweeps += part->traffic.reads + part->traffic.writes;
    for (uint32_t i = 0; i < bench.runs; i++) {
        sum->seconds[i] += part->seconds[i];
        if (bench.has_likwid)
            sum->likwid[i] += likwid_seconds(part->traffic, i);
    }
}

static void print_spread(double *x, uint32_t n, int width, int digits)
{
    char spread[64];
    double median = host_median(x, n); /* sorts */

    snprintf(spread, sizeof(spread), "(%.*f-%.*f)", digits, x[0], digits, x[n - 1]);
    printf(" %*.*f %-*s", width, digits, median, 6 + 2 * digits, spread);
}

static void print_sum(const char *indent, const char *name, struct sum *sum)
{
    double gb = (double)bench.bytes * sum->sweeps / 1e9, ratio[RUNS_MAX];

    for (uint32_t i = 0; i < bench.runs; i++)
        ratio[i] = sum->likwid[i] / sum->seconds[i];
    printf("%s%-*s %6u %9.1f", indent, 25 - (int)strlen(indent), name, sum->sweeps, gb);
    print_spread(sum->seconds, bench.runs, 7, 2);
    printf(" %6.1f", gb / host_median(sum->seconds, bench.runs));
    if (bench.has_likwid) {
        printf(" %8.2f ", host_median(sum->likwid, bench.runs));
        print_spread(ratio, bench.runs, 5, 2);
    }
    printf("\n");
}

static void print_test(size_t t, struct sum *pass)
{
    struct sum test = { 0 };

    for (size_t e = 0; e < MARCH_ELEMENTS_MAX; e++) {
        sum_add(&test, &parts[t][e]);
        sum_add(pass, &parts[t][e]);
    }
    if (!test.sweeps)
        return;
    print_sum("", bench.tests.test[t].name, &test);
    for (size_t e = 0; bench.by_element && e < MARCH_ELEMENTS_MAX; e++) {
        struct sum element = { 0 };

        sum_add(&element, &parts[t][e]);
        if (element.sweeps)
            print_sum("  ", parts[t][e].name, &element);
    }
}

static void print_likwid(void)
{
    printf("likwid-bench, GB/s:");
    for (int k = 0; k < LIKWIDS; k++) {
        double gb_s[RUNS_MAX + 1];

        for (uint32_t i = 0; i <= bench.runs; i++)
            gb_s[i] = likwid_gb_s[i][k];
        printf("%s %s", k ? "," : "", likwid_kernels[k]);
        print_spread(gb_s, bench.runs + 1, 0, 1);
    }
    printf("\n");
}

static void print_pass(void)
{
    struct sum pass = { 0 };

    printf("\n%s over %llu MiB, %s, threads: %u; medians of %u (smallest-largest)\n", bench.words,
           (unsigned long long)bench.bytes >> 20, bench.ops->name, bench.threads, bench.runs);
    printf("%-25s %6s %9s %7s %-10s %6s%s\n", "", "sweeps", "GB", "seconds", "", "GB/s",
           bench.has_likwid ? " likwid s  efficiency" : "");
    for (size_t t = 0; t < bench.tests.n_tests; t++)
        print_test(t, &pass);
    print_sum("", "the pass", &pass);
    printf("at barriers: %.1f %% of the threads' time\n", host_median(waits_percent, bench.runs));
    if (bench.has_likwid)
        print_likwid();
    fflush(stdout);
}

static void run_passes(uint64_t bytes_wanted)
{
    for (size_t t = 0; t < TEST_LIST_MAX; t++) {
        for (size_t e = 0; e < MARCH_ELEMENTS_MAX; e++)
            memset(parts[t][e].seconds, 0, sizeof(parts[t][e].seconds));
    }
    for (uint32_t run = 0; run < bench.runs; run++) {
        run_likwid(likwid_gb_s[run]);
        run_pass(run, bytes_wanted);
    }
    run_likwid(likwid_gb_s[bench.runs]);
    print_pass();
}

static void name_element(const struct march_element *e, char *ret_name, size_t size)
{
    static const char *const order[] = { "any", "up", "down", "" };
    size_t n = (size_t)snprintf(ret_name, size, "%s(", order[e->kind]);

    for (uint32_t i = 0; i < e->n_ops && n < size; i++)
        n += (size_t)snprintf(ret_name + n, size - n, "%s%c%d", i ? "," : "",
                              e->op[i].write ? 'w' : 'r', e->op[i].complement);
    if (n < size)
        snprintf(ret_name + n, size - n, ")");
}

static void prepare_march(const struct test *test, struct part *part)
{
    struct march march;

    test_march(test, &march);
    for (uint32_t e = 0; e < march.n_elements; e++) {
        for (uint32_t i = 0; i < march.element[e].n_ops; i++) {
            if (march.element[e].op[i].write)
                part[e].traffic.writes += test->rounds;
            else
                part[e].traffic.reads += test->rounds;
        }
        name_element(&march.element[e], part[e].name, sizeof(part[e].name));
    }
}

/* What each element moves. Returns the bytes of a pass. */
static uint64_t prepare_parts(void)
{
    uint64_t sweeps = 0;

    for (size_t t = 0; t < bench.tests.n_tests; t++) {
        const struct test *test = &bench.tests.test[t];

        sweeps += test_sweeps(test);
        if (test->kind == TEST_MARCH)
            prepare_march(test, parts[t]);
        else if (test->kind == TEST_BLOCK_MOVE)
            parts[t][0] = (struct part){ .traffic = { BLOCK_MOVE_READS * test->rounds,
                                                      BLOCK_MOVE_WRITES * test->rounds },
                                         .name = "all steps" };
        else
            printf("%s is left out: it lasts as long as it is told to\n", test->name);
    }
    return sweeps * bench.bytes;
}

/* One element of a march on one thread, over the beginning of the memory. */
static void sweep_some(const struct sweep *sweep, const struct march_element *e, uint64_t bytes)
{
    struct data data = data_background(0);
    struct span left = { PHYS, bytes };

    while (left.size)
        sweep_element(sweep, e, &data,
                      slice_of(sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES)));
}

static struct march march_of(const char *notation)
{
    struct march_error error;
    struct march march;

    if (march_parse(notation, &march, &error) != MARCH_OK)
        fail("a march that is none");
    return march;
}

/* The march that the kernel chooses by. */
static uint64_t trial_ns(const struct line_ops *ops)
{
    uint64_t bytes = bench.bytes < TRIAL_BYTES ? bench.bytes : TRIAL_BYTES, best = UINT64_MAX;
    struct march march = march_of(TRIAL_MARCH);
    struct sweep sweep = sweep_of(ops);

    for (uint32_t round = 0; round < TRIAL_ROUNDS; round++) {
        uint64_t began = host_now_ns(), took;

        for (uint32_t e = 0; e < march.n_elements; e++)
            sweep_some(&sweep, &march.element[e], bytes);
        took = host_now_ns() - began;
        best = took < best ? took : best;
    }
    return best;
}

static const struct line_ops *fastest_ops(struct line_features features)
{
    const struct line_ops *ops[LINE_OPS_MAX], *fastest = NULL;
    size_t n = line_ops_list(features, ops);
    uint64_t best = UINT64_MAX;

    for (size_t i = 0; i < n; i++) {
        uint64_t ns = trial_ns(ops[i]);

        if (ns < best)
            fastest = ops[i];
        best = ns < best ? ns : best;
    }
    return fastest;
}

/* A bit that is changed behind the march's back must be seen, or no figure is worth anything. */
static void check_that_faults_are_seen(void)
{
    struct march march = march_of("any(w0);any(r0)");
    struct sweep sweep = sweep_of(bench.ops);
    uint64_t lines = bench.bytes / sizeof(struct line);

    sweep_some(&sweep, &march.element[0], bench.bytes);
    bench.memory[lines / 3].word[5] ^= UINT64_C(1) << 17;
    sweep_some(&sweep, &march.element[1], bench.bytes);
    if (n_faults != 1)
        fail("a word that was made wrong was not seen, or others were, too");
    n_faults = 0;
}

static _Noreturn void usage(void)
{
    fprintf(stderr,
            "usage: pass_host_bench [-m MiB] [-r runs, 1 to %d] [-t threads, 1 to %d] [-i isa] "
            "[-e] [tests]\n",
            RUNS_MAX, THREADS_MAX);
    exit(2);
}

static void parse(int argc, char **argv, const char **ret_isa)
{
    struct test_word bad;
    int option;

    while ((option = getopt(argc, argv, "m:r:t:i:e")) != -1) {
        if (option == 'm')
            bench.bytes = strtoull(optarg, NULL, 10) << 20;
        else if (option == 'r')
            bench.runs = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            bench.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'i')
            *ret_isa = optarg;
        else if (option == 'e')
            bench.by_element = true;
        else
            usage();
    }
    if (optind < argc)
        bench.words = argv[optind++];
    if (optind < argc || !bench.bytes || bench.runs < 1 || bench.runs > RUNS_MAX ||
        bench.threads > THREADS_MAX)
        usage();
    if (tests_select(bench.words, &bench.tests, &bad) != STATUS_OK)
        fail("no such test");
}

int main(int argc, char **argv)
{
    struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                      .avx2 = __builtin_cpu_supports("avx2"),
                                      .clflushopt = __builtin_cpu_supports("clflushopt") };
    uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), first = 1, last = THREADS_MAX;
    const char *isa = NULL;
    uint64_t bytes_wanted;

    parse(argc, argv, &isa);
    if (bench.threads)
        first = last = bench.threads;
    bench.has_clflushopt = features.clflushopt;
    bench.has_likwid = host_has_likwid();
    bench.memory = host_huge_pages(bench.bytes);
    memset(bench.memory, 1, bench.bytes);
    bench.ops = isa ? line_ops_choose(features, isa) : fastest_ops(features);
    if (!bench.ops)
        fail("no such instructions");
    check_that_faults_are_seen();
    host_print_load("before");
    if (!bench.has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    bytes_wanted = prepare_parts();
    for (bench.threads = first; bench.threads <= last && bench.threads <= cpus; bench.threads++)
        run_passes(bytes_wanted);
    host_print_load("after");
    printf("words read wrong: %llu\n", (unsigned long long)n_faults);
    return n_faults != 0;
}

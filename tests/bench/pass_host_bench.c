// SPDX-License-Identifier: MIT
/*
 * Whole passes of the shipped tests over this host's memory, as kernel/run/testing/element.c does
 * them: every thread its share, by parts and sections, as far in step as they have to be; lanes by
 * round and leg; pulses by this host's counter. Only pauses are left out, and row hammer, which
 * lasts as long as it is told to.
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
#include "pass_host.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "calibration/calibration.h"
#include "calibration/speed_class.h"
#include "sweep/block_move.h"
#include "tests/host/cpu_features.h"

#define LIKWID_MOST_BYTES (UINT64_C(1) << 30)
#define LIKWID_ITERATIONS 3

#define TRIAL_BYTES  (UINT64_C(64) << 20)
#define TRIAL_ROUNDS 3

/* Of block move's sweeps: each step writes all lines and moves half of them. */
#define BLOCK_MOVE_WRITES 9
#define BLOCK_MOVE_READS  12
_Static_assert(BLOCK_MOVE_WRITES + BLOCK_MOVE_READS == BLOCK_MOVE_SWEEPS, "sweep/block_move.c");

const char *const likwid_kernels[LIKWIDS] = { "load_avx", "store_mem_avx", "copy_mem_avx" };

struct pass_host bench = {
    .bytes = UINT64_C(2048) << 20,
    .runs = 5,
    .words = "standard",
};

struct part parts[TEST_LIST_MAX][MARCH_ELEMENTS_MAX];
double likwid_gb_s[RUNS_MAX + 1][LIKWIDS];
double waits_percent[RUNS_MAX];
static _Atomic uint64_t n_faults;

_Noreturn void pass_host_fail(const char *why)
{
    fprintf(stderr, "pass_host_bench: %s\n", why);
    exit(2);
}

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    n_faults++;
}

struct sweep pass_host_sweep(const struct line_ops *ops)
{
    return (struct sweep){
        .ops = ops,
        .has_clflushopt = bench.has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = count_fault },
    };
}

struct slice pass_host_slice(struct span s)
{
    return (struct slice){
        .virt = bench.memory + (s.base - PHYS) / sizeof(struct line),
        .phys = s.base,
        .n_lines = s.size / sizeof(struct line),
    };
}

static void run_likwid(double ret_gb_s[LIKWIDS])
{
    uint64_t bytes = bench.bytes < LIKWID_MOST_BYTES ? bench.bytes : LIKWID_MOST_BYTES;

    for (int i = 0; bench.has_likwid && i < LIKWIDS; i++) {
        ret_gb_s[i] = host_likwid_gb_s(likwid_kernels[i], bytes, bench.threads, LIKWID_ITERATIONS);
        if (ret_gb_s[i] <= 0)
            pass_host_fail("likwid-bench gave no figure");
    }
}

static void run_passes(uint64_t bytes_wanted)
{
    for (size_t t = 0; t < TEST_LIST_MAX; t++) {
        for (size_t e = 0; e < MARCH_ELEMENTS_MAX; e++)
            memset(parts[t][e].seconds, 0, sizeof(parts[t][e].seconds));
    }
    for (uint32_t run = 0; run < bench.runs; run++) {
        run_likwid(likwid_gb_s[run]);
        pass_host_run(run, bytes_wanted);
    }
    run_likwid(likwid_gb_s[bench.runs]);
    pass_host_print();
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
static void sweep_some(const struct sweep *sweep, const struct march_element *e,
                       const struct data *data, uint64_t bytes)
{
    struct span left = { PHYS, bytes };

    while (left.size)
        sweep_element(
            sweep, e, data,
            pass_host_slice(sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES)));
}

static struct march march_of(const char *notation)
{
    struct march_error error;
    struct march march;

    if (march_parse(notation, &march, &error) != MARCH_OK)
        pass_host_fail("a march that is none");
    return march;
}

/* Bytes a ns of the march that the kernel chooses by. */
static double calibration_speed_of(const struct line_ops *ops, const struct data *data)
{
    uint64_t bytes = bench.bytes < TRIAL_BYTES ? bench.bytes : TRIAL_BYTES, best = UINT64_MAX;
    struct march march = march_of(CALIBRATION_MARCH);
    struct sweep sweep = pass_host_sweep(ops);

    for (uint32_t round = 0; round < TRIAL_ROUNDS; round++) {
        uint64_t began = host_now_ns(), took;

        for (uint32_t e = 0; e < march.n_elements; e++)
            sweep_some(&sweep, &march.element[e], data, bytes);
        took = host_now_ns() - began;
        best = took < best ? took : best;
    }
    return (double)bytes / (double)best;
}

/* As the kernel does it (calibration/selection.h). */
static const struct line_ops *fastest_ops(struct line_features features,
                                          const struct test_list *tests)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n = line_ops_list(features, ops);
    struct data plain = data_background(0), random = data_make(DATA_RANDOM, 0, 0);
    double speed[LINE_OPS_MAX], sweeps[TEST_COSTS];

    tests_count_sweeps(tests, sweeps);
    sweeps[TEST_COST_ADDRESS] = 0; /* the kernel chooses others for these */
    for (size_t i = 0; i < n; i++) {
        double of[TEST_COSTS] = { [TEST_COST_PLAIN] = calibration_speed_of(ops[i], &plain),
                                  [TEST_COST_RANDOM] = calibration_speed_of(ops[i], &random) };

        speed[i] = speed_class_mean(of, sweeps, TEST_COSTS);
    }
    return ops[speed_class_best((struct speed_class_kind){ 1, speed },
                                (struct speed_class_kind){ 0, speed }, n, SPEED_CLASS_TIE)];
}

/* A bit that is changed behind the march's back must be seen, or no figure is worth anything. */
static void check_that_faults_are_seen(void)
{
    struct march march = march_of("any(w0);any(r0)");
    struct sweep sweep = pass_host_sweep(bench.ops);
    uint64_t lines = bench.bytes / sizeof(struct line);
    struct data data = data_background(0);

    sweep_some(&sweep, &march.element[0], &data, bench.bytes);
    bench.memory[lines / 3].word[5] ^= UINT64_C(1) << 17;
    sweep_some(&sweep, &march.element[1], &data, bench.bytes);
    if (n_faults != 1)
        pass_host_fail("a word that was made wrong was not seen, or others were, too");
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
    if (tests_select(bench.words, "", &bench.tests, &bad) != STATUS_OK)
        pass_host_fail("no such test");
}

int main(int argc, char **argv)
{
    struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                      .avx2 = __builtin_cpu_supports("avx2"),
                                      .clflushopt = host_has_clflushopt() };
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
    bench.ops = isa ? line_ops_choose(features, isa) : fastest_ops(features, &bench.tests);
    if (!bench.ops)
        pass_host_fail("no such instructions");
    check_that_faults_are_seen();
    bench.pulses = pulse_schedule_make(host_tsc_hz(), host_tsc(), 0);
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

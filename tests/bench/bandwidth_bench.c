// SPDX-License-Identifier: MIT
/*
 * okram's streaming loops on this host, with 1 thread and with 2, next to likwid-bench's when it is
 * installed and to loops in C, with plain stores ("C") and with non-temporal ones ("C nt"): arrays
 * of one size, the same repeats, all on huge pages. A round measures one after the other, in turns
 * (turn_order), so that whatever else the machine does meets all. Figures are medians of the
 * rounds, and "ratio" is the median of the rounds' own ratios, okram's to the other's. "cv" is the
 * coefficient of variation of the rounds in per cent.
 *
 *   bandwidth_bench [sse2|avx2|avx512] [rounds]      20 rounds by default
 *
 * STREAM's triad (a = b + 3 c) is likwid's stream. All count a written byte once.
 */
#include "host.h"

#include <cpuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "bandwidth/sizing.h"
#include "bandwidth/stream.h"
#include "c_stream.h"
#include "cpudata/cache_info.h"

#define ROUNDS      20
#define ROUNDS_MAX  1000
#define RUN_NS      UINT64_C(200000000)
#define THREADS_MAX 2
#define ARRAYS      3

enum by { BY_OKRAM, BY_LIKWID, BY_C, BY_C_STREAMED, BYS };

static const struct row {
    enum stream_op op;
    const char *likwid; /* its kernel, without the instruction set; NULL: it has none */
} rows[] = {
    { STREAM_READ, "load" }, { STREAM_WRITE, "store_mem" }, { STREAM_COPY, "copy_mem" },
    { STREAM_SCALE, NULL },  { STREAM_ADD, NULL },          { STREAM_TRIAD, "stream_mem" },
};

/* Each measured loop in this instruction set. */
static const struct isa {
    const struct stream_ops *okram;
    const char *likwid;
    c_stream_fn *const *c, *const *c_streamed;
} isas[] = {
    { &stream_sse2, "sse", c_sse2, c_sse2_streamed },
    { &stream_avx2, "avx", c_avx2, c_avx2_streamed },
    { &stream_avx512, "avx512", c_avx512, c_avx512_streamed },
};

/* What all rows have in common. */
struct bench {
    const struct isa *isa;
    struct stream_arrays arrays;
    uint64_t bytes; /* of each */
    uint32_t rounds;
    bool has_likwid;
};

/* What is repeated, and how often. */
struct work {
    const struct bench *bench;
    enum stream_op op;
    c_stream_fn *in_c; /* NULL: okram's loop */
    uint32_t threads, iterations;
};

struct worker {
    const struct work *work;
    uint32_t cpu;
    pthread_barrier_t *start;
    uint64_t start_ns, end_ns;
};

static void host_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
}

static void *repeat(void *arg)
{
    struct worker *w = arg;
    const struct work *job = w->work;
    const struct stream_arrays *all = &job->bench->arrays;
    struct sizing_part part = sizing_part(job->bench->bytes, job->threads, w->cpu);
    size_t at = part.offset / sizeof(double);
    struct stream_arrays its = { all->a + at, all->b + at, all->c + at };

    host_pin(w->cpu);
    pthread_barrier_wait(w->start);
    w->start_ns = host_now_ns();
    for (uint32_t i = 0; i < job->iterations; i++) {
        if (job->in_c)
            job->in_c(&its, part.bytes);
        else
            stream_run(job->bench->isa->okram, job->op, &its, part.bytes);
    }
    w->end_ns = host_now_ns();
    return NULL;
}

/* Nanoseconds from the first thread's start to the last one's end. */
static uint64_t run(const struct work *work)
{
    struct worker w[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    pthread_barrier_t start;
    uint64_t first = UINT64_MAX, last = 0;

    pthread_barrier_init(&start, NULL, work->threads);
    for (uint32_t i = 0; i < work->threads; i++) {
        w[i] = (struct worker){ .work = work, .cpu = i, .start = &start };
        if (pthread_create(&thread[i], NULL, repeat, &w[i]))
            host_die("pthread_create");
    }
    for (uint32_t i = 0; i < work->threads; i++) {
        pthread_join(thread[i], NULL);
        first = w[i].start_ns < first ? w[i].start_ns : first;
        last = w[i].end_ns > last ? w[i].end_ns : last;
    }
    pthread_barrier_destroy(&start);
    return last - first;
}

static double likwid_gb_s(const struct work *work, const char *name)
{
    char kernel[32];
    double gb_s;

    snprintf(kernel, sizeof(kernel), "%s_%s", name, work->bench->isa->likwid);
    gb_s = host_likwid_gb_s(kernel, stream_op_arrays(work->op) * work->bench->bytes, work->threads,
                            work->iterations);
    if (gb_s <= 0) {
        fprintf(stderr, "bandwidth_bench: no figure from likwid-bench's %s\n", kernel);
        exit(2);
    }
    return gb_s;
}

static bool has(const struct bench *bench, const struct row *row, enum by by)
{
    return by == BY_OKRAM ||
           (by == BY_LIKWID ? bench->has_likwid && row->likwid : bench->isa->c[row->op] != NULL);
}

static double gb_s_by(enum by by, const struct row *row, struct work work)
{
    if (by == BY_LIKWID)
        return likwid_gb_s(&work, row->likwid);
    if (by != BY_OKRAM)
        work.in_c = (by == BY_C ? work.bench->isa->c : work.bench->isa->c_streamed)[row->op];
    return (double)(stream_bytes(row->op, work.bench->bytes) * work.iterations) /
           (double)run(&work);
}

/* The median of the rounds, with their coefficient of variation, and how okram's are to it. */
static void print_summary(const double *gb_s, const double *okrams, uint32_t rounds, bool is_okram)
{
    double ratio[ROUNDS_MAX], sorted[ROUNDS_MAX];
    struct stats s = { 0 };

    for (uint32_t i = 0; i < rounds; i++) {
        sorted[i] = gb_s[i];
        ratio[i] = okrams[i] / gb_s[i];
        stats_add(&s, gb_s[i]);
    }
    printf("  %7.2f %4.1f", host_median(sorted, rounds), 100 * stats_stddev(&s) / s.mean);
    if (!is_okram)
        printf(" %5.3f", host_median(ratio, rounds));
}

static void bench_row(const struct bench *bench, const struct row *row, uint32_t threads)
{
    static double gb_s[BYS][ROUNDS_MAX];
    struct work work = { .bench = bench, .op = row->op, .threads = threads, .iterations = 1 };

    work.iterations = sizing_iterations(run(&work), RUN_NS);
    for (uint32_t i = 0; i < bench->rounds; i++) {
        for (uint32_t at = 0; at < BYS; at++) {
            enum by by = turn_order(BYS, i, at);

            if (has(bench, row, by))
                gb_s[by][i] = gb_s_by(by, row, work);
        }
    }
    printf("%7u  %-6s", threads, stream_op_name(row->op));
    for (enum by by = 0; by < BYS; by++) {
        if (has(bench, row, by))
            print_summary(gb_s[by], gb_s[BY_OKRAM], bench->rounds, by == BY_OKRAM);
        else
            printf("%20s", "");
    }
    printf("\n");
    fflush(stdout);
}

/* likwid's arrays are next to ours. */
static uint64_t array_bytes(uint64_t cache_bytes)
{
    uint64_t available = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t bytes = sizing_array_bytes(cache_bytes, available * 3 / 4, ARRAYS + ARRAYS);

    return bytes > HOST_HUGE_PAGE ? bytes / HOST_HUGE_PAGE * HOST_HUGE_PAGE : bytes;
}

/* The arrays in one piece of memory, as STREAM starts them. */
static void make_arrays(struct bench *bench)
{
    double *memory = host_huge_pages(ARRAYS * bench->bytes);
    size_t words = bench->bytes / sizeof(*memory);

    bench->arrays = (struct stream_arrays){ memory, memory + words, memory + 2 * words };
    stream_init(bench->isa->okram, &bench->arrays, bench->bytes);
}

static void usage(void)
{
    fprintf(stderr, "usage: bandwidth_bench [sse2|avx2|avx512] [rounds, 2 to %d]\n", ROUNDS_MAX);
    exit(2);
}

static struct bench bench_of(int argc, char **argv)
{
    const struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                            .avx2 = __builtin_cpu_supports("avx2") };
    struct bench bench = { .rounds = ROUNDS, .isa = isas, .has_likwid = host_has_likwid() };
    int arg = 1;
    const struct stream_ops *ops = stream_ops_choose(features, arg < argc ? argv[arg] : NULL);

    if (ops)
        arg += arg < argc;
    else
        ops = stream_ops_choose(features, NULL);
    while (bench.isa->okram != ops)
        bench.isa++;
    if (arg < argc)
        bench.rounds = (uint32_t)strtoul(argv[arg++], NULL, 10);
    if (arg < argc || bench.rounds < 2 || bench.rounds > ROUNDS_MAX)
        usage();
    return bench;
}

int main(int argc, char **argv)
{
    struct bench bench = bench_of(argc, argv);
    uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    struct cache_info caches = { .n_caches = 0 };
    const struct cache *last;

    cache_info_read(host_cpuid, NULL, &caches);
    last = cache_last_level(&caches);
    bench.bytes = array_bytes(last ? last->size_bytes : 0);
    make_arrays(&bench);

    host_print_load("before");
    printf("%s, last-level cache %llu MiB, arrays of %llu MiB, medians of %u, GB/s (10^9)\n",
           bench.isa->okram->name, last ? (unsigned long long)last->size_bytes >> 20 : 0,
           (unsigned long long)bench.bytes >> 20, bench.rounds);
    if (!bench.has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    printf(
        "threads  op        okram   cv   likwid   cv ratio        C   cv ratio     C nt   cv ratio\n");
    for (uint32_t threads = 1; threads <= THREADS_MAX && threads <= cpus; threads++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            bench_row(&bench, &rows[i], threads);
    host_print_load("after");
    return 0;
}

// SPDX-License-Identifier: MIT
/*
 * okram's streaming loops on this host, with 1 thread and with 2, next to likwid-bench's when it is
 * installed: arrays of one size, the same repeats, both on huge pages. A round measures one after
 * the other, by turns the one and the other first, so that whatever else the machine does meets
 * both. Figures are medians of the rounds, and "ratio" is the median of the rounds' own ratios.
 * "cv" is the coefficient of variation of the rounds in per cent.
 *
 *   bandwidth_bench [sse2|avx2|avx512] [rounds]      20 rounds by default
 *
 * STREAM's triad (a = b + 3 c, three arrays) is likwid's stream. likwid's triad (a = b * c + d)
 * moves four: next to it are STREAM's triad, by its GB/s, and a loop of this benchmark's own that
 * does the same, "triad4". All count a written byte once.
 */
#include "host.h"

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "bandwidth/sizing.h"
#include "bandwidth/stream.h"
#include "cpudata/cache_info.h"

#define ROUNDS      20
#define ROUNDS_MAX  1000
#define RUN_NS      UINT64_C(200000000)
#define THREADS_MAX 2
#define ARRAYS      4 /* a, b, c of STREAM, and triad4's d */

typedef void triad4_fn(double *a, const double *b, const double *c, const double *d, size_t bytes);

static const struct row {
    const char *name;
    enum stream_op op;                /* STREAM_OPS: triad4 */
    const char *sse2, *avx2, *avx512; /* likwid-bench's kernels; NULL: it has none */
    uint32_t arrays;                  /* of likwid's kernel */
} rows[] = {
    { "read", STREAM_READ, "load_sse", "load_avx", "load_avx512", 1 },
    { "write", STREAM_WRITE, "store_mem_sse", "store_mem_avx", "store_mem_avx512", 1 },
    { "copy", STREAM_COPY, "copy_mem_sse", "copy_mem_avx", "copy_mem_avx512", 2 },
    { "scale", STREAM_SCALE, NULL, NULL, NULL, 0 },
    { "add", STREAM_ADD, NULL, NULL, NULL, 0 },
    { "triad", STREAM_TRIAD, "stream_mem_sse", "stream_mem_avx", "stream_mem_avx512", 3 },
    { "triad", STREAM_TRIAD, "triad_mem_sse", "triad_mem_avx", "triad_mem_avx512", 4 },
    { "triad4", STREAM_OPS, "triad_mem_sse", "triad_mem_avx", "triad_mem_avx512", 4 },
};

/* What all rows have in common. */
struct bench {
    const struct stream_ops *ops;
    triad4_fn *triad4;
    double *array[ARRAYS];
    uint64_t bytes; /* of each */
    uint32_t rounds;
    bool has_likwid;
    double worst_ratio, worst_spread; /* over all rows; likwid's own is 1 */
};

struct worker {
    const struct bench *bench;
    const struct row *row;
    struct sizing_part part;
    uint32_t cpu, iterations;
    pthread_barrier_t *start;
    uint64_t start_ns, end_ns;
};

static void triad4_sse2(double *a, const double *b, const double *c, const double *d, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < bytes / sizeof(*a); i += 2)
        _mm_stream_pd(a + i, _mm_add_pd(_mm_mul_pd(_mm_load_pd(b + i), _mm_load_pd(c + i)),
                                        _mm_load_pd(d + i)));
    _mm_sfence();
}

__attribute__((target("avx2"))) static void triad4_avx2(double *a, const double *b, const double *c,
                                                        const double *d, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < bytes / sizeof(*a); i += 4)
        _mm256_stream_pd(a + i,
                         _mm256_add_pd(_mm256_mul_pd(_mm256_load_pd(b + i), _mm256_load_pd(c + i)),
                                       _mm256_load_pd(d + i)));
    _mm_sfence();
}

__attribute__((target("avx512f"))) static void
triad4_avx512(double *a, const double *b, const double *c, const double *d, size_t bytes)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < bytes / sizeof(*a); i += 8)
        _mm512_stream_pd(a + i,
                         _mm512_add_pd(_mm512_mul_pd(_mm512_load_pd(b + i), _mm512_load_pd(c + i)),
                                       _mm512_load_pd(d + i)));
    _mm_sfence();
}

static void host_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    double *array[ARRAYS];

    for (int i = 0; i < ARRAYS; i++)
        array[i] = w->bench->array[i] + w->part.offset / sizeof(double);
    host_pin(w->cpu);
    pthread_barrier_wait(w->start);
    w->start_ns = host_now_ns();
    for (uint32_t i = 0; i < w->iterations; i++) {
        if (w->row->op == STREAM_OPS)
            w->bench->triad4(array[0], array[1], array[2], array[3], w->part.bytes);
        else
            stream_run(w->bench->ops, w->row->op,
                       &(struct stream_arrays){ array[0], array[1], array[2] }, w->part.bytes);
    }
    w->end_ns = host_now_ns();
    return NULL;
}

/* Nanoseconds from the first thread's start to the last one's end. */
static uint64_t run(const struct bench *bench, const struct row *row, uint32_t threads,
                    uint32_t iterations)
{
    struct worker w[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    pthread_barrier_t start;
    uint64_t first = UINT64_MAX, last = 0;

    pthread_barrier_init(&start, NULL, threads);
    for (uint32_t i = 0; i < threads; i++) {
        w[i] = (struct worker){
            .bench = bench,
            .row = row,
            .part = sizing_part(bench->bytes, threads, i),
            .cpu = i,
            .iterations = iterations,
            .start = &start,
        };
        if (pthread_create(&thread[i], NULL, work, &w[i]))
            host_die("pthread_create");
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        first = w[i].start_ns < first ? w[i].start_ns : first;
        last = w[i].end_ns > last ? w[i].end_ns : last;
    }
    pthread_barrier_destroy(&start);
    return last - first;
}

static double okram_gb_s(const struct bench *bench, const struct row *row, uint32_t threads,
                         uint32_t iterations)
{
    uint64_t bytes =
        row->op == STREAM_OPS ? ARRAYS * bench->bytes : stream_bytes(row->op, bench->bytes);

    return (double)(bytes * iterations) / (double)run(bench, row, threads, iterations);
}

static double likwid_gb_s(const char *kernel, uint64_t bytes, uint32_t threads, uint32_t iterations)
{
    double gb_s = host_likwid_gb_s(kernel, bytes, threads, iterations);

    if (gb_s <= 0) {
        fprintf(stderr, "bandwidth_bench: no figure from likwid-bench's %s\n", kernel);
        exit(2);
    }
    return gb_s;
}

/* The median of the rounds, and their coefficient of variation in per cent. */
static double summary(double *x, uint32_t n, double *ret_cv)
{
    struct stats s = { 0 };

    for (uint32_t i = 0; i < n; i++)
        stats_add(&s, x[i]);
    *ret_cv = 100 * stats_stddev(&s) / s.mean;
    return host_median(x, n);
}

static void bench_row(struct bench *bench, const struct row *row, uint32_t threads)
{
    const char *kernel = !bench->has_likwid             ? NULL
                         : bench->ops == &stream_avx512 ? row->avx512
                         : bench->ops == &stream_avx2   ? row->avx2
                                                        : row->sse2;
    uint32_t iterations = sizing_iterations(run(bench, row, threads, 1), RUN_NS);
    double ours[ROUNDS_MAX], theirs[ROUNDS_MAX], ratio[ROUNDS_MAX], cv, other_cv, gb_s;

    for (uint32_t i = 0; i < bench->rounds; i++) {
        if (i % 2 == 0)
            ours[i] = okram_gb_s(bench, row, threads, iterations);
        if (kernel)
            theirs[i] = likwid_gb_s(kernel, row->arrays * bench->bytes, threads, iterations);
        if (i % 2 != 0)
            ours[i] = okram_gb_s(bench, row, threads, iterations);
        if (kernel)
            ratio[i] = ours[i] / theirs[i];
    }
    gb_s = summary(ours, bench->rounds, &cv);
    printf("%7u  %-6s %8.2f %6.1f", threads, row->name, gb_s, cv);
    if (kernel) {
        double other = summary(theirs, bench->rounds, &other_cv);
        double middle = host_median(ratio, bench->rounds);

        printf("   %-14s %8.2f %6.1f   %5.3f %9.2f", kernel, other, other_cv, middle,
               cv / other_cv);
        if (middle < bench->worst_ratio)
            bench->worst_ratio = middle;
        if (cv / other_cv > bench->worst_spread)
            bench->worst_spread = cv / other_cv;
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

/* The arrays in one piece of memory, as STREAM starts them, and d as c. */
static void make_arrays(struct bench *bench)
{
    char *memory = host_huge_pages(ARRAYS * bench->bytes);

    for (int i = 0; i < ARRAYS; i++)
        bench->array[i] = (double *)(void *)(memory + (uint64_t)i * bench->bytes);
    stream_init(bench->ops,
                &(struct stream_arrays){ bench->array[0], bench->array[1], bench->array[2] },
                bench->bytes);
    stream_init(bench->ops, &(struct stream_arrays){ .c = bench->array[3] }, bench->bytes);
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
    struct bench bench = { .rounds = ROUNDS, .worst_ratio = 1e9 };
    int arg = 1;

    bench.ops = stream_ops_choose(features, arg < argc ? argv[arg] : NULL);
    if (bench.ops)
        arg += arg < argc;
    else
        bench.ops = stream_ops_choose(features, NULL);
    if (arg < argc)
        bench.rounds = (uint32_t)strtoul(argv[arg++], NULL, 10);
    if (arg < argc || bench.rounds < 2 || bench.rounds > ROUNDS_MAX)
        usage();
    bench.triad4 = bench.ops == &stream_avx512 ? triad4_avx512
                   : bench.ops == &stream_avx2 ? triad4_avx2
                                               : triad4_sse2;
    bench.has_likwid = host_has_likwid();
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
           bench.ops->name, last ? (unsigned long long)last->size_bytes >> 20 : 0,
           (unsigned long long)bench.bytes >> 20, bench.rounds);
    if (!bench.has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    printf("threads  op        okram     cv%s\n",
           bench.has_likwid ? "   likwid-bench              cv   ratio cv/likwid" : "");
    for (uint32_t threads = 1; threads <= THREADS_MAX && threads <= cpus; threads++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            bench_row(&bench, &rows[i], threads);
    if (bench.has_likwid)
        printf("okram/likwid-bench: smallest ratio %.3f, largest spread %.2f times likwid's\n",
               bench.worst_ratio, bench.worst_spread);
    host_print_load("after");
    return 0;
}

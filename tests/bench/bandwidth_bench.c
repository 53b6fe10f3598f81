/*
 * okram's streaming loops on this host, with 1 thread and with 2, beside likwid-bench's when it is
 * installed: arrays of one size, the same repeats, both on huge pages. A round measures one after
 * the other, so that whatever else the machine does meets both; the last column is the median of
 * the rounds' own ratios.
 *
 *   bandwidth_bench [sse2|avx2]
 *
 * STREAM's triad (a = b + 3 c, three arrays) is likwid's stream; likwid's triad (a = b * c + d)
 * moves four. Both count a written byte once.
 */
#define _GNU_SOURCE

#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bandwidth/cache_info.h"
#include "bandwidth/plan.h"
#include "bandwidth/stream.h"

#define ROUNDS      5
#define RUN_NS      UINT64_C(500000000)
#define THREADS_MAX 2
#define HUGE_PAGE   (UINT64_C(2) << 20)

static const struct row {
    enum stream_op op;
    const char *sse2, *avx2; /* likwid-bench's kernels; NULL: it has none */
    uint32_t arrays;         /* of likwid's kernel */
} rows[] = {
    { STREAM_READ, "load_sse", "load_avx", 1 },
    { STREAM_WRITE, "store_mem_sse", "store_mem_avx", 1 },
    { STREAM_COPY, "copy_mem_sse", "copy_mem_avx", 2 },
    { STREAM_SCALE, NULL, NULL, 0 },
    { STREAM_ADD, NULL, NULL, 0 },
    { STREAM_TRIAD, "stream_mem_sse", "stream_mem_avx", 3 },
    { STREAM_TRIAD, "triad_mem_sse", "triad_mem_avx", 4 },
};

struct worker {
    const struct stream_ops *ops;
    enum stream_op op;
    struct stream_arrays arrays;
    size_t bytes;
    uint32_t cpu, iterations;
    pthread_barrier_t *start;
    uint64_t start_ns, end_ns;
};

static void die(const char *why)
{
    perror(why);
    exit(2);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void host_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    cpu_set_t cpu;

    CPU_ZERO(&cpu);
    CPU_SET(w->cpu, &cpu);
    if (sched_setaffinity(0, sizeof(cpu), &cpu))
        die("sched_setaffinity");
    pthread_barrier_wait(w->start);
    w->start_ns = now_ns();
    for (uint32_t i = 0; i < w->iterations; i++)
        stream_run(w->ops, w->op, &w->arrays, w->bytes);
    w->end_ns = now_ns();
    return NULL;
}

/* Nanoseconds from the first thread's start to the last one's end. */
static uint64_t run(const struct stream_ops *ops, enum stream_op op,
                    const struct stream_arrays *arrays, size_t bytes, uint32_t threads,
                    uint32_t iterations)
{
    struct worker w[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    pthread_barrier_t start;
    uint64_t first = UINT64_MAX, last = 0;

    pthread_barrier_init(&start, NULL, threads);
    for (uint32_t i = 0; i < threads; i++) {
        struct plan_part part = plan_part(bytes, threads, i);
        size_t at = part.offset / sizeof(double);

        w[i] = (struct worker){
            .ops = ops,
            .op = op,
            .arrays = { arrays->a + at, arrays->b + at, arrays->c + at },
            .bytes = part.bytes,
            .cpu = i,
            .iterations = iterations,
            .start = &start,
        };
        if (pthread_create(&thread[i], NULL, work, &w[i]))
            die("pthread_create");
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        first = w[i].start_ns < first ? w[i].start_ns : first;
        last = w[i].end_ns > last ? w[i].end_ns : last;
    }
    pthread_barrier_destroy(&start);
    return last - first;
}

/* GB/s of one run of likwid-bench; 0: it is not there or says nothing. */
static double likwid_run(const char *kernel, uint64_t bytes, uint32_t threads, uint32_t iterations)
{
    char command[256], line[256];
    double mb_s = 0;
    FILE *out;

    snprintf(command, sizeof(command),
             "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t %s -w N:%llukB:%u -i %u 2>&1",
             kernel, (unsigned long long)bytes / 1000, threads, iterations);
    out = popen(command, "r");
    if (!out)
        die("popen");
    while (fgets(line, sizeof(line), out))
        sscanf(line, "MByte/s: %lf", &mb_s);
    pclose(out);
    return mb_s / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, ROUNDS, sizeof(*x), compare);
    return x[ROUNDS / 2];
}

static void bench_row(const struct stream_ops *ops, const struct row *row,
                      const struct stream_arrays *arrays, uint64_t bytes, uint32_t threads,
                      bool has_likwid)
{
    const char *kernel = !has_likwid ? NULL : ops == &stream_avx2 ? row->avx2 : row->sse2;
    uint64_t first = run(ops, row->op, arrays, bytes, threads, 1);
    uint32_t iterations = plan_iterations(first, RUN_NS);
    double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS], mine;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t ns = run(ops, row->op, arrays, bytes, threads, iterations);

        ours[i] = (double)(stream_bytes(row->op, bytes) * iterations) / (double)ns;
        if (kernel) {
            theirs[i] = likwid_run(kernel, row->arrays * bytes, threads, iterations);
            ratio[i] = ours[i] / theirs[i];
        }
    }
    mine = median(ours);
    printf("%7u  %-6s %8.2f %8.2f %8.2f", threads, stream_op_name(row->op), mine, ours[0],
           ours[ROUNDS - 1]);
    if (kernel) {
        double other = median(theirs);

        printf("   %-15s %8.2f %8.2f %8.2f   %5.3f", kernel, other, theirs[0], theirs[ROUNDS - 1],
               median(ratio));
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct stream_ops *ops = stream_ops_choose(__builtin_cpu_supports("avx2"));
    bool has_likwid = system("command -v likwid-bench >/dev/null") == 0;
    uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t available = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    struct cache_info caches = { .n_caches = 0 };
    const struct cache *last;
    struct stream_arrays arrays;
    uint64_t bytes;
    char *buffer;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "sse2") && strcmp(argv[1], "avx2"))) {
        fprintf(stderr, "usage: bandwidth_bench [sse2|avx2]\n");
        return 2;
    }
    if (argc == 2)
        ops = stream_ops_choose(argv[1][0] == 'a');

    /* likwid's fourth array lies beside our three. */
    cache_info_read(host_cpuid, NULL, &caches);
    last = cache_last_level(&caches);
    bytes = plan_array_bytes(last ? last->size_bytes : 0, available * 3 / 4, 3 + 4);
    bytes = bytes > HUGE_PAGE ? bytes / HUGE_PAGE * HUGE_PAGE : bytes;
    buffer = mmap(NULL, 3 * bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (buffer == MAP_FAILED)
        die("mmap");
    buffer += -(uintptr_t)buffer % HUGE_PAGE;
    madvise(buffer, 3 * bytes, MADV_HUGEPAGE);
    arrays = (struct stream_arrays){
        .a = (double *)(void *)buffer,
        .b = (double *)(void *)(buffer + bytes),
        .c = (double *)(void *)(buffer + 2 * bytes),
    };
    stream_init(ops, &arrays, bytes);

    printf("%s, last-level cache %llu MiB, arrays of %llu MiB, medians of %d, GB/s (10^9)\n",
           ops->name, last ? (unsigned long long)last->size_bytes >> 20 : 0,
           (unsigned long long)bytes >> 20, ROUNDS);
    if (!has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    printf("threads  op       okram      min      max   %s\n",
           has_likwid ? "likwid-bench      median      min      max   okram/likwid" : "");
    for (uint32_t threads = 1; threads <= THREADS_MAX && threads <= cpus; threads++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            bench_row(ops, &rows[i], &arrays, bytes, threads, has_likwid);
    return 0;
}

/*
 * GB/s (10^9 bytes swept a second) of the line operations on the host: every table this CPU runs,
 * fill, verify and verify-write over every kind of data, one thread, upward. verify-write counts
 * the line twice, once read and once written. Each figure is the median of the runs.
 *
 *     sweep_bench [MiB] [runs]     default 1024 MiB, 5 runs
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "sweep/engine.h"

#define RUNS_MAX 99

/* Elements as a march leaves memory before them: w0 holds from the fill that comes first. */
static const struct row {
    const char *name, *march;
    uint32_t element; /* the one that is timed, after all before it */
} rows[] = {
    { "fill", "any(w0)", 0 },
    { "verify", "any(w0);any(r0)", 1 },
    { "verify, flushed", "any(w0);any(r0);any(r0)", 2 },
    { "verify-write", "any(w0);up(r0,w1)", 1 },
    { "verify-write, down", "any(w0);down(r0,w1)", 1 },
    { "r,r,w,w", "any(w0);up(r0,r0,w1,w1)", 1 },
    { "r,w,r", "any(w0);up(r0,w1,r1)", 1 },
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    (void)phys;
    (void)expected;
    (void)found;
    ++*(uint64_t *)ctx;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_gb_s(const struct sweep *sweep, const struct row *row, const struct data *data,
                          struct slice slice, int runs)
{
    double seconds[RUNS_MAX];
    struct march march;
    struct march_error error;

    if (march_parse(row->march, &march, &error) != MARCH_OK)
        abort();
    for (int i = 0; i < runs; i++) {
        for (uint32_t e = 0; e < row->element; e++)
            sweep_element(sweep, &march.element[e], data, slice);
        seconds[i] = -now_s();
        sweep_element(sweep, &march.element[row->element], data, slice);
        seconds[i] += now_s();
    }
    qsort(seconds, (size_t)runs, sizeof(seconds[0]), compare_doubles);
    return (double)(slice.n_lines * sizeof(struct line)) * march.element[row->element].n_ops / 1e9 /
           seconds[runs / 2];
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {
        [DATA_BACKGROUND] = "background", [DATA_ADDRESS] = "address", [DATA_RANDOM] = "random"
    };
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1024) << 20;
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    struct line_features features = { .avx2 = __builtin_cpu_supports("avx2"),
                                      .clflushopt = __builtin_cpu_supports("clflushopt") };
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = lines_list(features, ops);
    struct slice slice = { .phys = UINT64_C(0x100000000), .n_lines = bytes / sizeof(struct line) };
    uint64_t n_faults = 0;

    if (runs < 1 || runs > RUNS_MAX || !bytes) {
        fprintf(stderr, "usage: sweep_bench [MiB] [runs, at most %d]\n", RUNS_MAX);
        return 2;
    }
    slice.virt = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slice.virt == MAP_FAILED) {
        perror("sweep_bench: mmap");
        return 2;
    }
    madvise(slice.virt, bytes, MADV_HUGEPAGE);

    printf("%-20s %-11s", "GB/s", "data");
    for (size_t t = 0; t < n_ops; t++)
        printf(" %7s", ops[t]->name);
    printf("\n");
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        for (enum data_kind kind = DATA_BACKGROUND; kind <= DATA_RANDOM; kind++) {
            struct data data = data_make(kind, 0, 1);

            printf("%-20s %-11s", rows[r].name, kinds[kind]);
            for (size_t t = 0; t < n_ops; t++) {
                struct sweep sweep = { .ops = ops[t],
                                       .has_clflushopt = features.clflushopt,
                                       .faults = { count_fault, &n_faults } };

                printf(" %7.2f", median_gb_s(&sweep, &rows[r], &data, slice, runs));
                fflush(stdout);
            }
            printf("\n");
        }
    }
    if (n_faults)
        printf("%lu words were read wrong: the operations or this machine's memory are faulty\n",
               (unsigned long)n_faults);
    return n_faults != 0;
}

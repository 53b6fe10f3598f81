/*
 * What the line operations sweep on this host: GB/s (10^9 bytes) of every table that the CPU runs,
 * over every kind of data, with one thread on huge pages; a line that is read and written counts
 * twice. Beside them likwid-bench, when it is installed. A round measures one after the other, so
 * that whatever else the machine does meets all; the figures are medians of the rounds, the last
 * column is the median of the rounds' own ratios of the first table to likwid.
 *
 *   sweep_bench [MiB] [rounds]      1024 MiB and 5 rounds unless told
 */
#define _GNU_SOURCE

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sweep/engine.h"

#define ROUNDS_MAX 99

/* Operations that wait for each line's DRAM are slow: they get a part of the memory only. */
#define SLOW_PART 16

static const struct row {
    const char *name, *march;
    uint32_t element; /* the one that is timed, after all before it */
    const char *likwid;
} rows[] = {
    { "fill", "any(w0)", 0, "store_mem_avx" },
    { "verify", "any(w0);any(r0)", 1, "load_avx" },
    { "verify flushed", "any(w0);any(r0);any(r0)", 2, NULL },
    { "verify-write", "any(w0);up(r0,w1)", 1, "copy_mem_avx" },
    { "verify-write down", "any(w0);down(r0,w1)", 1, NULL },
    { "r,w,r", "any(w0);up(r0,w1,r1)", 1, NULL },
    { "r,r,w,w", "any(w0);up(r0,r0,w1,w1)", 1, NULL },
};

struct host {
    struct line_features features;
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops;
    struct slice slice;
    int rounds;
    bool has_likwid;
    uint64_t n_faults;
};

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    ++*(uint64_t *)ctx;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double run(struct host *h, const struct line_ops *ops, const struct row *row,
                  const struct data *data)
{
    struct sweep sweep = { ops, h->features.clflushopt, { count_fault, &h->n_faults } };
    struct slice slice = h->slice;
    const struct march_element *timed;
    struct march march;
    struct march_error error;
    double seconds;

    if (march_parse(row->march, &march, &error) != MARCH_OK)
        abort();
    timed = &march.element[row->element];
    if (timed->n_ops > 2)
        slice.n_lines /= SLOW_PART;
    for (uint32_t e = 0; e < row->element; e++)
        sweep_element(&sweep, &march.element[e], data, slice);
    seconds = -now_s();
    sweep_element(&sweep, timed, data, slice);
    seconds += now_s();
    return (double)(slice.n_lines * sizeof(struct line) * timed->n_ops) / seconds / 1e9;
}

/* 0: it is not there or says nothing. */
static double run_likwid(const struct host *h, const char *kernel)
{
    char command[256], text[256];
    double mb_s = 0;
    FILE *out;

    snprintf(command, sizeof(command),
             "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t %s -w N:%lukB:1 -i 3 2>&1",
             kernel, (unsigned long)(h->slice.n_lines * sizeof(struct line) / 1000));
    out = popen(command, "r");
    if (!out)
        return 0;
    while (fgets(text, sizeof(text), out))
        sscanf(text, "MByte/s: %lf", &mb_s);
    pclose(out);
    return mb_s / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(values[0]), compare);
    return values[n / 2];
}

static void print_row(struct host *h, const struct row *row, enum data_kind kind)
{
    static const char *const kinds[] = { "background", "address", "random" };
    bool likwid = h->has_likwid && row->likwid && kind == DATA_BACKGROUND;
    double ours[LINE_OPS_MAX][ROUNDS_MAX], theirs[ROUNDS_MAX], ratio[ROUNDS_MAX];
    struct data data = data_make(kind, 0, 1);

    for (int i = 0; i < h->rounds; i++) {
        for (size_t t = 0; t < h->n_ops; t++)
            ours[t][i] = run(h, h->ops[t], row, &data);
        if (likwid) {
            theirs[i] = run_likwid(h, row->likwid);
            ratio[i] = ours[0][i] / theirs[i];
        }
    }
    printf("%-18s %-11s", row->name, kinds[kind]);
    for (size_t t = 0; t < h->n_ops; t++)
        printf(" %7.2f", median(ours[t], h->rounds));
    if (likwid)
        printf("   %-14s %7.2f   %5.3f", row->likwid, median(theirs, h->rounds),
               median(ratio, h->rounds));
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct host h = {
        .features = { .avx2 = __builtin_cpu_supports("avx2"),
                      .clflushopt = __builtin_cpu_supports("clflushopt") },
        .rounds = argc > 2 ? atoi(argv[2]) : 5,
        .has_likwid = system("command -v likwid-bench >/dev/null") == 0,
    };
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1024) << 20;

    if (argc > 3 || !bytes || h.rounds < 1 || h.rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: sweep_bench [MiB] [rounds, 1 to %d]\n", ROUNDS_MAX);
        return 2;
    }
    h.slice.n_lines = bytes / sizeof(struct line);
    h.slice.virt = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (h.slice.virt == MAP_FAILED) {
        perror("sweep_bench: mmap");
        return 2;
    }
    madvise(h.slice.virt, bytes, MADV_HUGEPAGE);
    memset(h.slice.virt, 1, bytes);

    h.n_ops = lines_list(h.features, h.ops);
    if (!h.has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    printf("%-18s %-11s", "GB/s", "data");
    for (size_t t = 0; t < h.n_ops; t++)
        printf(" %7s", h.ops[t]->name);
    printf("%s\n", h.has_likwid ? "   likwid-bench    median   ratio" : "");
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        for (enum data_kind kind = DATA_BACKGROUND; kind <= DATA_RANDOM; kind++)
            print_row(&h, &rows[r], kind);
    }
    if (h.n_faults)
        printf("%lu words were read wrong: these operations or this machine's memory are faulty\n",
               (unsigned long)h.n_faults);
    return h.n_faults != 0;
}

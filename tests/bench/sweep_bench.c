// SPDX-License-Identifier: MIT
/*
 * What the line operations sweep on this host: GB/s (10^9 bytes; a line that is read and written
 * counts twice) of every instruction set that the CPU has, with one thread and with two on huge
 * pages, next to likwid-bench, when it is installed. A round measures all of them one after the
 * other, so that whatever else the machine does affects all; figures are medians of the rounds, and
 * the figure in brackets is the median of the rounds' own ratios to likwid.
 *
 *   sweep_bench [MiB] [rounds]      512 MiB and 5 rounds by default
 */
#include "host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sweep/engine.h"
#include "tests/host/cpu_features.h"

#define ROUNDS_MAX  99
#define THREADS_MAX 2

static const struct row {
    const char *name, *march;
    uint32_t element; /* the one that is timed, after all before it */
    enum order_lanes lanes;
    uint32_t part; /* of the memory: what waits for each line's DRAM is slow */
} rows[] = {
    { "fill", "any(w0)", 0, ORDER_ONE_LANE, 1 },
    { "verify", "any(w0);any(r0)", 1, ORDER_ONE_LANE, 1 },
    { "verify flushed", "any(w0);any(r0);any(r0)", 2, ORDER_ONE_LANE, 1 },
    { "verify-write", "any(w0);up(r0,w1)", 1, ORDER_ONE_LANE, 1 },
    { "verify-write down", "any(w0);down(r0,w1)", 1, ORDER_ONE_LANE, 1 },
    { "verify-write flushed", "any(w0);any(r0);up(r0,w1)", 2, ORDER_ONE_LANE, 1 },
    { "r,r,w,w", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_LINES, 1 },
    { "r,r,w,w down", "any(w0);down(r0,r0,w1,w1)", 1, ORDER_LINES, 1 },
    { "r,r,w,w other", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_LANES, 1 },
    { "r,r,w,w other down", "any(w0);down(r0,r0,w1,w1)", 1, ORDER_LANES, 1 },
    { "r,r,w,w only round", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_ONLY_LANES, 1 },
    { "r,r,w,w 1st leg", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_LEG_LINES, 1 },
    { "r,r,w,w 2nd leg", "any(w0);down(r0,r0,w1,w1)", 1, ORDER_LEG_LANES, 1 },
    { "r,r,w,w 3rd leg", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_LEG_EARLY, 1 },
    { "r,w,r", "any(w0);up(r0,w1,r1)", 1, ORDER_LINES, 1 },
    { "w,w", "any(w0);up(w0,w1)", 1, ORDER_LINES, 1 },
    { "r,r", "any(w0);up(r0,r0)", 1, ORDER_LINES, 1 },
    { "r,w,r,r,w,r", "any(w0);up(r0,w0,r0,r0,w1,r1)", 1, ORDER_LINES, 1 },
    { "r,w,r,r,w,r other", "any(w0);up(r0,w0,r0,r0,w1,r1)", 1, ORDER_LANES, 1 },
    { "r,w 8 times", "any(w0);up(r0,w1,r1,w0,r0,w1,r1,w0,r0,w1,r1,w0,r0,w1,r1,w0)", 1, ORDER_LINES,
      1 },
    { "r,r,w,w in leg", "any(w0);up(r0,r0,w1,w1)", 1, ORDER_ONE_LANE, 16 },
};

struct host {
    struct line_features features;
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops;
    struct slice slice;
    int rounds;
    const char *only; /* rows whose names begin so, or NULL: all */
    bool has_likwid;
    _Atomic uint64_t n_faults;
};

/* One thread's part of a measurement. */
struct work {
    struct host *host;
    const struct line_ops *ops;
    const struct row *row;
    const struct data *data;
    struct slice slice;
    pthread_barrier_t *begin;
    double began_s, ended_s;
};

static void count_fault(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    ++*(_Atomic uint64_t *)ctx;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As the kernel does it: slice by slice. */
static void element(const struct sweep *sweep, const struct march_element *e,
                    const struct data *data, struct slice all)
{
    struct span left = { all.phys, all.n_lines * sizeof(struct line) };

    while (left.size) {
        struct span s = sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES);
        struct slice slice = {
            .virt = all.virt + (s.base - all.phys) / sizeof(struct line),
            .phys = s.base,
            .n_lines = s.size / sizeof(struct line),
        };

        sweep_element(sweep, e, data, slice);
    }
}

static void *work(void *arg)
{
    struct work *w = arg;
    struct sweep sweep = {
        .ops = w->ops,
        .has_clflushopt = w->host->features.clflushopt,
        .lanes = w->row->lanes,
        .faults = { .report = count_fault, .ctx = &w->host->n_faults },
    };
    struct march march;
    struct march_error error;

    if (march_parse(w->row->march, &march, &error) != MARCH_OK)
        abort();
    for (uint32_t e = 0; e < w->row->element; e++)
        element(&sweep, &march.element[e], w->data, w->slice);
    pthread_barrier_wait(w->begin);
    w->began_s = now_s();
    element(&sweep, &march.element[w->row->element], w->data, w->slice);
    w->ended_s = now_s();
    return NULL;
}

/* Reads and writes of each line. */
struct traffic {
    uint32_t reads, writes;
};

static struct traffic traffic_of(const struct row *row)
{
    struct march march;
    struct march_error error;
    struct traffic t = { 0 };
    const struct march_element *e = &march.element[row->element];

    if (march_parse(row->march, &march, &error) != MARCH_OK)
        abort();
    for (uint32_t i = 0; i < e->n_ops; i++)
        ++*(e->op[i].write ? &t.writes : &t.reads);
    return t;
}

static double run(struct host *h, const struct line_ops *ops, const struct row *row,
                  const struct data *data, unsigned threads)
{
    uint64_t lines = h->slice.n_lines / row->part / threads;
    struct traffic t = traffic_of(row);
    struct work works[THREADS_MAX];
    pthread_t others[THREADS_MAX];
    pthread_barrier_t begin;
    double began = 0, ended = 0;

    pthread_barrier_init(&begin, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        works[i] = (struct work){
            .host = h,
            .ops = ops,
            .row = row,
            .data = data,
            .slice = { h->slice.virt + i * lines, h->slice.phys + i * lines * sizeof(struct line),
                       lines },
            .begin = &begin,
        };
        if (i && pthread_create(&others[i], NULL, work, &works[i]) != 0)
            abort();
    }
    work(&works[0]);
    for (unsigned i = 0; i < threads; i++) {
        if (i)
            pthread_join(others[i], NULL);
        began = i && began < works[i].began_s ? began : works[i].began_s;
        ended = ended > works[i].ended_s ? ended : works[i].ended_s;
    }
    pthread_barrier_destroy(&begin);
    return (double)(threads * lines * sizeof(struct line) * (t.reads + t.writes)) /
           (ended - began) / 1e9;
}

/* 0: it is not there or says nothing. */
static double run_likwid(const struct host *h, const char *kernel, unsigned threads)
{
    char command[256], text[256];
    double mb_s = 0;
    FILE *out;

    snprintf(command, sizeof(command),
             "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t %s -w N:%lukB:%u -i 3 2>&1",
             kernel, (unsigned long)(h->slice.n_lines * sizeof(struct line) / 1000), threads);
    out = popen(command, "r");
    if (!out)
        return 0;
    while (fgets(text, sizeof(text), out))
        sscanf(text, "MByte/s: %lf", &mb_s);
    pclose(out);
    return mb_s / 1e3;
}

/*
 * likwid-bench at the same traffic: as many reads and writes as there are of both are copies, the
 * rest loads or stores. All three count what reaches DRAM and nothing else, for their stores are
 * non-temporal: copy_mem_avx 16 bytes for 8 that it copies.
 */
static double run_likwid_traffic(const struct host *h, struct traffic t, unsigned threads)
{
    uint32_t copies = t.reads < t.writes ? t.reads : t.writes;
    double s = 0;

    if (copies)
        s += 2 * copies / run_likwid(h, "copy_mem_avx", threads);
    if (t.reads > copies)
        s += (t.reads - copies) / run_likwid(h, "load_avx", threads);
    if (t.writes > copies)
        s += (t.writes - copies) / run_likwid(h, "store_mem_avx", threads);
    return (t.reads + t.writes) / s;
}

static void print_row(struct host *h, const struct row *row, const struct data *data,
                      const char *data_name, unsigned threads)
{
    double ours[LINE_OPS_MAX][ROUNDS_MAX], ratio[LINE_OPS_MAX][ROUNDS_MAX], theirs[ROUNDS_MAX];

    for (int i = 0; i < h->rounds; i++) {
        for (size_t t = 0; t < h->n_ops; t++)
            ours[t][i] = run(h, h->ops[t], row, data, threads);
        if (h->has_likwid)
            theirs[i] = run_likwid_traffic(h, traffic_of(row), threads);
        for (size_t t = 0; h->has_likwid && t < h->n_ops; t++)
            ratio[t][i] = ours[t][i] / theirs[i];
    }
    printf("%u  %-20s %-10s", threads, row->name, data_name);
    for (size_t t = 0; t < h->n_ops; t++) {
        printf(" %6.2f", host_median(ours[t], (size_t)h->rounds));
        if (h->has_likwid)
            printf(" (%4.2f)", host_median(ratio[t], (size_t)h->rounds));
        else
            printf("       ");
    }
    if (h->has_likwid)
        printf("  %6.2f", host_median(theirs, (size_t)h->rounds));
    printf("\n");
    fflush(stdout);
}

static bool wanted(const struct host *h, const struct row *row)
{
    return !h->only || strncmp(row->name, h->only, strlen(h->only)) == 0;
}

static void print_all(struct host *h)
{
    static const struct {
        enum data_kind kind;
        const char *name;
    } other[] = { { DATA_ADDRESS, "address" }, { DATA_RANDOM, "random" } };
    struct data background = data_background(0);

    printf("%-2s %-20s %-10s", "T", "GB/s", "data");
    for (size_t t = 0; t < h->n_ops; t++)
        printf(" %6s       ", h->ops[t]->name);
    printf("%s\n", h->has_likwid ? "  likwid-bench" : "");
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
            if (wanted(h, &rows[r]))
                print_row(h, &rows[r], &background, "background", threads);
        }
    }
    for (size_t k = 0; k < sizeof(other) / sizeof(other[0]); k++) {
        struct data data = data_make(other[k].kind, 0, 1);

        for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
            for (size_t r = 0; r < 5; r++) {
                if (wanted(h, &rows[r]))
                    print_row(h, &rows[r], &data, other[k].name, threads);
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct host h = {
        .features = { .avx512 = __builtin_cpu_supports("avx512f"),
                      .avx2 = __builtin_cpu_supports("avx2"),
                      .clflushopt = host_has_clflushopt() },
        .slice.phys = UINT64_C(1) << 32,
        .rounds = argc > 2 ? atoi(argv[2]) : 5,
        .only = argc > 3 ? argv[3] : NULL,
        .has_likwid = system("command -v likwid-bench >/dev/null") == 0,
    };
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 0) : 512) << 20;

    if (argc > 4 || !bytes || h.rounds < 1 || h.rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: sweep_bench [MiB] [rounds, 1 to %d] [first letters of rows]\n",
                ROUNDS_MAX);
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
    h.n_ops = line_ops_list(h.features, h.ops);
    if (!h.has_likwid)
        printf("likwid-bench is not installed (Debian: likwid): okram's figures alone\n");
    print_all(&h);
    if (h.n_faults)
        printf("%lu words were read wrong: these operations or this machine's memory are faulty\n",
               (unsigned long)h.n_faults);
    return h.n_faults != 0;
}

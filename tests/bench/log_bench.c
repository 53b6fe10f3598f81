// SPDX-License-Identifier: MIT
/*
 * What the fault log costs on this host: CPU seconds, so that others on the host count little, of
 * march C- over some memory by two threads, which log a million faults on the way, evenly; the
 * first thread scrubs the log every 20 ms besides, as the boot CPU does. The log is kept in one
 * copy and in three; the faults lie on a million pages, on 10,000 and on a thousand. The pass
 * without faults is what all are compared with. A round measures all of them one after the other;
 * figures are medians of the rounds.
 *
 *   log_bench [MiB] [rounds]      1024 MiB and 5 rounds by default
 */
#include "host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log/fault_log.h"
#include "sweep/engine.h"
#include "tests/host/add_fault.h"
#include "tests/host/cpu_features.h"

#define ROUNDS_MAX  99
#define THREADS     2
#define FAULTS      UINT64_C(1000000)
#define SCRUB_EVERY 0.02 /* seconds: kernel/run/loop/poll.c */
#define MARCH       "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)"
#define RAM_BYTES   (UINT64_C(16) << 30) /* that the log is for: more pages than faults */
#define PAGE_STRIDE UINT64_C(3)          /* bad pages lie scattered */

enum kind {
    NO_FAULTS,
    PLAIN,
    THREE,
    KINDS,
};

static const char *const kind_names[KINDS] = { "no faults", "one copy", "three" };
static const uint64_t bad_pages[] = { 1000000, 10000, 1000 };

struct host {
    struct slice slice;
    const struct line_ops *ops;
    bool has_clflushopt;
    struct page_extent extent[1];
    struct page_index space;
    void *part[LOG_COPIES];
    struct fault_log log;
    _Atomic uint64_t n_wrong;
};

struct work {
    struct host *host;
    uint32_t number;
    enum kind kind;
    uint64_t pages, slices, logged;
    struct march march;
    struct slice slice;
    double next_scrub;
    pthread_barrier_t *begin;
};

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void count_wrong(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    ++*(_Atomic uint64_t *)ctx;
}

/* This thread's faults up to a part of its pass. */
static void log_until(struct work *w, uint64_t n)
{
    for (; w->logged < n; w->logged++) {
        uint64_t i = w->logged * THREADS + w->number, page = i % w->pages * PAGE_STRIDE;
        struct fault fault = { .addr = page << PAGE_SHIFT, .found = 1, .cpu = w->number };

        add_fault(&w->host->log, &fault);
    }
    if (w->number == 0 && seconds_of(CLOCK_MONOTONIC) >= w->next_scrub) {
        fault_log_scrub(&w->host->log);
        w->next_scrub = seconds_of(CLOCK_MONOTONIC) + SCRUB_EVERY;
    }
}

static void sweep(struct work *w, const struct march_element *e, const struct data *data,
                  uint64_t *slices_done)
{
    struct sweep sweep = {
        .ops = w->host->ops,
        .has_clflushopt = w->host->has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = count_wrong, .ctx = &w->host->n_wrong },
    };
    struct span left = { w->slice.phys, w->slice.n_lines * sizeof(struct line) };

    while (left.size) {
        struct span s = sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES);

        sweep_element(
            &sweep, e, data,
            (struct slice){ w->slice.virt + (s.base - w->slice.phys) / sizeof(struct line), s.base,
                            s.size / sizeof(struct line) });
        ++*slices_done;
        if (w->kind != NO_FAULTS)
            log_until(w, FAULTS / THREADS * *slices_done / w->slices);
    }
}

static void *work(void *arg)
{
    struct work *w = arg;
    struct data data = data_background(0);
    uint64_t slices_done = 0;

    pthread_barrier_wait(w->begin);
    for (uint32_t i = 0; i < w->march.n_elements; i++)
        sweep(w, &w->march.element[i], &data, &slices_done);
    return NULL;
}

static void make_log(struct host *h, enum kind kind)
{
    struct fault_log_memory memory = { .copy = { h->part[0] } };

    for (size_t i = 1; kind == THREE && i < LOG_COPIES; i++)
        memory.copy[i] = h->part[i];
    fault_log_init(&h->log, &h->space, &memory);
}

/* CPU seconds of a pass, of both threads. */
static double run(struct host *h, enum kind kind, uint64_t pages)
{
    uint64_t lines = h->slice.n_lines / THREADS;
    struct work works[THREADS] = { 0 };
    pthread_t other[THREADS];
    pthread_barrier_t begin;
    struct march_error error;
    double began, ended;

    make_log(h, kind);
    pthread_barrier_init(&begin, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct work *w = &works[i];

        *w = (struct work){ .host = h, .number = i, .kind = kind, .pages = pages, .begin = &begin };
        w->slice = (struct slice){ h->slice.virt + i * lines,
                                   h->slice.phys + i * lines * sizeof(struct line), lines };
        if (march_parse(MARCH, &w->march, &error) != MARCH_OK)
            abort();
        w->slices = lines * sizeof(struct line) / SWEEP_SLICE_BYTES * w->march.n_elements;
        if (i && pthread_create(&other[i], NULL, work, w) != 0)
            abort();
    }
    began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    work(&works[0]);
    for (uint32_t i = 1; i < THREADS; i++)
        pthread_join(other[i], NULL);
    ended = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    pthread_barrier_destroy(&begin);
    if (kind != NO_FAULTS &&
        (fault_log_faults(&h->log) != FAULTS || fault_log_bad_pages(&h->log) != pages)) {
        fprintf(stderr, "log_bench: the log does not hold what was logged\n");
        exit(1);
    }
    return ended - began;
}

static void print_pages(struct host *h, uint64_t pages, int rounds)
{
    static double seconds[KINDS][ROUNDS_MAX];
    double plain;

    for (int i = 0; i < rounds; i++)
        for (enum kind kind = 0; kind < KINDS; kind++)
            seconds[kind][i] = run(h, kind, pages);
    plain = host_median(seconds[NO_FAULTS], (size_t)rounds);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        double s = host_median(seconds[kind], (size_t)rounds);

        printf("%9lu  %-10s %8.3f", (unsigned long)pages, kind_names[kind], s);
        if (kind != NO_FAULTS)
            printf(" %8.1f %% %8.0f", (s / plain - 1) * 100, (s - plain) / (double)FAULTS * 1e9);
        printf("\n");
    }
    fflush(stdout);
}

static void *allocate(size_t bytes)
{
    return memset(host_huge_pages(bytes), 1, bytes);
}

int main(int argc, char **argv)
{
    static struct host h;
    struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                      .avx2 = __builtin_cpu_supports("avx2"),
                                      .clflushopt = host_has_clflushopt() };
    struct span ram = { 0, RAM_BYTES };
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1024) << 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;

    if (argc > 3 || bytes < THREADS * SWEEP_SLICE_BYTES || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: log_bench [MiB, %d or more] [rounds, 1 to %d]\n", THREADS,
                ROUNDS_MAX);
        return 2;
    }
    h.ops = line_ops_choose(features, NULL);
    h.has_clflushopt = features.clflushopt;
    h.slice = (struct slice){ allocate(bytes), UINT64_C(1) << 32, bytes / sizeof(struct line) };
    if (page_index_init(&h.space, h.extent, 1, &ram, 1) != STATUS_OK)
        abort();
    for (size_t i = 0; i < LOG_COPIES; i++)
        h.part[i] = allocate(fault_log_copy_bytes(&h.space));
    printf("bad pages  kept in    seconds   slower  ns a fault (%zu MiB, %s)\n", bytes >> 20,
           h.ops->name);
    for (size_t i = 0; i < sizeof(bad_pages) / sizeof(bad_pages[0]); i++)
        print_pages(&h, bad_pages[i], rounds);
    if (h.n_wrong)
        printf("%lu words were read wrong: this machine's memory is faulty\n",
               (unsigned long)h.n_wrong);
    return h.n_wrong != 0;
}

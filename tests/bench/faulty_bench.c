// SPDX-License-Identifier: MIT
/*
 * What reading faulty memory costs on this host: CPU seconds of two threads that verify some memory
 * whose every second page is bad, in one word or in every word, and log it as the kernel does. Each
 * pass is done once before, so that all bad pages are known, as in all tests but the first. Figures
 * are medians of the rounds, next to the same memory without faults.
 *
 *   faulty_bench [MiB] [rounds]      512 MiB and 5 rounds by default
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

#define ROUNDS_MAX 99
#define THREADS    2
#define PASSES     2 /* the first is not counted */
#define PAGE_WORDS (PAGE_SIZE / sizeof(uint64_t))
#define MEMORY     (UINT64_C(1) << 32) /* its address, to the log */
#define RAM_BYTES  (UINT64_C(16) << 30)

enum kind {
    SOUND,
    A_WORD,
    EVERY_WORD,
    KINDS,
};

static const struct {
    const char *name;
    uint64_t words; /* of a bad page */
} kinds[KINDS] = { { "none", 0 }, { "a word of a page", 1 }, { "all words", PAGE_WORDS } };

struct host {
    struct line *memory;
    uint64_t n_pages; /* of memory */
    const struct line_ops *ops;
    struct page_extent extent[1];
    struct page_index space;
    struct fault_log_memory parts;
    struct fault_log log;
};

struct work {
    struct host *host;
    uint32_t number;
    struct fault_tally tally;
    double seconds;
};

static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As kernel/run/faults/reporter.c. */
static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct work *w = ctx;
    struct fault_log *log = &w->host->log;

    if (fault_log_has_room(log))
        fault_log_add_record(
            log, &(struct fault){
                     .addr = phys, .expected = expected, .found = found, .cpu = w->number });
    fault_log_tally(log, &w->tally, phys, expected ^ found);
}

static bool on_bad_line(void *ctx, uint64_t phys, bool complement, const struct line *diff)
{
    struct work *w = ctx;

    if (fault_log_has_room(&w->host->log) || !fault_tally_has_marked(&w->tally, phys))
        return false;
    for (size_t i = 0; i < sizeof(diff->word) / sizeof(diff->word[0]); i++) {
        w->tally.n += diff->word[i] != 0;
        w->tally.wrong_bits |= diff->word[i];
    }
    return true;
}

static void *work(void *arg)
{
    struct work *w = arg;
    struct host *h = w->host;
    uint64_t share = h->n_pages / THREADS * PAGE_SIZE;
    struct span left = { w->number * share, share };
    struct line_faults faults = { report, w, on_bad_line };
    struct data data = data_background(0);
    double began = thread_seconds();

    while (left.size) {
        struct span s = sweep_next_slice(&left, false, SWEEP_SLICE_BYTES);
        struct line_run run = { .first = h->memory + s.base / sizeof(struct line),
                                .phys = MEMORY + s.base,
                                .n_lines = s.size / sizeof(struct line) };

        h->ops->verify(&run, &data, false, &faults);
        fault_log_add_tally(&h->log, &w->tally);
    }
    w->seconds = thread_seconds() - began;
    return NULL;
}

/* CPU seconds of both threads. */
static double verify(struct host *h)
{
    struct work works[THREADS] = { 0 };
    pthread_t thread[THREADS];
    double seconds = 0;

    for (uint32_t i = 0; i < THREADS; i++) {
        works[i] = (struct work){ .host = h, .number = i };
        if (pthread_create(&thread[i], NULL, work, &works[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        seconds += works[i].seconds;
    }
    return seconds;
}

static void spoil(struct host *h, uint64_t words)
{
    struct data data = data_background(0);
    struct line_run all = { .first = h->memory,
                            .phys = MEMORY,
                            .n_lines = h->n_pages * PAGE_SIZE / sizeof(struct line) };

    h->ops->fill(&all, &data, false);
    line_ops_fence();
    for (uint64_t page = 0; page < h->n_pages; page += 2) {
        for (uint64_t i = 0; i < words; i++)
            h->memory[page * PAGE_SIZE / sizeof(struct line) + i / 8].word[i % 8] ^= 8;
    }
}

static double run(struct host *h, enum kind kind)
{
    uint64_t n_bad = kinds[kind].words ? h->n_pages / 2 : 0;
    double seconds = 0;

    fault_log_init(&h->log, &h->space, &h->parts);
    spoil(h, kinds[kind].words);
    for (int i = 0; i < PASSES; i++)
        seconds = verify(h);
    if (fault_log_bad_pages(&h->log) != n_bad ||
        fault_log_faults(&h->log) != PASSES * n_bad * kinds[kind].words) {
        fprintf(stderr, "faulty_bench: the log does not hold what is wrong\n");
        exit(1);
    }
    return seconds;
}

static void *allocate(size_t bytes)
{
    return memset(host_huge_pages(bytes), 1, bytes);
}

int main(int argc, char **argv)
{
    static struct host h;
    static double seconds[KINDS][ROUNDS_MAX];
    struct line_features features = { .avx512 = __builtin_cpu_supports("avx512f"),
                                      .avx2 = __builtin_cpu_supports("avx2") };
    struct span ram = { 0, RAM_BYTES };
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 512;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    double sound;

    if (argc > 3 || mib < THREADS || mib % THREADS || mib << 20 > RAM_BYTES - MEMORY ||
        rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: faulty_bench [MiB, an even number] [rounds, 1 to %d]\n",
                ROUNDS_MAX);
        return 2;
    }
    h.ops = line_ops_choose(features, NULL);
    h.n_pages = (mib << 20) / PAGE_SIZE;
    h.memory = allocate(mib << 20);
    if (page_index_init(&h.space, h.extent, 1, &ram, 1) != STATUS_OK)
        abort();
    for (size_t i = 0; i < LOG_COPIES; i++)
        h.parts.copy[i] = allocate(fault_log_copy_bytes(&h.space));
    for (int i = 0; i < rounds; i++) {
        for (enum kind kind = 0; kind < KINDS; kind++)
            seconds[kind][i] = run(&h, kind);
    }
    sound = host_median(seconds[SOUND], (size_t)rounds);
    printf("wrong in every second page  seconds  times  (%lu MiB, %s)\n", (unsigned long)mib,
           h.ops->name);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        double s = host_median(seconds[kind], (size_t)rounds);

        printf("%-26s %8.3f %6.1f\n", kinds[kind].name, s, s / sound);
    }
    return 0;
}

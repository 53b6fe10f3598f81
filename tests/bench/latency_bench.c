// SPDX-License-Identifier: MIT
/*
 * okram's pointer chase on this host next to another one, written independently: nodes that are
 * linked by pointers in the order of a shuffled list, and a plain loop over them. Both chains go
 * through the same lines of the same huge pages, so both find the same in the caches; they are
 * followed in short slices, in turns (turn_order), so whatever else the machine does meets both.
 * The third chain is shuffled within windows of 256 KiB, one after the other, as multichase's is by
 * default. Figures are medians of the slices in ns a load, with the coefficient of variation in per
 * cent; "ratio" is the median of okram's ratios to the plain chain in the same turn.
 *
 * Then lines that the caches of the other CPU hold, read once each, as bandwidth=full measures
 * them; "own" are the same lines again, from the reader's caches.
 *
 *   latency_bench [slices]      101 by default
 */
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"

#define SLICES     101
#define SLICES_MAX 10000
#define SLICE_NS   5e6
#define CPU        0
#define OTHER_CPU  1
#define HELD_PAGES 2048 /* of each a line: 128 KiB */
#define PAGE       4096
#define TURNS_END  UINT32_MAX

#define WINDOW ((256 << 10) / sizeof(struct line))

static const uint64_t sizes_mib[] = { 1, 4, 16, 64, 256, 1024, 4096 };
#define SIZES (sizeof(sizes_mib) / sizeof(sizes_mib[0]))

/* okram's chain runs through the first word of each line, the others through theirs. */
enum chain { OF_OKRAM, PLAIN, WINDOWS, CHAINS };

struct line {
    void *next[64 / sizeof(void *)];
};

typedef uint64_t walk_fn(void **at, uint64_t steps);

/* Where a chain has come to, and how many loads take a slice. */
struct follower {
    walk_fn *follow;
    void *at;
    uint64_t steps;
};

/* Fisher and Yates's shuffle of the lines in each window, linked in that order to a ring. */
static void link_lines(struct line *lines, enum chain chain, uint32_t *order, uint32_t n,
                       uint32_t window)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i - (uint32_t)(drand48() * (i % window + 1));

        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        lines[order[i]].next[chain] = &lines[order[(i + 1) % n]].next[chain];
}

static uint64_t walk(void **at, uint64_t steps)
{
    void **place = *at;

    for (uint64_t left = steps; left; left--)
        place = *place;
    *at = place;
    return steps;
}

static double slice_ns(struct follower *f)
{
    uint64_t began = host_now_ns(), steps = f->follow(&f->at, f->steps);

    __asm__ volatile("" : : "r"(f->at)); /* or the compiler sees that it is unused */
    return (double)(host_now_ns() - began) / (double)steps;
}

/* A lap warms up, and shows how many loads take a slice. */
static struct follower follower_of(walk_fn *follow, void *at, uint64_t n)
{
    struct follower f = { .follow = follow, .at = at, .steps = n };
    double ns = slice_ns(&f);

    f.steps = (uint64_t)(SLICE_NS / ns);
    return f;
}

static double summary(double *x, uint32_t n, double *ret_cv)
{
    struct stats s = { 0 };

    for (uint32_t i = 0; i < n; i++)
        stats_add(&s, x[i]);
    *ret_cv = 100 * stats_stddev(&s) / s.mean;
    return host_median(x, n);
}

static void bench_size(struct line *lines, uint32_t *order, uint64_t mib, uint32_t slices)
{
    static double ns[CHAINS][SLICES_MAX], ratio[SLICES_MAX];
    uint32_t n = (uint32_t)((mib << 20) / sizeof(struct line));
    struct follower f[CHAINS];

    chase_build(lines, mib << 20, CHASE_EVERY_LINE, mib);
    link_lines(lines, PLAIN, order, n, n);
    link_lines(lines, WINDOWS, order, n, WINDOW);
    for (enum chain c = 0; c < CHAINS; c++)
        f[c] = follower_of(c == OF_OKRAM ? chase_run : walk, &lines->next[c], n);
    for (uint32_t i = 0; i < slices; i++) {
        for (uint32_t at = 0; at < CHAINS; at++) {
            enum chain c = turn_order(CHAINS, i, at);

            ns[c][i] = slice_ns(&f[c]);
        }
        ratio[i] = ns[OF_OKRAM][i] / ns[PLAIN][i];
    }
    printf("%4llu", (unsigned long long)mib);
    for (enum chain c = 0; c < CHAINS; c++) {
        double cv, median = summary(ns[c], slices, &cv);

        printf("   %8.2f %6.1f", median, cv);
    }
    printf("   %5.3f\n", host_median(ratio, slices));
    fflush(stdout);
}

/* What the other CPU is asked for: turns are even for lines that it only reads. */
struct exchange {
    void *memory;
    _Atomic uint32_t asked, held;
};

static void *hold(void *of)
{
    struct exchange *x = of;
    uint32_t turn;

    host_pin(OTHER_CPU);
    while ((turn = atomic_load(&x->asked)) != TURNS_END) {
        if (turn == atomic_load(&x->held))
            continue;
        chase_hold(x->memory, HELD_PAGES * PAGE, turn % 2);
        atomic_store(&x->held, turn);
    }
    return NULL;
}

static double read_ns(struct exchange *x)
{
    struct follower f = { chase_run, x->memory, HELD_PAGES };

    return slice_ns(&f);
}

static void bench_exchange(void *memory, uint32_t slices)
{
    static const char *const names[] = { "clean", "modified", "own" };
    double ns[3][SLICES_MAX], cv;
    struct exchange x = { .memory = memory };
    pthread_t other;

    chase_build(memory, HELD_PAGES * PAGE, CHASE_LINE_A_PAGE, 1);
    if (pthread_create(&other, NULL, hold, &x))
        host_die("pthread_create");
    for (uint32_t turn = 1; turn < 2 * slices + 2; turn++) {
        atomic_store(&x.asked, turn);
        while (atomic_load(&x.held) != turn)
            ;
        ns[turn % 2][turn / 2 % slices] = read_ns(&x);
        ns[2][turn / 2 % slices] = read_ns(&x);
    }
    atomic_store(&x.asked, TURNS_END);
    pthread_join(other, NULL);
    printf("\nlines in the caches of another CPU\n      lines         ns     cv\n");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        double median = summary(ns[i], slices, &cv);

        printf("%11s   %8.2f %6.1f\n", names[i], median, cv);
    }
}

int main(int argc, char **argv)
{
    uint32_t slices = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SLICES;
    uint64_t most = sizes_mib[SIZES - 1] << 20;
    uint64_t available = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint32_t *order = malloc(most / sizeof(struct line) * sizeof(*order));
    void *memory;

    if (argc > 2 || slices < 2 || slices > SLICES_MAX) {
        fprintf(stderr, "usage: latency_bench [slices, 2 to %d]\n", SLICES_MAX);
        return 2;
    }
    if (!order)
        host_die("malloc");
    host_pin(CPU);
    memory = host_huge_pages(most);
    host_print_load("before");
    printf("latency in ns, medians of %u\n"
           " MiB      okram     cv      plain     cv    windows     cv   ratio\n",
           slices);
    for (size_t i = 0; i < SIZES && sizes_mib[i] << 20 < available / 2; i++)
        bench_size(memory, order, sizes_mib[i], slices);
    if (sysconf(_SC_NPROCESSORS_ONLN) > OTHER_CPU)
        bench_exchange(memory, slices);
    host_print_load("after");
    free(order);
    return 0;
}

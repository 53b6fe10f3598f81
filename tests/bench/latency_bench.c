// SPDX-License-Identifier: MIT
/*
 * okram's pointer chase on this host next to another one, written independently: nodes that are
 * linked by pointers in the order of a shuffled list, and a plain loop over them. Both chains go
 * through the same lines of the same huge pages, so both find the same in the caches; they are
 * followed in short slices, by turns the one and the other first, so whatever else the machine does
 * meets both. Figures are medians of the slices in ns a load, with the coefficient of variation in
 * per cent; "ratio" is the median of the ratios of neighbours.
 *
 *   latency_bench [slices]      101 by default
 */
#include "host.h"

#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"

#define SLICES     101
#define SLICES_MAX 10000
#define SLICE_NS   5e6
#define CPU        0

static const uint64_t sizes_mib[] = { 1, 4, 16, 64, 256 };
#define SIZES (sizeof(sizes_mib) / sizeof(sizes_mib[0]))

/* A line: okram's chain runs through its first word, the other one through `next`. */
struct node {
    void *of_okram;
    struct node *next;
    char rest[64 - 2 * sizeof(void *)];
};

/* Where a chain has come to, and how many loads take a slice. */
struct follower {
    void *at;
    uint64_t steps;
};

/* Fisher and Yates's shuffle of the nodes' numbers, linked in that order and closed to a ring. */
static void link_nodes(struct node *nodes, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(drand48() * (i + 1)), number = order[i];

        order[i] = order[j];
        order[j] = number;
    }
    for (uint32_t i = 0; i < n; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % n]];
}

typedef uint64_t walk_fn(void **at, uint64_t steps);

static uint64_t walk(void **at, uint64_t steps)
{
    struct node *node = *at;

    for (uint64_t left = steps; left; left--)
        node = node->next;
    *at = node;
    return steps;
}

static double slice_ns(walk_fn *follow, struct follower *f)
{
    uint64_t began = host_now_ns(), steps = follow(&f->at, f->steps);

    __asm__ volatile("" : : "r"(f->at)); /* or the compiler sees that it is unused */
    return (double)(host_now_ns() - began) / (double)steps;
}

/* A lap warms up, and shows how many loads take a slice. */
static struct follower follower_of(walk_fn *follow, void *memory, uint64_t n)
{
    struct follower f = { .at = memory, .steps = n };
    double ns = slice_ns(follow, &f);

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

static void bench_size(void *memory, uint32_t *order, uint64_t mib, uint32_t slices)
{
    double ours[SLICES_MAX], theirs[SLICES_MAX], ratio[SLICES_MAX];
    double okram, okram_cv, plain, plain_cv;
    uint32_t n = (uint32_t)((mib << 20) / sizeof(struct node));
    struct follower a, b;

    chase_build(memory, mib << 20, CHASE_ANYWHERE, mib);
    link_nodes(memory, order, n);
    a = follower_of(chase_run, memory, n);
    b = follower_of(walk, memory, n);
    for (uint32_t i = 0; i < slices; i++) {
        if (i % 2 == 0)
            ours[i] = slice_ns(chase_run, &a);
        theirs[i] = slice_ns(walk, &b);
        if (i % 2 != 0)
            ours[i] = slice_ns(chase_run, &a);
        ratio[i] = ours[i] / theirs[i];
    }
    okram = summary(ours, slices, &okram_cv);
    plain = summary(theirs, slices, &plain_cv);
    printf("%4llu   %8.2f %6.1f   %8.2f %6.1f   %5.3f\n", (unsigned long long)mib, okram, okram_cv,
           plain, plain_cv, host_median(ratio, slices));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t slices = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SLICES;
    uint64_t most = sizes_mib[SIZES - 1] << 20;
    uint32_t *order = malloc(most / sizeof(struct node) * sizeof(*order));
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
    printf("latency in ns, medians of %u\n MiB      okram     cv      plain     cv   ratio\n",
           slices);
    for (size_t i = 0; i < SIZES; i++)
        bench_size(memory, order, sizes_mib[i], slices);
    host_print_load("after");
    free(order);
    return 0;
}

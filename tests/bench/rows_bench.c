// SPDX-License-Identifier: MIT
/*
 * The search for banks and rows by timing: on machines whose maps were published, with noise, and
 * on this host's memory, twice.
 *
 *   rows_bench [MiB of this host's memory [machines of each kind]]     4096 and 50 by default
 *
 * The noise of a line is: how far times of one kind are spread (standard deviation, in per cent of
 * what a conflict takes longer), how many of 100 are outliers, and how many say the contrary. Wrong
 * are answers with banks or rows that the machine does not have. The
 * host's own is measured: pairs of its lines are timed again and again. In a virtual machine
 * "physical" addresses are the guest's: what is found are the machine's functions only as far as
 * the host has given it memory in one piece.
 */
#include "host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "lib/gf2.h"
#include "rows/pair_latency.h"
#include "rows/row_search.h"
#include "tests/host/row_machine.h"

#define MEASUREMENTS_MAX 400000
#define NOISE_PAIRS      200
#define NOISE_TIMES      25

static struct row_memory memory;
static struct row_work work;
static struct row_result result, before;

/* --- published machines ----------------------------------------------------------------------- */

static void published(const struct row_noise *noise, unsigned n)
{
    printf("\nnoise: spread %.0f %%, outliers %.1f %%, wrong %.1f %%\n", 100 * noise->spread,
           100 * noise->outliers, 100 * noise->wrong);
    printf("%-14s %10s %10s %6s %16s\n", "machine", "banks", "rows", "wrong", "measurements");
    for (size_t i = 0; i < dram_n_maps; i++) {
        unsigned banks = 0, rows = 0, wrong = 0;
        uint64_t measurements = 0;

        for (unsigned k = 0; k < n; k++) {
            struct row_machine m = {
                .map = &dram_maps[i],
                .hole = UINT64_C(1) << 30,
                .addresses_shift = strncmp(dram_maps[i].name, "zen", 3) == 0,
                .noise = *noise,
                .random = 1000 * i + k,
            };
            struct row_question q = { .memory = &memory,
                                      .hole = m.addresses_shift ? m.hole : 0,
                                      .seed = k,
                                      .n_measurements_max = MEASUREMENTS_MAX,
                                      .latency = row_machine_latency,
                                      .ctx = &m };

            bool has_banks, has_rows;

            row_machine_memory(&m, k % 2 ? 3 : 0, &memory);
            row_search(&q, &work, &result);
            has_banks = row_machine_has_banks(&m, &result.map);
            has_rows = !result.answer && row_machine_has_rows(&m, &result.map);
            banks += has_banks;
            rows += has_rows;
            wrong += !result.answer && !(has_banks && has_rows);
            measurements += result.n_measurements;
        }
        printf("%-14s %4u of %2u %4u of %2u %6u %16" PRIu64 "\n", dram_maps[i].name, banks, n, rows,
               n, wrong, measurements / n);
    }
}

/* --- this host -------------------------------------------------------------------------------- */

struct huge_page {
    uint64_t phys;
    char *virt;
};

static struct huge_page *page;
static size_t n_pages;

static int by_phys(const void *a, const void *b)
{
    const struct huge_page *x = a, *y = b;

    return (x->phys > y->phys) - (x->phys < y->phys);
}

/* Documentation/admin-guide/mm/pagemap.rst: bits 0-54 of 8 bytes a page of 4 KiB, 63: present. */
static uint64_t phys_of(int pagemap, const char *virt)
{
    uint64_t entry = 0;

    if (pread(pagemap, &entry, sizeof(entry), (off_t)((uintptr_t)virt / PAGE_SIZE * 8)) != 8)
        return 0;
    return entry >> 63 ? (entry & ((UINT64_C(1) << 55) - 1)) * PAGE_SIZE : 0;
}

static bool is_huge(int pagemap, const char *virt, uint64_t phys)
{
    return phys && phys % HOST_HUGE_PAGE == 0 &&
           phys_of(pagemap, virt + HOST_HUGE_PAGE - PAGE_SIZE) == phys + HOST_HUGE_PAGE - PAGE_SIZE;
}

static void take_memory(uint64_t bytes)
{
    int pagemap = open("/proc/self/pagemap", O_RDONLY);
    char *virt = host_huge_pages(bytes);

    memset(virt, 1, bytes);
    page = calloc(bytes / HOST_HUGE_PAGE, sizeof(*page));
    if (!page || pagemap < 0)
        host_die("pagemap");
    for (uint64_t at = 0; at < bytes; at += HOST_HUGE_PAGE) {
        uint64_t phys = phys_of(pagemap, virt + at);

        if (is_huge(pagemap, virt + at, phys))
            page[n_pages++] = (struct huge_page){ phys, virt + at };
    }
    close(pagemap);
    qsort(page, n_pages, sizeof(*page), by_phys);
    memory = (struct row_memory){ 0 };
    for (size_t i = 0; i < n_pages; i++)
        row_memory_add(&memory, (struct span){ page[i].phys, HOST_HUGE_PAGE });
}

static const char *virt_of(uint64_t phys)
{
    struct huge_page key = { phys & ~(HOST_HUGE_PAGE - 1), NULL };
    struct huge_page *p = bsearch(&key, page, n_pages, sizeof(*page), by_phys);

    return p->virt + phys % HOST_HUGE_PAGE;
}

static uint32_t host_latency(void *ctx, uint64_t phys, uint64_t other)
{
    return pair_latency(virt_of(phys), virt_of(other));
}

/* By how much each time differs from the median of its pair. */
static void measure_deviations(double *ret)
{
    uint64_t random = 1, a[2], b[2];

    for (size_t i = 0; i < NOISE_PAIRS; i++) {
        double *taken = ret + i * NOISE_TIMES, median;

        row_memory_pair(&memory, 0, 63, 0, &random, a);
        row_memory_pair(&memory, 0, 63, 0, &random, b);
        for (size_t k = 0; k < NOISE_TIMES; k++)
            taken[k] = host_latency(NULL, a[0], b[0]);
        median = host_median(taken, NOISE_TIMES);
        for (size_t k = 0; k < NOISE_TIMES; k++)
            taken[k] -= median;
    }
}

/* What is later by more than two conflicts is an outlier; the spread is that of all others. */
static struct row_noise host_noise(void)
{
    static double deviation[NOISE_PAIRS * NOISE_TIMES];
    size_t n = NOISE_PAIRS * NOISE_TIMES, beyond = 0;
    double squares = 0, spread;

    measure_deviations(deviation);
    for (size_t i = 0; i < n; i++) {
        if (deviation[i] > 2 * ROW_MACHINE_CONFLICT)
            beyond++;
        else
            squares += deviation[i] * deviation[i];
    }
    spread = sqrt(squares / (double)(n - beyond));
    printf("times of one pair: standard deviation %.0f cycles, %.2f %% outliers\n", spread,
           100.0 * (double)beyond / (double)n);
    return (struct row_noise){ .spread = spread / ROW_MACHINE_CONFLICT,
                               .outliers = (double)beyond / (double)n };
}

static void print_map(const struct row_map *map)
{
    printf("functions:");
    for (unsigned i = 0; i < map->n_functions; i++)
        printf(" 0x%" PRIx64, map->function[i]);
    printf("\nrow 0x%" PRIx64 ", column 0x%" PRIx64 ", of address bits 0x%" PRIx64 "\n", map->row,
           map->column, map->bits);
}

static void search_host(uint64_t seed, uint64_t hole)
{
    struct row_question q = { .memory = &memory,
                              .hole = hole,
                              .seed = seed,
                              .n_measurements_max = MEASUREMENTS_MAX,
                              .latency = host_latency };
    uint64_t began = host_now_ns();

    row_search(&q, &work, &result);
    printf("\nhole 0x%" PRIx64 ", seed %" PRIu64 ": %s%s; %" PRIu64 " measurements, %.1f s\n", hole,
           seed, result.answer ? "no clear answer: " : "found", row_answer_text(result.answer),
           result.n_measurements, (double)(host_now_ns() - began) / 1e9);
    printf("cycles: fast %u, slow %u, threshold %u; predicted: slow %u, fast %u of %u\n",
           result.modes.fast, result.modes.slow, result.modes.threshold, result.slow_right,
           result.fast_right, ROW_PREDICTIONS);
    print_map(&result.map);
}

static bool is_same(const struct row_result *a, const struct row_result *b)
{
    return a->answer == b->answer && a->map.n_functions == b->map.n_functions &&
           a->map.row == b->map.row && a->map.column == b->map.column &&
           memcmp(a->map.function, b->map.function, sizeof(a->map.function)) == 0;
}

static void search_host_twice(uint64_t hole)
{
    search_host(1, hole);
    before = result;
    search_host(2, hole);
    if (before.answer && result.answer)
        printf("twice no clear answer\n");
    else
        printf("the same twice: %s\n", is_same(&before, &result) ? "yes" : "no");
}

int main(int argc, char **argv)
{
    static const struct row_noise levels[] = {
        { 0.05, 0.01, 0 }, { 0.2, 0.05, 0.05 }, { 0.2, 0.1, 0.1 }, { 0.5, 0.05, 0 }
    };
    uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 4096;
    unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 50;
    struct row_noise noise;

    for (size_t i = 0; n && i < sizeof(levels) / sizeof(levels[0]); i++)
        published(&levels[i], n);
    if (!mib)
        return 0;
    host_pin(0);
    take_memory(mib << 20);
    printf("\nthis host: %zu huge pages in %zu pieces\n", n_pages, memory.n);
    if (!n_pages) {
        printf("physical addresses are not known, or there are no huge pages: run it as root\n");
        return 0;
    }
    host_print_load("at the start");
    noise = host_noise();
    search_host_twice(0);
    if (n) {
        printf("\npublished machines with the noise of this host:\n");
        published(&noise, n);
    }
    return 0;
}

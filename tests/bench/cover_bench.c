// SPDX-License-Identifier: MIT
/*
 * The cover compared with the published methods, and with the optimum where that can be found.
 *
 *   cover_bench      all tables; exit 1 when a promise about the cover does not hold
 *
 * Figures are good pages lost with the bad ones, means over the seeds of a case.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "badram/cover.h"
#include "badram/pattern.h"
#include "lib/panic.h"
#include "tests/bench/cover_cases.h"
#include "tests/bench/cover_optimum.h"
#include "tests/bench/cover_published.h"
#include "tests/unit/badram/block_optimum.h"

#define TINY_PATTERNS 3

static struct cover_work work;
static struct cover cover;
static bool all_hold = true;

static void promise(bool holds, const char *what)
{
    printf("%s %s\n", holds ? "holds: " : "BROKEN:", what);
    all_hold = all_hold && holds;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double derive(const struct cover_machine *m, size_t max_patterns, uint64_t max_ranges)
{
    const struct cover_limits limits = { max_patterns, max_ranges, NULL };
    double began = seconds();

    ASSERT(cover_derive(&m->log, &limits, &work, &cover) == STATUS_OK);
    ASSERT(cover.n_patterns <= max_patterns);
    return seconds() - began;
}

struct lost {
    double okram, van_rein, memtest86, seconds;
};

static struct lost measure(const struct cover_machine *m, size_t max_patterns)
{
    struct pattern list[COVER_PATTERNS_MAX + 1];
    double bad = (double)fault_log_bad_pages(&m->log);
    struct lost lost;
    size_t n;

    lost.seconds = derive(m, max_patterns, COVER_RANGES_MAX);
    lost.okram = (double)cover.sacrificed_pages - bad;
    n = published_van_rein(&m->log, list, max_patterns);
    lost.van_rein = (double)cover_count_pages(list, n, &m->space) - bad;
    n = published_memtest86(&m->log, list, max_patterns);
    lost.memtest86 = (double)cover_count_pages(list, n, &m->space) - bad;
    return lost;
}

static void compare_case(const struct cover_case *c, size_t max_patterns, bool *all_better)
{
    struct lost sum = { 0 };

    for (uint64_t seed = 1; seed <= c->seeds; seed++) {
        struct cover_machine *m = cover_machine_make(c, seed);
        struct lost lost = measure(m, max_patterns);
        double least = lost.van_rein < lost.memtest86 ? lost.van_rein : lost.memtest86;

        if (lost.okram > least) {
            printf("more lost: seed %d\n", (int)seed);
            *all_better = false;
        }
        sum.okram += lost.okram / (double)c->seeds;
        sum.van_rein += lost.van_rein / (double)c->seeds;
        sum.memtest86 += lost.memtest86 / (double)c->seeds;
        if (lost.seconds > sum.seconds)
            sum.seconds = lost.seconds;
        cover_machine_free(m);
    }
    printf("%-22s %4zu %11.0f %11.0f %11.0f %8.3f\n", c->name, max_patterns, sum.okram,
           sum.van_rein, sum.memtest86, sum.seconds);
    if (strcmp(c->name, "random 60") == 0 && max_patterns == 20)
        promise(sum.okram <= 0.64 * sum.van_rein, "random 60, 20 patterns: at most 0.64 of van "
                                                  "Rein's loss");
    if (strcmp(c->name, "2-bit hash") == 0 && max_patterns == 20)
        promise(sum.okram == 0, "a column behind a 2-bit hash, 20 patterns: no good page lost");
}

static void compare(void)
{
    static const size_t max_patterns[] = { 1, 8, 10, 20, 64, 128 };
    bool all_better = true;

    printf("%-22s %4s %11s %11s %11s %8s\n", "good pages lost", "K", "okram", "van Rein",
           "memtest86+", "s");
    for (const struct cover_case *c = cover_cases; c->name; c++)
        for (size_t i = 0; i < sizeof(max_patterns) / sizeof(max_patterns[0]); i++)
            compare_case(c, max_patterns[i], &all_better);
    promise(all_better, "never more lost than by the better of the published methods");
}

static void compare_with_optimum(void)
{
    double sum = 0, most = 1;
    uint64_t n_best = 0;

    for (uint64_t seed = 1; seed <= cover_case_tiny.seeds; seed++) {
        struct cover_machine *m = cover_machine_make(&cover_case_tiny, seed);
        double bad = (double)fault_log_bad_pages(&m->log), ratio;
        uint64_t best = cover_optimum(&m->log, TINY_PATTERNS);

        derive(m, TINY_PATTERNS, COVER_RANGES_MAX);
        ASSERT(cover.sacrificed_pages >= best);
        ratio = ((double)cover.sacrificed_pages - bad) / ((double)best - bad);
        sum += ratio;
        n_best += cover.sacrificed_pages == best;
        if (ratio > most)
            most = ratio;
        cover_machine_free(m);
    }
    sum /= (double)cover_case_tiny.seeds;
    printf("\ntiny: %.3f of the optimum's loss on average, %.3f at most, %d of %d optimal\n", sum,
           most, (int)n_best, (int)cover_case_tiny.seeds);
    promise(sum <= 1.10, "11 faults, 3 patterns: at most 1.10 of the optimum's loss");
}

/* Few enough for the optimum over blocks to be found. */
#define BLOCKS_OF_MAX 1000

static size_t list_bad(const struct cover_machine *m, uint64_t *ret_page)
{
    struct page_run run;
    size_t n = 0;

    for (uint64_t index = 0; fault_log_next_run(&m->log, &index, &run);)
        for (uint64_t page = run.first; page < page_run_end(run); page++)
            ret_page[n++] = page;
    return n;
}

/*
 * Of the last cover, within these limits: is it as good as that many plain blocks? A gap of RAM
 * within one makes a range more.
 */
static bool is_best_of_blocks(const struct cover_machine *m, size_t max_patterns,
                              uint64_t max_ranges)
{
    static uint64_t bad[BLOCKS_OF_MAX];
    uint64_t n_ranges = max_ranges - (m->space.n_extents - 1);
    size_t n_blocks = max_patterns < n_ranges ? max_patterns : n_ranges;

    return fault_log_bad_pages(&m->log) > BLOCKS_OF_MAX ||
           cover.sacrificed_pages <= block_optimum(&m->space, bad, list_bad(m, bad), n_blocks);
}

/* What a limit on ranges costs. */
static void compare_ranges(void)
{
    static const uint64_t max_ranges[] = { 8, 20, 64, 110, 1000, COVER_RANGES_MAX };
    static const size_t max_patterns[] = { 10, 20, 64 };
    bool all_hold_limit = true, all_best_of_blocks = true;

    printf("\n%-22s %4s", "good pages lost", "K");
    for (size_t i = 0; i < sizeof(max_ranges) / sizeof(max_ranges[0]); i++)
        printf("    R %6d", (int)max_ranges[i]);
    printf("   max s\n");
    for (const struct cover_case *c = cover_cases; c->name; c++) {
        struct cover_machine *m = cover_machine_make(c, 1);

        for (size_t k = 0; k < sizeof(max_patterns) / sizeof(max_patterns[0]); k++) {
            double most = 0;

            printf("%-22s %4zu", c->name, max_patterns[k]);
            for (size_t i = 0; i < sizeof(max_ranges) / sizeof(max_ranges[0]); i++) {
                double took = derive(m, max_patterns[k], max_ranges[i]);

                printf(" %11d", (int)(cover.sacrificed_pages - fault_log_bad_pages(&m->log)));
                all_hold_limit = all_hold_limit && (cover.ranges <= max_ranges[i] ||
                                                    max_ranges[i] == COVER_RANGES_MAX);
                all_best_of_blocks =
                    all_best_of_blocks && is_best_of_blocks(m, max_patterns[k], max_ranges[i]);
                most = took > most ? took : most;
            }
            printf(" %7.3f\n", most);
        }
        cover_machine_free(m);
    }
    promise(all_hold_limit, "the limit on ranges is held");
    promise(all_best_of_blocks, "never more lost than by the optimum of plain blocks, of 1000 bad "
                                "pages or fewer");
}

/* On this host. QEMU's TCG takes about 8 times as long. */
static void measure_time(void)
{
    static const struct cover_case *const cases[] = { &cover_case_65536, &cover_case_million };
    static const uint64_t max_ranges[] = { 110, COVER_RANGES_MAX };

    printf("\n");
    for (size_t i = 0; i < 2; i++) {
        struct cover_machine *m = cover_machine_make(cases[i], 1);

        for (size_t k = 0; k < 2; k++) {
            double took = derive(m, 64, max_ranges[k]);

            printf("%-22s %7d bad pages, K 64, R %5d: %.3f s\n", cases[i]->name,
                   (int)fault_log_bad_pages(&m->log), (int)max_ranges[k], took);
        }
        cover_machine_free(m);
    }
}

int main(void)
{
    compare_with_optimum();
    compare();
    compare_ranges();
    measure_time();
    return !all_hold;
}

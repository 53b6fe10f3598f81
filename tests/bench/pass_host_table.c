// SPDX-License-Identifier: MIT
/* The table of pass_host_bench: a line for each test, and the pass. */
#include "host.h"
#include "pass_host.h"

#include <string.h>

/* Of the two likwid-bench runs around a pass. */
static double likwid_seconds(struct traffic t, uint32_t run)
{
    uint32_t both = t.reads < t.writes ? t.reads : t.writes;
    double gb = (double)bench.bytes / 1e9, seconds = 0;

    for (uint32_t i = run; i <= run + 1; i++)
        seconds += gb * (2 * both / likwid_gb_s[i][LIKWID_COPY] +
                         (t.reads - both) / likwid_gb_s[i][LIKWID_LOAD] +
                         (t.writes - both) / likwid_gb_s[i][LIKWID_STORE]);
    return seconds / 2;
}

/* Parts of a pass: what a line of the table is about. */
struct sum {
    uint32_t sweeps;
    double seconds[RUNS_MAX], likwid[RUNS_MAX];
};

static void sum_add(struct sum *sum, const struct part *part)
{
    sum->sweeps += part->traffic.reads + part->traffic.writes;
    for (uint32_t i = 0; i < bench.runs; i++) {
        sum->seconds[i] += part->seconds[i];
        if (bench.has_likwid)
            sum->likwid[i] += likwid_seconds(part->traffic, i);
    }
}

static void print_spread(double *x, uint32_t n, int width, int digits)
{
    char spread[64];
    double median = host_median(x, n); /* sorts */

    snprintf(spread, sizeof(spread), "(%.*f-%.*f)", digits, x[0], digits, x[n - 1]);
    printf(" %*.*f %-*s", width, digits, median, 6 + 2 * digits, spread);
}

static void print_sum(const char *indent, const char *name, struct sum *sum)
{
    double gb = (double)bench.bytes * sum->sweeps / 1e9, ratio[RUNS_MAX];

    for (uint32_t i = 0; i < bench.runs; i++)
        ratio[i] = sum->likwid[i] / sum->seconds[i];
    printf("%s%-*s %6u %9.1f", indent, 25 - (int)strlen(indent), name, sum->sweeps, gb);
    print_spread(sum->seconds, bench.runs, 7, 2);
    printf(" %6.1f", gb / host_median(sum->seconds, bench.runs));
    if (bench.has_likwid) {
        printf(" %8.2f ", host_median(sum->likwid, bench.runs));
        print_spread(ratio, bench.runs, 5, 2);
    }
    printf("\n");
}

static void print_test(size_t t, struct sum *pass)
{
    struct sum test = { 0 };

    for (size_t e = 0; e < MARCH_ELEMENTS_MAX; e++) {
        sum_add(&test, &parts[t][e]);
        sum_add(pass, &parts[t][e]);
    }
    if (!test.sweeps)
        return;
    print_sum("", bench.tests.test[t].name, &test);
    for (size_t e = 0; bench.by_element && e < MARCH_ELEMENTS_MAX; e++) {
        struct sum element = { 0 };

        sum_add(&element, &parts[t][e]);
        if (element.sweeps)
            print_sum("  ", parts[t][e].name, &element);
    }
}

static void print_likwid(void)
{
    printf("likwid-bench, GB/s:");
    for (int k = 0; k < LIKWIDS; k++) {
        double gb_s[RUNS_MAX + 1];

        for (uint32_t i = 0; i <= bench.runs; i++)
            gb_s[i] = likwid_gb_s[i][k];
        printf("%s %s", k ? "," : "", likwid_kernels[k]);
        print_spread(gb_s, bench.runs + 1, 0, 1);
    }
    printf("\n");
}

void pass_host_print(void)
{
    struct sum pass = { 0 };

    printf("\n%s over %llu MiB, %s, threads: %u; medians of %u (smallest-largest)\n", bench.words,
           (unsigned long long)bench.bytes >> 20, bench.ops->name, bench.threads, bench.runs);
    printf("%-25s %6s %9s %7s %-10s %6s%s\n", "", "sweeps", "GB", "seconds", "", "GB/s",
           bench.has_likwid ? " likwid s  efficiency" : "");
    for (size_t t = 0; t < bench.tests.n_tests; t++)
        print_test(t, &pass);
    print_sum("", "the pass", &pass);
    printf("at barriers: %.1f %% of the threads' time\n", host_median(waits_percent, bench.runs));
    if (bench.has_likwid)
        print_likwid();
    fflush(stdout);
}

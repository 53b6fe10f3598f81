// SPDX-License-Identifier: MIT
/* What the benchmarks of the bandwidth loops need of this host. */
#pragma once

#define _GNU_SOURCE

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define HOST_HUGE_PAGE (UINT64_C(2) << 20)

/* Says why, by errno, and ends. */
static inline _Noreturn void host_die(const char *why)
{
    perror(why);
    exit(2);
}

static inline uint64_t host_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline uint64_t host_tsc(void)
{
    return __builtin_ia32_rdtsc();
}

/* The time stamp counter's frequency, measured for a fifth of a second. */
static inline uint64_t host_tsc_hz(void)
{
    uint64_t began_ns = host_now_ns(), began = host_tsc(), ns;

    while ((ns = host_now_ns() - began_ns) < 200000000)
        __builtin_ia32_pause();
    return (uint64_t)((double)(host_tsc() - began) * 1e9 / (double)ns);
}

/* This thread stays on one CPU. */
static inline void host_pin(uint32_t cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        host_die("sched_setaffinity");
}

/* Memory that begins at a huge page's border and lies on huge pages, where the host gives any. */
static inline void *host_huge_pages(uint64_t bytes)
{
    char *p = mmap(NULL, bytes + HOST_HUGE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        host_die("mmap");
    p += -(uintptr_t)p % HOST_HUGE_PAGE;
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static inline int host_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of n values, 1 or more, which it sorts. */
static inline double host_median(double *x, size_t n)
{
    qsort(x, n, sizeof(*x), host_compare);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static inline bool host_has_likwid(void)
{
    return system("command -v likwid-bench >/dev/null") == 0;
}

/*
 * What a kernel of likwid-bench moves: GB/s (10^9 bytes). load_*: bytes loaded, store_*: bytes
 * stored, copy_*: both, so each element of the array that is copied counts twice. bytes: of all its
 * arrays together. 0: it said nothing. It runs without a real-time priority, even where the bench
 * has one (chrt -f): of two of its threads on one CPU one would wait for the other forever.
 */
static inline double host_likwid_gb_s(const char *kernel, uint64_t bytes, uint32_t threads,
                                      uint32_t iterations)
{
    char command[256], line[256];
    double mb_s = 0;
    FILE *out;

    snprintf(
        command, sizeof(command),
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 chrt -o 0 likwid-bench -t %s -w N:%llukB:%u -i %u 2>&1",
        kernel, (unsigned long long)bytes / 1000, threads, iterations);
    out = popen(command, "r");
    if (!out)
        host_die("popen");
    while (fgets(line, sizeof(line), out))
        sscanf(line, "MByte/s: %lf", &mb_s);
    pclose(out);
    return mb_s / 1e3;
}

/* How busy the host was with other work in the last minute: if very, figures are worth little. */
static inline void host_print_load(const char *when)
{
    double load;

    if (getloadavg(&load, 1) == 1)
        printf("load average %s: %.2f\n", when, load);
}

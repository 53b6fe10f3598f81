// SPDX-License-Identifier: MIT
/* What the benchmarks of the bandwidth loops need of this host. */
#pragma once

#define _GNU_SOURCE

#include <sched.h>
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

/* How much else the host had to do in the last minute: figures are worth little beside much. */
static inline void host_print_load(const char *when)
{
    double load;

    if (getloadavg(&load, 1) == 1)
        printf("load average %s: %.2f\n", when, load);
}

// SPDX-License-Identifier: MIT
/*
 * What the parts of pass_host_bench share: what it is to do, and what it has measured. The passes
 * are in pass_host_threads.c, the table in pass_host_table.c.
 */
#pragma once

#include "host_steps.h"

#include "sweep/engine.h"
#include "sweep/tests.h"

#define RUNS_MAX    99
#define THREADS_MAX HOST_STEPS_THREADS
#define PHYS        (UINT64_C(1) << 32) /* of the memory's first byte, as data have it */

enum likwid { LIKWID_LOAD, LIKWID_STORE, LIKWID_COPY, LIKWIDS };

/* Reads and writes of all memory. */
struct traffic {
    uint32_t reads, writes;
};

/* An element of a test in all its rounds; block move is one element. */
struct part {
    struct traffic traffic;
    char name[64];
    double seconds[RUNS_MAX];
};

struct pass_host {
    uint64_t bytes;
    uint32_t runs, threads;
    const struct line_ops *ops;
    bool has_clflushopt, has_likwid, by_element;
    const char *words;
    struct test_list tests;
    struct line *memory;
    struct pulse_schedule pulses; /* of tests in pulses */
};

extern struct pass_host bench;
extern struct part parts[TEST_LIST_MAX][MARCH_ELEMENTS_MAX];
extern double likwid_gb_s[RUNS_MAX + 1][LIKWIDS]; /* before run i, and after the last */
extern double waits_percent[RUNS_MAX];            /* of all threads, at barriers */
extern const char *const likwid_kernels[LIKWIDS];

/* Says why there is no figure, and exits with 2. */
_Noreturn void pass_host_fail(const char *why);

struct sweep pass_host_sweep(const struct line_ops *ops);
struct slice pass_host_slice(struct span s);

/* A pass by all threads: fills parts' seconds of this run, and waits_percent. */
void pass_host_run(uint32_t run, uint64_t bytes_wanted);

/* What all runs have measured. */
void pass_host_print(void);

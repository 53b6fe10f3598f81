// SPDX-License-Identifier: MIT
/*
 * All CPUs working on one thing: the boot CPU says what, every chosen CPU does it, and the boot CPU
 * goes on when all are done. CPUs without work halt.
 *
 * A CPU that fails, or that hangs, is lost: it is expelled (arch/smp.h), named in a warning, and
 * gets no work ever again. What it had to do stays undone, and nobody can tell how much: the others
 * break off the work at hand.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/percpu.h"

typedef void (*cpu_pool_work)(void *ctx, uint32_t cpu);

/* An exception that has ended a CPU's work. */
struct cpu_failure {
    uint64_t vector, rip, address; /* address: CR2 */
};

/* Says for the warning, in words that follow "exception N at rip 0x...,", what it is due to. */
typedef const char *(*cpu_pool_explain)(uint32_t cpu, const struct cpu_failure *failure);

/*
 * cpus[0 .. n_cpus - 1] by number. On the boot CPU idle is called repeatedly while it waits for the
 * others, and explain when one of them has failed.
 */
void cpu_pool_init(struct percpu **cpus, uint32_t n_cpus, void (*idle)(void),
                   cpu_pool_explain explain);

/* What the other CPUs do from their start on (arch/smp.h); does not return. */
void cpu_pool_serve(struct percpu *cpu);

/*
 * Runs work(ctx, number) on each of the n online CPUs listed that are not lost, and returns when
 * all have returned. The work takes seconds at most, from barrier to barrier: a CPU that takes
 * CPU_POOL_STEP_US, and does not wait at one, hangs and is lost.
 */
void cpu_pool_run(const uint32_t *numbers, uint32_t n, cpu_pool_work work, void *ctx);

/*
 * The same for work that may take any time, but calls cpu_pool_beat more often than once a second:
 * a CPU that has not done so for CPU_POOL_HANG_US hangs.
 */
void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, cpu_pool_work work, void *ctx);

/* Much longer than any slice takes, in an emulator that others keep waiting, too. */
#define CPU_POOL_HANG_US UINT64_C(10000000)

/* Much longer than any step of a measurement takes, in memory that is not cached, too. */
#define CPU_POOL_STEP_US UINT64_C(60000000)

/*
 * Within work: returns when all CPUs of this cpu_pool_run have called it as often, or the work is
 * broken off. Every one of them must call it equally often. A CPU that waits long halts meanwhile.
 */
void cpu_pool_barrier(uint32_t cpu);

/*
 * Within work, after each slice: the CPU is alive, and looks after its machine-check banks. One
 * that was given up as lost meanwhile does not return.
 */
void cpu_pool_beat(uint32_t cpu);

/*
 * Within work, in a loop that ends by what other CPUs do: a beat, as this CPU does not hang, and
 * the boot CPU looks after the others, as one of them may. Cheap.
 */
void cpu_pool_wait(uint32_t cpu);

/* Boot CPU, within long work of its own: what it does, from time to time, while it waits. */
void cpu_pool_poll(void);

/*
 * Within work: whether a CPU was lost, and all others are to return as soon as they can. From then
 * on it holds of all work, until cpu_pool_mend.
 */
bool cpu_pool_is_broken_off(void);

/* Boot CPU: whether CPUs were lost since the last cpu_pool_mend. */
bool cpu_pool_must_mend(void);

/* Boot CPU: what comes next is planned without the CPUs that are lost. */
void cpu_pool_mend(void);

/* Boot CPU: whether a CPU is lost; how many are. */
bool cpu_pool_has_lost(uint32_t cpu);
uint32_t cpu_pool_count_lost(void);

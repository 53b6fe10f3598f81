// SPDX-License-Identifier: MIT
/*
 * All CPUs do the same work: the boot CPU gives it, every chosen CPU does it, and the boot CPU goes
 * on when all are done. CPUs without work halt.
 *
 * A CPU that raises an exception or makes no progress is lost: it is expelled (smp_expel,
 * cpus/smp.h), reported in a warning, and gets no more work. Its work stays undone, and it is
 * unknown how much of it: the others abort the current work.
 *
 * States of a CPU. The boot CPU makes the transitions marked *, while it waits for the end of the
 * work:
 *
 *     idle ---- work is given ---> working ---- returns ---> idle
 *       |                           |   |
 *       | exception       exception |   | silent for longer than the work allows *
 *       v                           v   |
 *     failed, idle               failed |
 *       |                           |   |
 *       +---------- * --> lost <-- *+---+
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/percpu.h"

typedef void (*cpu_pool_work)(void *ctx, uint32_t cpu);

/* What the boot CPU does every few milliseconds within a long wait; cheap when nothing is due. */
struct cpu_poll {
    void (*due)(void *ctx);
    void *ctx;
};

static inline void cpu_poll(const struct cpu_poll *poll)
{
    poll->due(poll->ctx);
}

/* What CPUs do: work(ctx, number) on each. */
struct cpu_pool_job {
    cpu_pool_work work;
    void *ctx;
    const struct cpu_poll *poll; /* the boot CPU's while it waits for the others; NULL: nothing */
};

/* An exception that has ended a CPU's work. */
struct cpu_failure {
    uint64_t vector, rip, address; /* address: CR2 */
    bool is_flipped;               /* an address was wrong in one bit (kind_cpu_is_flipped) */
};

/* The cause, for the warning, in words that follow "exception N at rip 0x...,". */
typedef const char *(*cpu_pool_explain)(uint32_t cpu, const struct cpu_failure *failure);

/* cpus: n_cpus of them, by number. The boot CPU calls explain when one of them has failed. */
void cpu_pool_init(struct percpu **cpus, uint32_t n_cpus, cpu_pool_explain explain);

/* What the other CPUs do from their start (cpus/smp.h); does not return. */
void cpu_pool_serve(struct percpu *cpu);

/*
 * Has each of the n online CPUs listed that are not lost do the job, and returns when all have
 * returned. The work takes seconds at most, from barrier to barrier: a CPU that takes
 * CPU_POOL_STEP_US without waiting at a barrier is lost.
 */
void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job);

/*
 * Like cpu_pool_run, for work that may take any time, but calls cpu_pool_heartbeat more often than
 * once a second: a CPU that has not done so for CPU_POOL_HANG_US is lost.
 */
void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job);

/*
 * Has a CPU that is not the boot CPU do work of its own, while the others get other work: until it
 * has returned it must not be listed for cpu_pool_run. One CPU at a time. A CPU that has not called
 * cpu_pool_heartbeat for hang_us is lost.
 */
void cpu_pool_detach(uint32_t cpu, uint64_t hang_us, cpu_pool_work work, void *ctx);

/* Boot CPU: the CPU that does such work; 0: none. */
uint32_t cpu_pool_detached(void);

/* Much longer than any slice takes, even in an emulator that other programs keep waiting. */
#define CPU_POOL_HANG_US UINT64_C(10000000)

/* Much longer than any step of a measurement takes, even in memory that is not cached. */
#define CPU_POOL_STEP_US UINT64_C(60000000)

/*
 * Within work: returns when all CPUs of this cpu_pool_run have called it as often, or the work is
 * aborted. Each of them must call it equally often. A CPU that waits long halts meanwhile.
 */
void cpu_pool_barrier(uint32_t cpu);

/*
 * Like cpu_pool_run_watched, for work in steps that a CPU may do for others of its group: 16 CPUs
 * at most, all of one node. Each CPU has `parts` parts, and each part has steps, counted from 0. No
 * CPU does a step that is BARRIER_AHEAD_MAX or more beyond the first that is not done for all.
 */
void cpu_pool_run_steps(const uint32_t *numbers, uint32_t n, uint32_t parts,
                        struct cpu_pool_job job);

/*
 * Counts a step of a part of the CPU `of` as done; all earlier steps of the part have been counted.
 * True: it was the last to be counted, and the caller must release those that wait for it.
 */
bool cpu_pool_count_step(uint32_t of, uint32_t step);
void cpu_pool_release_step(uint32_t cpu, uint32_t step);

/* The number of steps that are done for all. */
uint32_t cpu_pool_steps_done(uint32_t cpu);

/* Returns when the step is done for all, or the work is aborted. */
void cpu_pool_wait_step(uint32_t cpu, uint32_t step);

/*
 * Boot CPU: from now on CPUs are held at cpu_pool_pass, or no longer. Meanwhile they halt, and the
 * boot CPU polls: that poll ends it.
 */
void cpu_pool_hold(bool is_held);

/* Within work, between two slices: returns when CPUs are not held, or the work is aborted. */
void cpu_pool_pass(uint32_t cpu);

/* The next CPU of the group, in a ring. */
uint32_t cpu_pool_next_of_group(uint32_t cpu);

/*
 * Within work, after each slice: notes that the CPU makes progress, and polls its machine-check
 * banks. Does not return on a CPU that was lost meanwhile.
 */
void cpu_pool_heartbeat(uint32_t cpu);

/*
 * Within work, in a loop that waits for other CPUs: a heartbeat, and the boot CPU watches the
 * others. Cheap.
 */
void cpu_pool_wait(uint32_t cpu);

/*
 * Within work: whether a CPU was lost, and all others must return as soon as they can. From then on
 * it is true in all work, until cpu_pool_acknowledge_lost.
 */
bool cpu_pool_is_aborted(void);

/* In a panic: the boot CPU's exception; NULL: it is not the reason. */
const struct cpu_failure *cpu_pool_boot_failure(void);

/* Boot CPU: whether CPUs were lost since the last cpu_pool_acknowledge_lost. */
bool cpu_pool_has_new_losses(void);

/* Boot CPU: the next work is shared out without the CPUs that are lost. */
void cpu_pool_acknowledge_lost(void);

/* Boot CPU: whether a CPU is lost; the number of lost CPUs. */
bool cpu_pool_has_lost(uint32_t cpu);
uint32_t cpu_pool_count_lost(void);

/* Short work in chunks (chunks.c): so many at most, and for so many it is worth waking a CPU. */
#define CHUNKS_MAX  256
#define CHUNKS_EACH 4

typedef void (*chunks_work)(void *ctx, uint32_t chunk);

/*
 * Has work done on chunks 0 to n - 1, of CHUNKS_MAX at most, by as many of the n_cpus online CPUs
 * listed as are worth waking, the boot CPU first, and returns when all are done. If none is listed
 * the boot CPU is alone. Boot CPU, while all others are idle. The boot CPU repeats what a lost CPU
 * has not finished.
 */
void chunks_run(const uint32_t *cpus, uint32_t n_cpus, uint32_t n, chunks_work work, void *ctx);

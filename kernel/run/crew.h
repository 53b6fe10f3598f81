/*
 * All CPUs working on one thing: the boot CPU says what, every chosen CPU does it, and the boot CPU
 * goes on when all are done. CPUs without work halt.
 */
#pragma once

#include <stdint.h>

#include "arch/percpu.h"

typedef void (*crew_work)(void *ctx, uint32_t cpu);

/*
 * cpus[0 .. n_cpus - 1] by number; idle is called on the boot CPU, again and again, while it waits
 * for the others.
 */
void crew_init(struct percpu **cpus, uint32_t n_cpus, void (*idle)(void));

/* What the other CPUs do from their start on (arch/smp.h); does not return. */
void crew_serve(struct percpu *cpu);

/* Runs work(ctx, number) on each of the n online CPUs listed, and returns when all have returned.
 */
void crew_run(const uint32_t *numbers, uint32_t n, crew_work work, void *ctx);

/*
 * Within work: returns when all CPUs of this crew_run have called it as often. Every one of them
 * must call it equally often. A CPU that waits long halts meanwhile.
 */
void crew_barrier(uint32_t cpu);

// SPDX-License-Identifier: MIT
/*
 * What a run learns of its CPUs, so that it can say whether faults are of memory or of one of them
 * (kind/kind_cpu.h): what each has read and written, how it does in checks of itself, what machine
 * checks it reports, and whether others read the same. Boot CPU only, with the exceptions named.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpus/cpu_pool.h"
#include "kind/kind_cpu.h"
#include "lib/span.h"
#include "mce/mca_decode.h"
#include "plan/plan.h"
#include "sweep/data.h"

/*
 * Just after the start of the CPUs: takes memory of the arena, and has each check itself. One that
 * computes wrong is left out of machine.online, and a warning says so; the boot CPU stays.
 */
void cpu_evidence_start(void);

/* Before the first test. cpus: by cpus=. */
void cpu_evidence_begin(const struct plan *plan, const struct id_set *cpus);

/* All other CPUs idle: each checks itself again; a warning names one that fails for the first
 * time. */
void cpu_evidence_check(void);

/* A cpu_pool_explain: those in okram's intact code by a wrong bit are evidence. */
const char *cpu_evidence_explain(uint32_t cpu, const struct cpu_failure *failure);

/*
 * In a panic, on the CPU that panics, at any time: checks it many times. Appends what has failed;
 * true: something has.
 */
bool cpu_evidence_examine(uint32_t cpu, struct fmt_buffer *text);

/* In a panic: the boot CPU has raised an exception in intact code, is_flipped: by a wrong bit. */
void cpu_evidence_panic(bool is_flipped);

/* Those of a core itself count. */
void cpu_evidence_machine_check(const struct mca_record *record);

/*
 * Any CPU, after each slice that it has swept with n_ops operations: counts it, and reads a word
 * for another CPU that waits for that.
 */
void cpu_evidence_swept(uint32_t cpu, struct span slice, uint32_t n_ops, bool writes);

/* Any CPU: which one wrote to that part of memory last; `cpu` if none has. */
uint16_t cpu_evidence_writer(uint64_t phys, uint32_t cpu);

/* Any CPU: a line read from DRAM. */
struct line cpu_evidence_read_line(uint64_t phys);

/*
 * Any CPU that has read a word wrong: it reads it again, and then one of another core, both after
 * a flush. Waits for that for 20 ms at most, and half a second in a run.
 */
enum fault_again cpu_evidence_read_again(uint32_t cpu, const struct fault *fault);

/* Two CPUs of other cores than that one's, as far as there are any; else the same or that one. */
void cpu_evidence_others(uint32_t cpu, uint32_t nth, uint32_t ret_cpu[2]);

/* Of machine.n_cpus. */
const struct kind_cpu *cpu_evidence_of(uint32_t cpu);

/* What each CPU has done is filled in; all else of `in` is the caller's. */
void cpu_evidence_find(struct kind_cpu_input *in, struct kind_cause_verdict *ret);

// SPDX-License-Identifier: MIT
/*
 * Whether the faults are of memory or of one CPU: its caches, its units, its way to memory. Faults
 * of memory come whichever CPU reads; those of a CPU come wherever it reads or writes.
 *
 * Bayes' rule over four causes: faults anywhere in memory, in one part of it (a row, a few cells),
 * of one core, or of memory and a core. The evidence: which CPU read a wrong word and which one
 * wrote it, over all that each has read and written there; bad pages tested again by several CPUs;
 * lines read again at once; each CPU's checks of itself; machine checks; exceptions that okram's
 * code cannot raise; whether they keep to a place on the board (kind/kind_spread.h). Pages that
 * were found bad in one test, pass and part of memory count once: one event may touch many. A
 * core's threads are one CPU here, because they share its caches and units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind/kind_spread.h"
#include "lib/fmt.h"
#include "lib/span.h"
#include "log/log_records.h"
#include "sweep/page_retest.h"

#define KIND_CPU_ZONES  KIND_SPREAD_ZONES /* equal parts of the addresses of memory */
#define KIND_CPU_ABSENT UINT32_MAX

/* One for each CPU, by its number. */
struct kind_cpu {
    uint32_t core;                  /* a number that its threads share, or KIND_CPU_ABSENT */
    bool is_left_out;               /* of the run, because it failed its own check at the start */
    bool is_unused;                 /* by cpus=: its own checks say nothing of the run */
    uint64_t bytes[KIND_CPU_ZONES]; /* that it has read and written in each part */
    uint32_t checks, failed;        /* of itself, and those that failed */
    uint64_t errors;                /* machine checks of its own, not of memory */
    uint32_t exceptions;            /* by a wrong bit, see kind_cpu_is_flipped */
};

struct kind_cpu_input {
    const struct kind_cpu *cpu;
    size_t n_cpus;
    uint64_t zone_bytes;
    const struct fault *record; /* the first faults; one each of other pages */
    size_t n_records;
    const struct fault *sample;
    size_t n_sample;
    const struct page_retest *retest;
    size_t n_retests;
    uint64_t ecc_errors; /* of memory, as ECC reports them */
    double own_part;     /* of all memory: what okram itself is in; 0: not known */
    struct kind_board board;
};

enum kind_cause {
    KIND_CAUSE_OPEN, /* undecided */
    KIND_CAUSE_MEMORY,
    KIND_CAUSE_CPU,
    KIND_CAUSE_BOTH,
    KIND_CAUSES,
};

#define KIND_CAUSE_SIZE 200

struct kind_cause_verdict {
    bool is_known; /* false: no CPU failed its own check, and there is only one core, or neither a
                      fault read by a test nor an exception */
    enum kind_cause cause;
    uint32_t cpu, core;             /* the one that is meant, or is the most suspect one */
    unsigned percent;               /* how likely the cause is; KIND_CAUSE_OPEN: a fault of a CPU */
    char evidence[KIND_CAUSE_SIZE]; /* in a line, without a full stop */
};

#define KIND_CPU_EVENTS 128

struct kind_cpu_event {
    uint64_t page;
    struct kind_spread_word word; /* the first that was wrong */
    uint32_t zone, test, pass;
    uint32_t reader, writer;          /* cores */
    bool has_reader;                  /* else the page was only tested again */
    bool is_shared;                   /* another core found the page bad, too */
    bool was_right;                   /* another CPU read it right when its reader still did not */
    const struct page_retest *retest; /* NULL: it was not */
};

/*
 * Of the address by which code that is intact has raised an exception: whether it is outside of
 * okram's memory, and within it but for one of its bits 32 to 63. An error in code hardly makes
 * such an address; a CPU that loads or computes wrong does, and so does a faulty cell.
 */
bool kind_cpu_is_flipped(uint64_t address, const struct span *own, size_t n);

/* Some 16 KiB: place it statically. */
struct kind_cpu_work {
    struct kind_cpu_event event[KIND_CPU_EVENTS];
    size_t n;
    struct kind_spread_word word[KIND_CPU_EVENTS]; /* of those with a reader */
    size_t n_words;
    struct kind_spread spread;
};

void kind_cpu_find(struct kind_cpu_work *work, const struct kind_cpu_input *input,
                   struct kind_cause_verdict *ret);

/* Whether a CPU is at fault, alone or with memory. */
static inline bool kind_cause_is_cpu(const struct kind_cause_verdict *v)
{
    return v->is_known && (v->cause == KIND_CAUSE_CPU || v->cause == KIND_CAUSE_BOTH);
}

/* "points to CPU 3 (core 1), 99 %"; "memory and CPU 3 (core 1), 95 %"; "memory, no CPU, 99 %";
 * "memory or CPU 3 (core 1): undecided". */
void kind_cause_append(const struct kind_cause_verdict *v, struct fmt_buffer *out);

/* As in JSON lines: "open", "memory", "cpu", "both". */
const char *kind_cause_word(enum kind_cause cause);

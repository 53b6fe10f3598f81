// SPDX-License-Identifier: MIT
/*
 * Line operations: reads and writes of runs of 64-byte lines that reach DRAM, one table of
 * functions per instruction set.
 *
 * How they reach it (sections of the Intel SDM; AMD's APM volume 2, 7.4 and 7.5 agree):
 * - A write stores all 64 bytes of a line non-temporally. The processor evicts the line from its
 *   caches if it is there, collects the stores in a write-combining buffer and sends them to memory
 *   as one transfer (Vol. 1, 10.4.6.2; Vol. 3, "Methods of Caching Available", WC). After it, the
 *   line is in no cache.
 * - A read leaves the line in the caches, so a read after a read needs the line flushed in between.
 *   CLFLUSHOPT and CLFLUSH are not ordered with loads, only with fences and with older stores to
 *   the line (Vol. 2, CLFLUSHOPT): older loads must be done before, hence a fence, and the flush
 *   must be done before the next load, hence MFENCE.
 * - A read right after a write of the line could be answered by the store buffer, and a write right
 *   after a write could be combined with it: an MFENCE between them drains the buffers (Vol. 3,
 *   "Store Buffer" and "Buffering of Write Combining Memory Locations").
 * - Across elements the fence is the one that ends each run, and the caller's barrier.
 *
 * So what an operation needs follows from the operation that its line had before, and the march
 * parser decides it once per operation (enum march_before): after a write nothing, or a fence in
 * the same element; a read after a read, a flush; a write after a read, nothing.
 *
 * Elements that only read prefetch within their run: all of that comes from DRAM after the last
 * write, too.
 *
 * "DRAM" is the memory controller here: what it does then no instruction controls. Hardware
 * prefetchers may fetch a line a little before its turn, and the controller may reorder its queue,
 * among neighbouring lines. It may also merge writes of a line that is in the queue, and answer
 * reads from there: only the distance of a line's operations (sweep/line_pipeline.h) prevents that.
 * A memory-side cache (cpudata/cache_info.h) is larger than any such distance within an element.
 *
 * A mismatch is reported with what was read: the registers that were compared, never memory read
 * again. The line's other operations and the other lines then go on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/data.h"
#include "sweep/march.h"

/* Lines in the order in which they are worked on. */
struct line_run {
    struct line *first;
    uint64_t phys; /* of first */
    uint64_t n_lines;
    bool down; /* each line is below the one before */
};

/*
 * Several operations on each line. The run is cut into n_lanes equal lanes (n_lines is a multiple),
 * and its order is: the first line of each lane, the second of each, and so on; as many lanes as
 * lines are the lines one after the other. early: the lines that each lane is ahead of the one
 * before it; it takes part as if that one had lines before its first.
 * Lines that are window or more apart in this order are in order: one has all its operations before
 * the other has its first. Closer ones are under way at the same time, so that they share the waits
 * for DRAM (sweep/line_pipeline.h). With a window of 1, or too narrow a one for the number of
 * operations, they have their turns one after the other.
 */
struct line_sequence {
    const struct march_op *op;
    uint32_t n_ops;
    uint64_t n_lanes, window;
    uint32_t early;
    bool has_clflushopt;
};

struct line_faults {
    /* Receives one call for each 64-bit word that was read wrong. */
    void (*report)(void *ctx, uint64_t phys, uint64_t expected, uint64_t found);
    void *ctx;
    /* NULL, or called first for each line that was read wrong, with found ^ expected; complement:
     * that of the data was expected. True: the line is done; do not report its words. */
    bool (*on_bad_line)(void *ctx, uint64_t phys, bool complement, const struct line *diff);
};

#define LINE_OPS_LANES 4
#define LINE_OPS_TURN  16

/*
 * The functions of one instruction set. complement (and read_, write_complement): the complement of
 * data is meant. Stores are weakly ordered: the caller ends a run with line_ops_fence(). verify and
 * verify_write expect lines that are in no cache: see line_ops_flush().
 */
struct line_ops {
    const char *name;
    void (*fill)(const struct line_run *run, const struct data *data, bool complement);
    void (*verify)(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults);
    /*
     * Reads, then writes each line before it goes on to the next. If n_lines is a multiple of
     * LINE_OPS_LANES * LINE_OPS_TURN, the run is cut into LINE_OPS_LANES equal lanes, which take
     * turns of LINE_OPS_TURN lines each; else lines follow each other. Memory is faster at more
     * than one place, and with enough lines in a row hardware prefetches them.
     */
    void (*verify_write)(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults);
    /* Any operations. The lines may be in a cache: op[0].before is obeyed, too. */
    void (*sequence)(const struct line_run *run, const struct data *data,
                     const struct line_sequence *sequence, const struct line_faults *faults);
    /* Computes with the words of n lines as data are computed, and stores them, in the caches:
     * each w becomes low half * high half ^ w with its halves exchanged (sweep/unit_check.h). */
    void (*mix)(struct line *lines, size_t n);
};

/* What a CPU has (CPUID, and for vectors enabled in XCR0). */
struct line_features {
    bool avx512; /* AVX-512F: 64-byte vectors */
    bool avx2;
    bool clflushopt;
};

/* What both have. */
struct line_features line_features_both(struct line_features a, struct line_features b);

extern const struct line_ops line_ops_scalar, line_ops_sse2, line_ops_avx2, line_ops_avx512;

#define LINE_OPS_MAX 4

/* The tables that the CPU can run, widest vectors first. Returns how many: at least two. */
size_t line_ops_list(struct line_features features, const struct line_ops *ret_ops[LINE_OPS_MAX]);

/* The table of that name ("scalar", "sse2", "avx2", "avx512"), the widest when name is NULL or
 * empty; NULL when there is none of that name or the CPU cannot run it. */
const struct line_ops *line_ops_choose(struct line_features features, const char *name);

/* Takes the run's lines out of all caches; done when it returns. */
void line_ops_flush(const struct line_run *run, bool has_clflushopt);

/* Ends a run: its stores are on their way to memory before anything later. */
static inline void line_ops_fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

/* All older loads have their data before anything later. */
static inline void line_ops_wait_for_loads(void)
{
    __asm__ volatile("lfence" : : : "memory");
}

/* For the tables' own use: reports every word of the line at phys whose diff (found ^ expected) is
 * not zero. Lines without one are not wrong: the loops hand over groups of lines. */
void line_ops_report(const struct line_faults *faults, const struct data *data, uint64_t phys,
                     bool complement, const struct line *diff);

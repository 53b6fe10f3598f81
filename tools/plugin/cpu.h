// SPDX-License-Identifier: MIT
/*
 * CPUs that go wrong, while memory is sound: what one loads, stores or computes with vectors, or
 * what its cache holds.
 *
 * A plugin is called after an access, so the next one is spoilt: CPUs read lines word after word,
 * and the word after the one just loaded is wrong in memory until it has been loaded, or until
 * another access shows that it will not be. Another CPU that reads the line just then sees that,
 * too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_LINE 64

enum cpu_fault_kind {
    CPU_LOAD,   /* a bit of a word is loaded wrong */
    CPU_STORE,  /* a bit of a word is stored wrong */
    CPU_VECTOR, /* the same, always the same bit of a vector's upper half; vectors alone */
    CPU_CACHE,  /* a line is kept as it was once read, and read like that one time more */
};

#define CPU_STALE 64 /* lines that a cache keeps */

struct cpu_fault {
    enum cpu_fault_kind kind;
    unsigned vcpu;
    uint64_t one_in;       /* of its accesses, at random */
    uint64_t random, left; /* until the next; cpu.c's own, as all that follows */
    struct {
        uint8_t *line;
        uint64_t vaddr;
        uint8_t bytes[CPU_LINE];
    } stale[CPU_STALE];
    size_t next_stale;
    uint8_t *spoilt; /* a line that is not as it should be; NULL: none is */
    uint64_t spoilt_vaddr;
    uint8_t right[CPU_LINE];
    unsigned from, to; /* of its bytes */
};

#define CPU_FAULTS_MAX 4

struct cpu_faults {
    struct cpu_fault fault[CPU_FAULTS_MAX];
    size_t n;
};

struct cpu_access {
    uint64_t vaddr;
    unsigned size; /* within a line */
    bool is_store, is_vector;
};

/* Call before the first access. */
void cpu_fault_begin(struct cpu_fault *fault);

/*
 * After each access of that CPU. find: where the line of the access is; NULL: not in RAM. It is
 * only called if the fault is to show.
 */
void cpu_fault_after(struct cpu_fault *fault, const struct cpu_access *access,
                     uint8_t *(*find)(void *ctx, uint64_t vaddr), void *ctx);

/* Whether an instruction loads or stores vectors, by its first bytes in 64-bit mode. */
bool cpu_insn_is_vector(const uint8_t *bytes, size_t n);

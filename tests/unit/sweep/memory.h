// SPDX-License-Identifier: MIT
/*
 * For the tests of line operations: memory whose ends cannot be overrun unseen, made-up faults in
 * it, and a record of what was reported.
 */
#pragma once

#include <sys/mman.h>

#include "lib/splitmix.h"
#include "sweep/engine.h"
#include "tests/unit/unit.h"

#define MEMORY_LINES   UINT64_C(1088)        /* seventeen pages */
#define MEMORY_PHYS    UINT64_C(0x1fffff000) /* crosses 8 GiB */
#define MEMORY_REPORTS (MEMORY_LINES * 8)

struct memory {
    struct line *line; /* MEMORY_LINES of them; the pages before and after are not memory */
    uint64_t phys;     /* of line[0] */
};

static inline struct memory memory_make(void)
{
    size_t bytes = MEMORY_LINES * sizeof(struct line), guard = 4096;
    char *p = mmap(NULL, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + guard, bytes, PROT_READ | PROT_WRITE), 0);
    return (struct memory){ .line = (struct line *)(p + guard), .phys = MEMORY_PHYS };
}

static inline void memory_free(struct memory m)
{
    munmap((char *)m.line - 4096, MEMORY_LINES * sizeof(struct line) + 2 * 4096);
}

/* What no test writes. */
static inline void memory_spoil(struct memory m)
{
    memset(m.line, 0xa7, MEMORY_LINES * sizeof(struct line));
}

static inline uint64_t memory_expected(const struct data *d, bool complement, uint64_t phys)
{
    return data_word(d, phys) ^ (complement ? UINT64_MAX : 0);
}

/* Lines [first, first + n) hold the data, all others what memory_spoil left. */
static inline void memory_check(struct memory m, uint64_t first, uint64_t n, const struct data *d,
                                bool complement)
{
    for (uint64_t i = 0; i < MEMORY_LINES * 8; i++) {
        bool inside = i / 8 - first < n;
        uint64_t expected = memory_expected(d, complement, m.phys + i * 8);

        assert_int_equal(m.line[i / 8].word[i % 8], inside ? expected : 0xa7a7a7a7a7a7a7a7);
    }
}

static inline void memory_set(struct memory m, uint64_t first, uint64_t n, const struct data *d,
                              bool complement)
{
    for (uint64_t i = first * 8; i < (first + n) * 8; i++)
        m.line[i / 8].word[i % 8] = memory_expected(d, complement, m.phys + i * 8);
}

struct report {
    uint64_t phys, expected, found;
};

struct reports {
    size_t n;
    struct report report[MEMORY_REPORTS];
};

static inline void reports_add(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct reports *r = ctx;

    assert_true(r->n < MEMORY_REPORTS);
    r->report[r->n++] = (struct report){ phys, expected, found };
}

static inline void reports_equal(const struct reports *a, const struct reports *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->report, b->report, a->n * sizeof(a->report[0]));
}

static inline int report_compare(const void *a, const void *b)
{
    uint64_t x = ((const struct report *)a)->phys, y = ((const struct report *)b)->phys;

    return (x > y) - (x < y);
}

/* By address: for what is done in lanes. */
static inline void reports_sort(struct reports *r)
{
    qsort(r->report, r->n, sizeof(r->report[0]), report_compare);
}

/* All data that loops are made for: equal words, unequal words, addresses, toggles, random. */
static inline struct data memory_data(size_t i)
{
    switch (i) {
    case 0: return data_background(0);
    case 1: return data_background(3);
    case 2: return data_background(8);
    case 3: return data_address(UINT64_C(0xfedcba9876543210));
    case 4: return data_make(DATA_TOGGLES, 0, 5);
    default: return data_random(UINT64_C(0x0123456789abcdef));
    }
}

#define MEMORY_DATA 6

static inline size_t memory_tables(const struct line_ops *ret_ops[LINE_OPS_MAX])
{
    return line_ops_list((struct line_features){ .avx512 = __builtin_cpu_supports("avx512f"),
                                                 .avx2 = __builtin_cpu_supports("avx2") },
                         ret_ops);
}

/* A run over lines [first, first + n). */
static inline struct line_run memory_run(struct memory m, uint64_t first, uint64_t n, bool down)
{
    uint64_t start = down && n ? first + n - 1 : first;

    return (struct line_run){
        .first = m.line + start,
        .phys = m.phys + start * sizeof(struct line),
        .n_lines = n,
        .down = down,
    };
}

static inline uint64_t memory_chance(uint64_t *state)
{
    return splitmix_next(state);
}

/* Flips bits in lines [first, first + n), one in every `rarity` words on average; the reports that
 * they must cause, in the order of the direction, words of a line always upward. */
static inline void memory_flip(struct memory m, uint64_t first, uint64_t n, bool down,
                               const struct data *d, bool complement, unsigned rarity,
                               uint64_t *prng, struct reports *ret_reports)
{
    ret_reports->n = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t l = down ? first + n - 1 - k : first + k;

        for (uint64_t i = 0; i < 8; i++) {
            uint64_t phys = m.phys + l * sizeof(struct line) + i * 8;
            uint64_t expected = memory_expected(d, complement, phys);

            if (memory_chance(prng) % rarity)
                continue;
            m.line[l].word[i] ^= UINT64_C(1) << memory_chance(prng) % 64;
            reports_add(ret_reports, phys, expected, m.line[l].word[i]);
        }
    }
}

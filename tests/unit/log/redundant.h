// SPDX-License-Identifier: MIT
/*
 * A fault log in three copies that a test can damage, and what the log ought to hold. They lie,
 * as far as the log knows, at LOG_PHYS in the RAM that it is about.
 */
#pragma once

#include "badram/machine.h"
#include "tests/host/add_fault.h"

#define LOG_PHYS     UINT64_C(0x10000000)
#define REPORTED_MAX 4096

/* Damage may have gone by being written over. */
#define MAY_BE 2

struct redundant {
    struct machine m;
    uint8_t *memory; /* the copies, one after the other, page-aligned */
    size_t bytes;    /* of a copy */
    uint8_t *copy[LOG_COPIES];
    uint8_t *truth; /* a byte a page index: 1: it was logged; MAY_BE: the log itself is damaged */
    uint64_t faults;
};

/* What the log reported, of the last redundant_make. */
static struct fault_log_damage reported[REPORTED_MAX];
static size_t n_reported;
static uint8_t *told_memory;
static void (*when_repaired)(void);

static inline uint64_t redundant_phys_of(const void *at)
{
    if (when_repaired)
        when_repaired();
    return LOG_PHYS + (uint64_t)((const uint8_t *)at - told_memory);
}

static inline void redundant_told(const struct fault_log_damage *damage)
{
    assert_true(n_reported < REPORTED_MAX);
    reported[n_reported++] = *damage;
}

static const struct span redundant_ram[] = {
    { 0, 0x9f000 }, { 0x100000, 1023 * MIB }, { 4 * GIB, 1024 * MIB + 0x5000 }, { 0 }
};

static inline struct redundant *redundant_make_of(const struct span *ram, size_t n_copies)
{
    struct redundant *r = calloc(1, sizeof(*r));
    struct fault_log_memory memory = { .phys_of = redundant_phys_of, .damaged = redundant_told };
    size_t n = 0;

    assert_non_null(r);
    while (ram[n].size)
        n++;
    assert_int_equal(page_index_init(&r->m.space, r->m.extent, 16, ram, n), STATUS_OK);
    r->bytes = fault_log_copy_bytes(&r->m.space);
    told_memory = r->memory = aligned_alloc(PAGE_SIZE, LOG_COPIES * r->bytes);
    r->truth = calloc(1, r->m.space.n_pages);
    assert_non_null(r->memory);
    assert_non_null(r->truth);
    for (size_t i = 0; i < LOG_COPIES; i++)
        r->copy[i] = r->memory + i * r->bytes;
    for (size_t i = 0; i < n_copies; i++)
        memory.copy[i] = r->copy[i];
    fault_log_init(&r->m.log, &r->m.space, &memory);
    n_reported = 0;
    when_repaired = NULL;
    return r;
}

static inline struct redundant *redundant_make(size_t n_copies)
{
    return redundant_make_of(redundant_ram, n_copies);
}

static inline void redundant_free(struct redundant *r)
{
    free(r->truth);
    free(r->memory);
    free(r);
}

static inline void redundant_free_at(struct redundant **r)
{
    redundant_free(*r);
}

#define OWN_REDUNDANT FREED_BY(redundant_free_at) struct redundant *

static inline uint8_t *redundant_truth(struct redundant *r, uint64_t addr)
{
    uint64_t index;

    assert_int_equal(page_index_index(&r->m.space, addr >> PAGE_SHIFT, &index), STATUS_OK);
    return &r->truth[index];
}

static inline void redundant_expect(struct redundant *r, uint64_t addr)
{
    *redundant_truth(r, addr) = 1;
}

static inline void redundant_expect_damage(struct redundant *r, const void *at)
{
    *redundant_truth(r, redundant_phys_of(at)) |= MAY_BE;
}

static inline void redundant_add(struct redundant *r, uint64_t addr)
{
    add_fault(&r->m.log, &(struct fault){ .addr = addr,
                                          .expected = addr,
                                          .found = ~addr,
                                          .test = (uint32_t)r->faults % 3,
                                          .pass = (uint32_t)r->faults });
    redundant_expect(r, addr);
    r->faults++;
}

/* The address of the page with this index. */
static inline uint64_t redundant_addr(const struct redundant *r, uint64_t index)
{
    return page_index_page(&r->m.space, index) << PAGE_SHIFT;
}

/* Faults on n pages of which many lie together, some several times. */
static inline void redundant_log(struct redundant *r, uint64_t *seed, size_t n)
{
    while (n--) {
        uint64_t index = machine_random(seed) % r->m.space.n_pages;

        if (n % 2)
            index = index % 500 * 7;
        redundant_add(r, redundant_addr(r, index));
    }
}

/* Of a copy, the bit that tells whether the page with this index is bad. */
static inline uint64_t redundant_bit(uint64_t index)
{
    return (LOG_PAGE_WORDS + index / LOG_WORD_BITS) * 64 + index % LOG_WORD_BITS;
}

/* Turns over the bit `bit` of a copy, and expects its page to be found bad. */
static inline void redundant_flip(struct redundant *r, size_t copy, uint64_t bit)
{
    _Atomic uint64_t *word = (void *)(r->copy[copy] + bit / 64 * 8);

    atomic_fetch_xor(word, UINT64_C(1) << bit % 64);
    redundant_expect_damage(r, (const void *)word);
}

/* So many different bits of a range of a copy. */
static inline void redundant_corrupt(struct redundant *r, uint64_t *seed, size_t copy, size_t from,
                                     size_t bytes, size_t n)
{
    uint8_t *done = calloc(1, bytes * 8);

    assert_non_null(done);
    for (size_t i = 0; i < n;) {
        uint64_t bit = machine_random(seed) % (bytes * 8);

        if (done[bit])
            continue;
        done[bit] = 1;
        redundant_flip(r, copy, from * 8 + bit);
        i++;
    }
    free(done);
}

/* The pages marked bad are exactly those expected, from one index to before another. */
static inline void redundant_check_pages(const struct redundant *r, uint64_t from, uint64_t end)
{
    uint8_t *found = calloc(1, r->m.space.n_pages);
    uint64_t index = 0;
    struct page_run run;

    assert_non_null(found);
    while (fault_log_next_run(&r->m.log, &index, &run)) {
        uint64_t first;

        assert_int_equal(page_index_index(&r->m.space, run.first, &first), STATUS_OK);
        memset(found + first, 1, run.count);
    }
    for (uint64_t i = from; i < end; i++) {
        if (r->truth[i] & MAY_BE ? r->truth[i] & 1 && !found[i] : found[i] != r->truth[i])
            fail_msg("page 0x%lx: %s", (unsigned long)redundant_addr(r, i),
                     found[i] ? "invented" : "lost");
    }
    free(found);
}

/* All that was logged is there, and nothing else. */
static inline void redundant_check(struct redundant *r)
{
    uint64_t n = r->m.space.n_pages, bad = 0;

    redundant_check_pages(r, 0, n);
    for (uint64_t i = 0; i < n; i++) {
        if (!r->truth[i])
            continue;
        bad += fault_log_is_bad(&r->m.log, redundant_addr(r, i));
        assert_true(r->truth[i] & MAY_BE || fault_log_is_bad(&r->m.log, redundant_addr(r, i)));
    }
    assert_int_equal(fault_log_bad_pages(&r->m.log), bad);
    assert_int_equal(fault_log_faults(&r->m.log), r->faults);
    for (uint32_t t = 0; t < 3; t++)
        assert_int_equal(fault_log_test_faults(&r->m.log, t), (r->faults + 2 - t) / 3);
}

/* The first faults, in order, each as it was logged. */
static inline void redundant_check_records(struct redundant *r)
{
    uint64_t n = r->faults < FAULT_RECORDS ? r->faults : FAULT_RECORDS;
    struct fault got;

    for (uint32_t i = 0; i < n; i++) {
        assert_true(fault_log_drain(&r->m.log, &got));
        assert_int_equal(got.pass, i);
        assert_true(got.found == ~got.expected && got.addr == got.expected);
        assert_int_equal(got.test, i % 3);
    }
    assert_false(fault_log_drain(&r->m.log, &got));
}

/* Nothing is wrong in the log's memory: the copies are alike. */
static inline void redundant_check_sound(struct redundant *r)
{
    size_t before = n_reported;

    fault_log_reconcile(&r->m.log);
    fault_log_reconcile(&r->m.log);
    assert_int_equal(n_reported, before);
    for (size_t i = 1; i < LOG_COPIES; i++)
        assert_memory_equal(r->copy[i], r->copy[0], r->bytes);
}

// SPDX-License-Identifier: MIT
/*
 * What the fault log holds after its own memory has been damaged: how often exactly the pages that
 * were logged, how many were lost, how many invented, and whether the log reported that some are
 * uncertain. Counts are left alone.
 *
 *   log_damage_bench [trials]      20 by default
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/splitmix.h"
#include "log/fault_log.h"

#define RAM_BYTES (UINT64_C(16) << 30)
#define N_PAGES   (RAM_BYTES >> PAGE_SHIFT)
#define N_BAD     20000
#define PARTS     3
#define NO_RAM    (UINT64_C(1) << 50)

enum how { BITS, ZEROS, ONES, NOISE, LINE };

static const struct damage_case {
    const char *name;
    unsigned parts; /* of them, in each trial others */
    enum how how;   /* in the first of these */
    enum how next;  /* in the others */
    size_t n_bits;  /* for BITS: in different places of each */
    bool one_page;  /* the same of each; else all */
} cases[] = {
    { "a page of one copy, noise", 1, NOISE, NOISE, 0, true },
    { "one copy, noise", 1, NOISE, NOISE, 0, false },
    { "1,000 bits each of two copies", 2, BITS, BITS, 1000, false },
    { "100,000 bits each of two copies", 2, BITS, BITS, 100000, false },
    { "the same page of two copies, 40 bits", 2, BITS, BITS, 40, true },
    { "the same page of two copies, zeros", 2, ZEROS, ZEROS, 0, true },
    { "the same page of two copies, noise", 2, NOISE, NOISE, 0, true },
    { "a line of two copies' data stuck at 1", 2, LINE, LINE, 0, false },
    { "one copy, noise; 1,000 bits of another", 2, NOISE, BITS, 1000, false },
    { "two copies, zeros", 2, ZEROS, ZEROS, 0, false },
    { "two copies, noise", 2, NOISE, NOISE, 0, false },
    { "1,000 bits each of three copies", 3, BITS, BITS, 1000, false },
    { "the same page of three copies, 40 bits", 3, BITS, BITS, 40, true },
    { "the same page of three copies, zeros", 3, ZEROS, ZEROS, 0, true },
};

static struct fault_log fault_log;
static uint8_t *part[PARTS];
static size_t part_bytes[PARTS];
static uint64_t n_told, seed;

static uint64_t phys_of(const void *at)
{
    return NO_RAM;
}

static void told(const struct fault_log_damage *damage)
{
    n_told += damage->what.lost;
}

static void make_log(const struct page_index *space)
{
    struct fault_log_memory memory = { .phys_of = phys_of, .damaged = told };

    for (size_t i = 0; i < PARTS; i++)
        memory.copy[i] = part[i];
    fault_log_init(&fault_log, space, &memory);
}

static size_t bytes_of(const struct page_index *space, size_t i)
{
    return fault_log_copy_bytes(space);
}

static void damage_part(size_t i, enum how how, const struct damage_case *c, uint64_t number)
{
    size_t n_pages = part_bytes[i] / PAGE_SIZE - 1; /* behind the counts */
    size_t bytes = c->one_page ? PAGE_SIZE : n_pages * PAGE_SIZE;
    uint64_t *words =
        (void *)(part[i] + PAGE_SIZE + (c->one_page ? number % n_pages : 0) * PAGE_SIZE);

    for (size_t n = 0; how == BITS && n < c->n_bits; n++) {
        uint64_t bit = splitmix_below(&seed, bytes * 8);

        words[bit / 64] ^= UINT64_C(1) << bit % 64;
    }
    for (size_t n = 0; how != BITS && n < bytes / 8; n++)
        words[n] = how == ZEROS   ? 0
                   : how == ONES  ? UINT64_MAX
                   : how == NOISE ? splitmix_next(&seed)
                                  : words[n] | 1 << 5;
}

struct outcome {
    unsigned exact, told;
    uint64_t lost, invented;
};

static void try_one(const struct page_index *space, const struct damage_case *c, unsigned trial,
                    struct outcome *outcome)
{
    static uint8_t truth[N_PAGES];
    uint64_t lost = 0, invented = 0, number;

    make_log(space);
    memset(truth, 0, sizeof(truth));
    n_told = 0;
    for (size_t i = 0; i < N_BAD; i++) {
        uint64_t page = splitmix_below(&seed, N_PAGES);

        truth[page] = 1;
        fault_log_mark_page(&fault_log, page << PAGE_SHIFT);
    }
    number = splitmix_below(&seed, N_PAGES / 40 / 512);
    for (unsigned i = 0; i < c->parts; i++)
        damage_part((trial + i) % PARTS, i ? c->next : c->how, c, number);
    fault_log_reconcile(&fault_log);
    for (uint64_t page = 0; page < N_PAGES; page++) {
        bool found = fault_log_is_bad(&fault_log, page << PAGE_SHIFT);

        lost += truth[page] && !found;
        invented += !truth[page] && found;
    }
    outcome->exact += !lost && !invented;
    outcome->told += n_told != 0;
    outcome->lost += lost;
    outcome->invented += invented;
}

int main(int argc, char **argv)
{
    unsigned trials = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    struct span ram = { 0, RAM_BYTES };
    struct page_extent extent[1];
    struct page_index space;

    if (page_index_init(&space, extent, 1, &ram, 1) != STATUS_OK)
        abort();
    for (size_t i = 0; i < PARTS; i++) {
        part_bytes[i] = bytes_of(&space, i);
        part[i] = aligned_alloc(PAGE_SIZE, part_bytes[i]);
        if (!part[i])
            abort();
    }
    printf("%-40s exact of %u  told  pages lost  invented, each time\n", "damage", trials);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome outcome = { 0 };

        for (unsigned trial = 0; trial < trials; trial++)
            try_one(&space, &cases[i], trial, &outcome);
        printf("%-40s %11u %5u %11.1f %9.1f\n", cases[i].name, outcome.exact, outcome.told,
               (double)outcome.lost / trials, (double)outcome.invented / trials);
        fflush(stdout);
    }
    return 0;
}

// SPDX-License-Identifier: MIT
#include "tests/bench/cover_cases.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/panic.h"
#include "lib/splitmix.h"

#define MiB (UINT64_C(1) << 20)
#define GiB (UINT64_C(1) << 30)

#define HOLE_START (3 * GiB)
#define HOLE_END   (4 * GiB)

static void mark(struct cover_machine *m, uint64_t page)
{
    fault_log_mark_page(&m->log, page << PAGE_SHIFT);
}

static void mark_random(struct cover_machine *m, uint64_t *random, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        mark(m, page_index_page(&m->space, splitmix_next(random) % m->space.n_pages));
}

static void random_11(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 11);
}

static void random_60(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 60);
}

static void random_100(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 100);
}

static void random_1000(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 1000);
}

static void random_65536(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 65536);
}

static void random_million(struct cover_machine *m, uint64_t *random)
{
    mark_random(m, random, 1150000);
}

/* Some rows of 16 KiB, which 2 channels make 8 pages of; they fail as a whole or in part. */
static void rows(struct cover_machine *m, uint64_t *random)
{
    for (int i = 0; i < 40; i++) {
        uint64_t row = page_index_page(&m->space, splitmix_next(random) % m->space.n_pages) & ~7ull;

        for (uint64_t page = row; page < row + 8; page++)
            if (i % 2 || splitmix_next(random) % 2)
                mark(m, page);
    }
}

/*
 * The pages of one column in one bank: page = row * 64 + bank, in which the memory controller may
 * have XORed each of the lowest n_hashed bits with `width - 1` bits of the row. Every page of them,
 * or one in `sparse`.
 */
static void mark_bank(struct cover_machine *m, uint64_t *random, unsigned n_hashed, unsigned width,
                      uint64_t sparse)
{
    uint64_t bank = splitmix_next(random) % 64,
             end = m->space.n_pages + (HOLE_END - HOLE_START) / PAGE_SIZE;

    for (uint64_t row = 0; row < end / 64; row++) {
        uint64_t hash = 0;

        for (unsigned bit = 0; bit < n_hashed; bit++)
            for (unsigned i = 1; i < width; i++)
                hash ^= (row >> (n_hashed * i + bit - 1) & 1) << bit;
        if (splitmix_next(random) % sparse == 0)
            mark(m, row * 64 + (bank ^ hash));
    }
}

static void column(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 0, 0, 1);
}

static void column_sparse(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 0, 0, 16);
}

static void hashed_2(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 2, 2, 1);
}

static void hashed_2_sparse(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 2, 2, 16);
}

static void hashed_2_few(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 2, 2, 500);
}

static void hashed_5(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 1, 5, 1);
}

static void hashed_5_sparse(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 1, 5, 16);
}

static void hashed_5_few(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 1, 5, 500);
}

/* A bank of a module of 2 GiB, of which any page may fail. */
static void bank(struct cover_machine *m, uint64_t *random)
{
    uint64_t first = splitmix_next(random) % 3 * 2 * GiB / PAGE_SIZE,
             fixed = splitmix_next(random) & 0x78;

    for (int i = 0; i < 2000; i++)
        mark(m, first + ((splitmix_next(random) % (2 * GiB / PAGE_SIZE) & ~0x78ull) | fixed));
}

/* A half column, some rows, some pages. */
static void mixed(struct cover_machine *m, uint64_t *random)
{
    mark_bank(m, random, 2, 2, 2);
    rows(m, random);
    mark_random(m, random, 30);
}

/* A column segment, rows and pages of which there are few enough for most limits. */
static void mixed_small(struct cover_machine *m, uint64_t *random)
{
    uint64_t first = page_index_page(&m->space, splitmix_next(random) % (m->space.n_pages / 2));

    for (uint64_t i = 0; i < 64; i++)
        mark(m, first + i * 64);
    for (uint64_t i = 0; i < 16; i++)
        mark(m, first / 2 + i);
    mark_random(m, random, 12);
}

const struct cover_case cover_cases[] = {
    { "random 11", 16 * GiB, 20, random_11 },
    { "random 60", 16 * GiB, 20, random_60 },
    { "random 100", 8 * GiB, 10, random_100 },
    { "random 1000", 16 * GiB, 3, random_1000 },
    { "rows", 16 * GiB, 5, rows },
    { "column", 16 * GiB, 2, column },
    { "column, 1 of 16", 16 * GiB, 2, column_sparse },
    { "bank", 16 * GiB, 3, bank },
    { "2-bit hash", 16 * GiB, 2, hashed_2 },
    { "2-bit hash, 1 of 16", 16 * GiB, 2, hashed_2_sparse },
    { "2-bit hash, 1 of 500", 16 * GiB, 5, hashed_2_few },
    { "5-bit hash", 16 * GiB, 2, hashed_5 },
    { "5-bit hash, 1 of 16", 16 * GiB, 2, hashed_5_sparse },
    { "5-bit hash, 1 of 500", 16 * GiB, 5, hashed_5_few },
    { "mixed", 16 * GiB, 3, mixed },
    { "mixed, small", 16 * GiB, 10, mixed_small },
    { 0 },
};

const struct cover_case cover_case_tiny = { "tiny", 256 * MiB, 100, random_11 };
const struct cover_case cover_case_65536 = { "random 65,536", 16 * GiB, 1, random_65536 };
const struct cover_case cover_case_million = { "random million", 16 * GiB, 1, random_million };

struct cover_machine *cover_machine_make(const struct cover_case *c, uint64_t seed)
{
    bool above = c->ram_bytes > HOLE_START;
    const struct span ram[] = {
        { 0, 0xa0000 },
        { MiB, (above ? HOLE_START : c->ram_bytes) - MiB },
        { HOLE_END, above ? c->ram_bytes - HOLE_START : 0 },
    };
    struct cover_machine *m = calloc(1, sizeof(*m));
    uint64_t random = seed;

    ASSERT(m && page_index_init(&m->space, m->extent, 3, ram, 3) == STATUS_OK);
    m->bitmap = malloc(fault_log_copy_bytes(&m->space));
    ASSERT(m->bitmap);
    fault_log_init(&m->log, &m->space, &(struct fault_log_memory){ .copy = { m->bitmap } });
    c->mark(m, &random);
    return m;
}

void cover_machine_free(struct cover_machine *m)
{
    free(m->bitmap);
    free(m);
}

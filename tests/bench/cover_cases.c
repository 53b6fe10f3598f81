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

static void at_random(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
{
    mark_random(m, random, c->n_pages);
}

/* Some rows of 16 KiB, which 2 channels make 8 pages of; they fail as a whole or in part. */
static void rows(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
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
static void mark_bank(struct cover_machine *m, uint64_t *random, struct cover_bank of)
{
    uint64_t bank = splitmix_next(random) % 64,
             end = m->space.n_pages + (HOLE_END - HOLE_START) / PAGE_SIZE;

    for (uint64_t row = 0; row < end / 64; row++) {
        uint64_t hash = 0;

        for (unsigned bit = 0; bit < of.n_hashed; bit++)
            for (unsigned i = 1; i < of.width; i++)
                hash ^= (row >> (of.n_hashed * i + bit - 1) & 1) << bit;
        if (splitmix_next(random) % of.sparse == 0)
            mark(m, row * 64 + (bank ^ hash));
    }
}

static void in_a_bank(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
{
    mark_bank(m, random, c->bank);
}

/* A bank of a module of 2 GiB, of which any page may fail. */
static void bank(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
{
    uint64_t first = splitmix_next(random) % 3 * 2 * GiB / PAGE_SIZE,
             fixed = splitmix_next(random) & 0x78;

    for (int i = 0; i < 2000; i++)
        mark(m, first + ((splitmix_next(random) % (2 * GiB / PAGE_SIZE) & ~0x78ull) | fixed));
}

/* A half column, some rows, some pages. */
static void mixed(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
{
    mark_bank(m, random, (struct cover_bank){ 2, 2, 2 });
    rows(m, random, c);
    mark_random(m, random, 30);
}

/* A column segment, rows and pages of which there are few enough for most limits. */
static void mixed_small(struct cover_machine *m, uint64_t *random, const struct cover_case *c)
{
    uint64_t first = page_index_page(&m->space, splitmix_next(random) % (m->space.n_pages / 2));

    for (uint64_t i = 0; i < 64; i++)
        mark(m, first + i * 64);
    for (uint64_t i = 0; i < 16; i++)
        mark(m, first / 2 + i);
    mark_random(m, random, 12);
}

const struct cover_case cover_cases[] = {
    { "random 11", 16 * GiB, 20, at_random, .n_pages = 11 },
    { "random 60", 16 * GiB, 20, at_random, .n_pages = 60 },
    { "random 100", 8 * GiB, 10, at_random, .n_pages = 100 },
    { "random 1000", 16 * GiB, 3, at_random, .n_pages = 1000 },
    { "rows", 16 * GiB, 5, .mark = rows },
    { "column", 16 * GiB, 2, in_a_bank, .bank = { 0, 0, 1 } },
    { "column, 1 of 16", 16 * GiB, 2, in_a_bank, .bank = { 0, 0, 16 } },
    { "bank", 16 * GiB, 3, .mark = bank },
    { "2-bit hash", 16 * GiB, 2, in_a_bank, .bank = { 2, 2, 1 } },
    { "2-bit hash, 1 of 16", 16 * GiB, 2, in_a_bank, .bank = { 2, 2, 16 } },
    { "2-bit hash, 1 of 500", 16 * GiB, 5, in_a_bank, .bank = { 2, 2, 500 } },
    { "5-bit hash", 16 * GiB, 2, in_a_bank, .bank = { 1, 5, 1 } },
    { "5-bit hash, 1 of 16", 16 * GiB, 2, in_a_bank, .bank = { 1, 5, 16 } },
    { "5-bit hash, 1 of 500", 16 * GiB, 5, in_a_bank, .bank = { 1, 5, 500 } },
    { "mixed", 16 * GiB, 3, .mark = mixed },
    { "mixed, small", 16 * GiB, 10, .mark = mixed_small },
    { 0 },
};

const struct cover_case cover_case_tiny = { "tiny", 256 * MiB, 100, at_random, .n_pages = 11 };
const struct cover_case cover_case_65536 = { "random 65,536", 16 * GiB, 1, at_random,
                                             .n_pages = 65536 };
const struct cover_case cover_case_million = { "random million", 16 * GiB, 1, at_random,
                                               .n_pages = 1150000 };

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
    c->mark(m, &random, c);
    return m;
}

void cover_machine_free(struct cover_machine *m)
{
    free(m->bitmap);
    free(m);
}

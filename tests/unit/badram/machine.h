// SPDX-License-Identifier: MIT
/* A small machine for the tests of these folders: RAM with gaps, a fault log, random numbers. */
#pragma once

#include "lib/splitmix.h"
#include "log/fault_log.h"
#include "tests/unit/unit.h"

struct machine {
    struct page_extent extent[16];
    struct page_index space;
    struct fault_log log;
    void *bitmap;
};

/* Spans up to an empty one. */
static inline struct machine *machine_make(const struct span *ram)
{
    struct machine *m = calloc(1, sizeof(*m));
    size_t n = 0;

    assert_non_null(m);
    while (ram[n].size)
        n++;
    assert_int_equal(page_index_init(&m->space, m->extent, 16, ram, n), STATUS_OK);
    m->bitmap = malloc(fault_log_copy_bytes(&m->space));
    assert_non_null(m->bitmap);
    fault_log_init(&m->log, &m->space, &(struct fault_log_memory){ .copy = { m->bitmap } });
    return m;
}

static inline void machine_free(struct machine *m)
{
    free(m->bitmap);
    free(m);
}

static inline void machine_free_at(struct machine **m)
{
    machine_free(*m);
}

/* A pointer to one that is freed where its block ends. */
#define OWN_MACHINE FREED_BY(machine_free_at) struct machine *

static inline void machine_mark(struct machine *m, uint64_t page)
{
    fault_log_mark_page(&m->log, page << PAGE_SHIFT);
}

static inline int machine_is_ram(const struct machine *m, uint64_t page)
{
    uint64_t index;

    return page_index_index(&m->space, page, &index) == STATUS_OK;
}

static inline uint64_t machine_random(uint64_t *state)
{
    return splitmix_next(state);
}

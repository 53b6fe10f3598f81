// SPDX-License-Identifier: MIT
/*
 * Faulty memory for what a test runs on the host: pages that may be read, but trap each store where
 * they have a fault. The store is done, single-stepped, and then the faults are applied to what it
 * left.
 */
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/unit/unit.h"

#define FAULTS_MAX  80
#define EFLAGS_TF   0x100
#define FAULTY_PAGE 4096

enum faulty_kind {
    STUCK0,
    STUCK1,
    RISE, /* 0 does not become 1 */
    FALL,
    INVERT, /* any change of the cell inverts the victim */
};

struct faulty_cell {
    enum faulty_kind kind;
    size_t at, victim; /* bits of the memory */
};

static struct {
    uint8_t *memory;
    size_t bytes;
    struct faulty_cell cell[FAULTS_MAX];
    size_t n;
    bool before[FAULTS_MAX];
} faulty;

static inline bool faulty_get(size_t bit)
{
    return faulty.memory[bit / 8] >> bit % 8 & 1;
}

static inline void faulty_set(size_t bit, bool value)
{
    uint8_t mask = (uint8_t)(1 << bit % 8);

    faulty.memory[bit / 8] =
        (uint8_t)(value ? faulty.memory[bit / 8] | mask : faulty.memory[bit / 8] & ~mask);
}

/* Of the pages whose cells have a fault: what is stored elsewhere does nothing. */
static inline void faulty_protect(int rights)
{
    for (size_t i = 0; i < faulty.n; i++)
        mprotect(faulty.memory + faulty.cell[i].at / 8 / FAULTY_PAGE * FAULTY_PAGE, FAULTY_PAGE,
                 rights);
}

static inline void faulty_apply(void)
{
    for (size_t i = 0; i < faulty.n; i++) {
        const struct faulty_cell *c = &faulty.cell[i];
        bool now = faulty_get(c->at);

        if (c->kind == STUCK0 || c->kind == STUCK1)
            faulty_set(c->at, c->kind == STUCK1);
        else if (c->kind == INVERT && now != faulty.before[i])
            faulty_set(c->victim, !faulty_get(c->victim));
        else if ((c->kind == RISE && now && !faulty.before[i]) ||
                 (c->kind == FALL && !now && faulty.before[i]))
            faulty_set(c->at, faulty.before[i]);
    }
}

static inline void faulty_on_store(int signal, siginfo_t *info, void *context)
{
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    uint8_t *at = info->si_addr;

    if (at < faulty.memory || at >= faulty.memory + faulty.bytes)
        abort();
    for (size_t i = 0; i < faulty.n; i++)
        faulty.before[i] = faulty_get(faulty.cell[i].at);
    faulty_protect(PROT_READ | PROT_WRITE);
    *flags |= EFLAGS_TF;
}

static inline void faulty_after_store(int signal, siginfo_t *info, void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)EFLAGS_TF;
    faulty_apply();
    faulty_protect(PROT_READ);
}

/* Memory with these faults; each store from here on meets them. */
static inline uint8_t *faulty_make(size_t bytes, const struct faulty_cell *cell, size_t n)
{
    struct sigaction on_store = { .sa_sigaction = faulty_on_store, .sa_flags = SA_SIGINFO };
    struct sigaction after = { .sa_sigaction = faulty_after_store, .sa_flags = SA_SIGINFO };

    assert_true(n <= FAULTS_MAX);
    sigaction(SIGSEGV, &on_store, NULL);
    sigaction(SIGTRAP, &after, NULL);
    /* Below 4 GiB, where loaders look. */
    faulty.memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(faulty.memory, MAP_FAILED);
    faulty.bytes = bytes;
    for (size_t i = 0; i < n; i++)
        faulty.cell[i] = cell[i];
    faulty.n = n;
    faulty_apply();
    faulty_protect(PROT_READ);
    return faulty.memory;
}

static inline void faulty_free(void)
{
    munmap(faulty.memory, faulty.bytes);
}

/* As a test's teardown. */
static inline int faulty_free_after(void **state)
{
    faulty_free();
    return 0;
}

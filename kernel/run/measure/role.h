// SPDX-License-Identifier: MIT
/* What each CPU does in a measurement: set by the boot CPU between runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/stream.h"
#include "event/events.h"
#include "lib/span.h"
#include "measure/sites.h"

/* The lines of a chain (CHASE_LINE_A_PAGE) that one CPU holds in its caches and another reads. */
struct handover {
    void *base;
    uint64_t bytes;
    bool modified; /* by the CPU that holds them, else only read */
    _Atomic uint32_t asked, held;
};

/* One CPU's, which only that CPU writes while it runs. */
struct role {
    _Alignas(64) uint32_t cpu;
    bool is_load;
    bool is_filled;                    /* its arrays hold STREAM's values */
    void (*before)(struct role *r);    /* each round, not counted in its time; or NULL */
    uint64_t (*round)(struct role *r); /* returns the bytes moved, or the loads of a chase */
    struct stream_arrays arrays;
    uint64_t bytes;
    union {
        enum stream_op op;
        struct redundant redundant;
        struct {
            struct load load;
            uint64_t at;
        };
        void **cursor;
        struct handover *handover;
    };
    uint64_t done, began, ended;
};

struct roles {
    const struct stream_ops *ops; /* the same for all */
    const char *prefetch;         /* as in event_how */
    struct role *role;
    uint32_t *cpus;      /* the CPUs of the roles, in the same order */
    uint32_t n, n_loads; /* that run; the loads come last */
    uint32_t n_resting;  /* loads after them, which do not run */
};

/* Made by the boot CPU between runs. */
extern struct roles roles;

/* How all of them do it, for records. */
static inline struct event_how roles_how(bool in_caches)
{
    return (struct event_how){ roles.ops->name, roles.prefetch, in_caches };
}

/* The role of a CPU that has one. */
struct role *role_of(const struct roles *all, uint32_t cpu);

/* Once, before plan_make: takes memory of the arena. */
void roles_prepare(uint32_t n_cpus);

/* No CPU has a role. */
void roles_clear(void);

/* A CPU, and which part of the memory is its. */
struct role_part {
    uint32_t cpu, n_parts, part;
};

/* A CPU that does `op` on its part of the arrays. */
void role_add_stream(struct role_part its, enum stream_op op, const struct arrays *arrays);

/*
 * A CPU that writes its part of `data`, and the copy or parity to other_phys, where
 * redundancy_other_bytes of data.size are free.
 */
void role_add_redundant(struct role_part its, enum redundancy kind, struct span data,
                        uint64_t other_phys);

/*
 * The one CPU that follows the chain of measure_build_chain, from *cursor on, where it leaves the
 * place that it came to: lines that it has just read are in its caches.
 */
void role_add_chase(uint32_t cpu, void **cursor);

/*
 * A CPU that reads all lines of a chain once a round, in the chain's order, and one that takes them
 * into its own caches before. No other CPU has a role then.
 */
void role_add_handover(uint32_t reader, uint32_t holder, struct handover *lines);

/* A CPU that makes a load on its part of three arrays, when roles_load says so; after all others.
 */
void role_add_load(struct role_part its, const struct arrays *arrays);

/* What all CPUs that make a load do from now on; NULL: they rest. */
void roles_load(const struct load *load);

// SPDX-License-Identifier: MIT
/*
 * What each CPU does in a measurement: the inside of measure/measure.h, whose measure_clear and
 * measure_add_... make it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/load.h"
#include "bandwidth/redundant.h"
#include "bandwidth/stream.h"

/* One CPU's; it alone writes it while it runs. */
struct role {
    _Alignas(64) uint32_t cpu;
    bool is_load;
    uint64_t (*round)(struct role *r); /* returns the bytes moved, or the loads of a chase */
    struct stream_arrays arrays;
    uint64_t bytes;
    union {
        enum stream_op op;
        struct {
            enum redundancy kind;
            double *other;
        } redundant;
        struct {
            enum load_mix mix;
            uint32_t pause;
            uint64_t at;
        } load;
        void *cursor;
    };
    uint64_t done, began, ended;
};

struct roles {
    struct role *role;
    uint32_t *cpus; /* theirs, in the same order */
    uint32_t n, n_loads;
};

/* Made by the boot CPU between runs. */
extern struct roles roles;

/* The role of a CPU that has one. */
struct role *role_of(uint32_t cpu);

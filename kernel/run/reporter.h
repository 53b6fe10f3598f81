/*
 * What becomes of a word that was read wrong: it is logged with its place in the run, and an alias
 * as an alias.
 */
#pragma once

#include <stdint.h>

#include "sweep/data.h"
#include "sweep/lines.h"

/* Where in the run a test stands. */
struct test_place {
    uint32_t pass;            /* from 1 */
    uint32_t test;            /* index into selection.tests */
    uint32_t round, n_rounds; /* of the test, round from 0: sweep/order.h */
};

/* One a CPU. */
struct reporter {
    struct test_place place;
    const struct data *data; /* NULL, or what memory holds; of a march, or its complement */
    uint32_t cpu;
};

struct line_faults reporter_faults(struct reporter *reporter);

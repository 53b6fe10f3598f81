/*
 * One march element over all tested memory, by all CPUs together.
 */
#pragma once

#include <stdint.h>

#include "sweep/data.h"
#include "sweep/march.h"

/* Where in the run it stands. */
struct element_place {
    uint32_t pass;  /* from 1 */
    uint32_t test;  /* index into selection.tests */
    uint32_t round; /* of the test, from 0: decides how CPUs are ordered, see element.c */
};

/* Once, after selection_make. */
void element_prepare(void);

/*
 * Returns when all CPUs are done with it, or the run was stopped. Faults go to the fault log.
 * element must not be a pause.
 */
void element_run(const struct march_element *element, const struct data *data,
                 struct element_place place);

// SPDX-License-Identifier: MIT
/*
 * Two cells with one of the 36 faults between two (tests/coverage/primitive.h), in all orders of
 * operations that may be. A set of states has those of the cells while no read was wrong yet: bit
 * 1 << (aggressor + 2 * victim). If it is empty, the fault was found, whatever the order was.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/march.h"

#define TWO_CELLS_FAULTS 36
#define TWO_CELLS_ANY    15u

enum order_of_two {
    ORDER_NEITHER,     /* is operated on */
    ORDER_FIRST_ALONE, /* the first is the aggressor */
    ORDER_SECOND_ALONE,
    ORDER_FIRST_BEFORE,
    ORDER_SECOND_BEFORE,
    ORDER_NONE, /* all that may be */
};

/* After these operations on one cell or on both. */
unsigned two_cells_element(size_t fault, const struct march_op *op, uint32_t n_ops,
                           enum order_of_two order, unsigned states);

/* The aggressor, the victim or both may hold anything. */
unsigned two_cells_lose(unsigned states, bool aggressor, bool victim);

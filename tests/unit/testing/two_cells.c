// SPDX-License-Identifier: MIT
#include "testing/two_cells.h"

#include "lib/panic.h"
#include "tests/coverage/primitive.h"

_Static_assert(TWO_CELLS_FAULTS == N_TWO_CELL, "all there are");

static struct primitive faults[TWO_CELLS_FAULTS];

/* Parses all of them once. */
static const struct primitive *fault_of(size_t fault)
{
    static bool is_parsed;

    for (size_t i = 0, n = 0; !is_parsed && i < N_PRIMITIVES; i++) {
        if (primitive_rows[i].class == CLASS_TWO_CELL)
            ASSERT(primitive_parse(primitive_rows[i].notation, &faults[n++]));
    }
    is_parsed = true;
    return &faults[fault];
}

static enum event event_of(struct march_op op, bool value)
{
    return op.write ? event_write(value, op.complement) : event_read(value);
}

static unsigned set_of(const struct primitive *p, bool aggressor, bool victim)
{
    if (p->aggressor == event_state(aggressor) && p->victim == event_state(victim))
        victim = p->faulty;
    return 1u << (aggressor + 2 * victim);
}

static unsigned on_aggressor(const struct primitive *p, struct march_op op, bool aggressor,
                             bool victim)
{
    if (p->aggressor == event_of(op, aggressor) && p->victim == event_state(victim))
        victim = p->faulty;
    return set_of(p, op.write ? op.complement : aggressor, victim);
}

static unsigned on_victim(const struct primitive *p, struct march_op op, bool aggressor,
                          bool victim)
{
    bool next = op.write ? op.complement : victim, read = victim;

    if (p->victim == event_of(op, victim) && p->aggressor == event_state(aggressor)) {
        next = p->faulty;
        read = p->read;
    }
    if (!op.write && read != op.complement)
        return 0;
    return set_of(p, aggressor, next);
}

static unsigned operate(const struct primitive *p, struct march_op op, bool victims, unsigned from)
{
    unsigned to = 0;

    for (unsigned i = 0; i < 4; i++) {
        if (from >> i & 1)
            to |= (victims ? on_victim : on_aggressor)(p, op, i & 1, i >> 1);
    }
    return to;
}

static unsigned in_turn(const struct primitive *p, const struct march_op *op, uint32_t n_ops,
                        bool victims, unsigned states)
{
    for (uint32_t i = 0; i < n_ops; i++)
        states = operate(p, op[i], victims, states);
    return states;
}

/* after[i][j]: after i operations on the aggressor and j on the victim. */
static unsigned in_any_order(const struct primitive *p, const struct march_op *op, uint32_t n_ops,
                             unsigned states)
{
    unsigned after[MARCH_OPS_MAX + 1][MARCH_OPS_MAX + 1] = { { states } };

    for (uint32_t i = 0; i <= n_ops; i++) {
        for (uint32_t j = 0; j <= n_ops; j++) {
            if (i)
                after[i][j] |= operate(p, op[i - 1], false, after[i - 1][j]);
            if (j)
                after[i][j] |= operate(p, op[j - 1], true, after[i][j - 1]);
        }
    }
    return after[n_ops][n_ops];
}

unsigned two_cells_element(size_t fault, const struct march_op *op, uint32_t n_ops,
                           enum order_of_two order, unsigned states)
{
    const struct primitive *p = fault_of(fault);

    switch (order) {
    case ORDER_NEITHER: return states;
    case ORDER_FIRST_ALONE: return in_turn(p, op, n_ops, false, states);
    case ORDER_SECOND_ALONE: return in_turn(p, op, n_ops, true, states);
    case ORDER_NONE: return in_any_order(p, op, n_ops, states);
    default:
        states = in_turn(p, op, n_ops, order == ORDER_SECOND_BEFORE, states);
        return in_turn(p, op, n_ops, order == ORDER_FIRST_BEFORE, states);
    }
}

unsigned two_cells_lose(unsigned states, bool aggressor, bool victim)
{
    if (aggressor)
        states |= (states & 5u) << 1 | (states & 10u) >> 1;
    if (victim)
        states |= (states & 3u) << 2 | (states & 12u) >> 2;
    return states;
}

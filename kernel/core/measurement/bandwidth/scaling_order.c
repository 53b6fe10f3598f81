// SPDX-License-Identifier: MIT
#include "bandwidth/scaling_order.h"

#include <stdbool.h>

#include "lib/panic.h"
#include "lib/sort.h"

const char *scaling_order_name(enum scaling_order order)
{
    static const char *const names[SCALING_ORDERS] = { "fill", "spread" };

    ASSERT(order < SCALING_ORDERS);
    return names[order];
}

/* While they are sorted, indices carry their rank among the CPUs of their node. */
#define RANK_SHIFT 13
#define INDEX_MASK (SCALING_CPUS_MAX - 1)
_Static_assert(SCALING_CPUS_MAX == 1 << RANK_SHIFT, "rank and index share 32 bits");

static uint32_t rank_of(const uint32_t *cpu_node, uint32_t index)
{
    uint32_t rank = 0;

    for (uint32_t i = 0; i < index; i++)
        rank += cpu_node[i] == cpu_node[index];
    return rank;
}

struct ordering {
    enum scaling_order order;
    const uint32_t *cpu_node;
};

static bool is_before(const void *ctx, const void *left, const void *right)
{
    const struct ordering *o = ctx;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t rank_a = a >> RANK_SHIFT, rank_b = b >> RANK_SHIFT;
    uint32_t node_a = o->cpu_node[a & INDEX_MASK], node_b = o->cpu_node[b & INDEX_MASK];

    if (o->order == SCALING_FILL)
        return node_a != node_b ? node_a < node_b : rank_a < rank_b;
    return rank_a != rank_b ? rank_a < rank_b : node_a < node_b;
}

void scaling_order_make(enum scaling_order order, const uint32_t *cpu_node, uint32_t n_cpus,
                        uint32_t *ret_index)
{
    ASSERT(order < SCALING_ORDERS && n_cpus <= SCALING_CPUS_MAX);
    for (uint32_t i = 0; i < n_cpus; i++)
        ret_index[i] = rank_of(cpu_node, i) << RANK_SHIFT | i;
    sort(ret_index, n_cpus, sizeof(ret_index[0]), is_before, &(struct ordering){ order, cpu_node });
    for (uint32_t i = 0; i < n_cpus; i++)
        ret_index[i] &= INDEX_MASK;
}

size_t scaling_order_counts(uint32_t n_cpus, uint32_t *ret_threads, size_t max)
{
    uint64_t step = 1;
    size_t n = 0;

    ASSERT(n_cpus >= 1 && max >= 2);
    for (uint64_t count = 1; count < n_cpus && n < max - 1; count += step) {
        ret_threads[n++] = (uint32_t)count;
        if (count >= SCALING_EVERY_COUNT && (count & (count - 1)) == 0)
            step = count / SCALING_STEPS_A_DOUBLING;
    }
    ret_threads[n++] = n_cpus;
    return n;
}

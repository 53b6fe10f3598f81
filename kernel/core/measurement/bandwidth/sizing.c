// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include <immintrin.h>
#include <stdbool.h>

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/sort.h"
#include "lib/span.h"

uint64_t sizing_array_bytes(uint64_t cache_bytes, uint64_t available_bytes, uint32_t n_arrays)
{
    uint64_t most, want;

    ASSERT(n_arrays > 0);
    most = align_down(available_bytes / n_arrays, LINE_SIZE);
    if (cache_bytes >= most / SIZING_CACHE_FACTOR)
        return most;
    want = align_up(cache_bytes * SIZING_CACHE_FACTOR, LINE_SIZE);
    if (want < SIZING_ARRAY_MIN_BYTES)
        want = SIZING_ARRAY_MIN_BYTES;
    return min_u64(want, most);
}

struct sizing_part sizing_part(uint64_t array_bytes, uint32_t n_cpus, uint32_t cpu)
{
    uint64_t lines = array_bytes / LINE_SIZE;
    uint64_t each, more, first;

    ASSERT(cpu < n_cpus && array_bytes % LINE_SIZE == 0);
    each = lines / n_cpus;
    more = lines % n_cpus; /* the first CPUs take one line more */
    first = cpu * each + min_u64(cpu, more);
    return (struct sizing_part){
        .offset = first * LINE_SIZE,
        .bytes = (each + (cpu < more)) * LINE_SIZE,
    };
}

uint32_t sizing_iterations(uint64_t first, uint64_t target)
{
    uint64_t n;

    if (first == 0)
        return SIZING_ITERATIONS_MAX;
    n = target / first + (target % first > first / 2);
    if (n < 1)
        return 1;
    return n < SIZING_ITERATIONS_MAX ? (uint32_t)n : SIZING_ITERATIONS_MAX;
}

size_t curve_sizes(uint64_t max_bytes, uint64_t *ret_bytes, size_t max)
{
    size_t n = 0;

    for (uint64_t power = CURVE_MIN_BYTES; power && power <= max_bytes; power *= 2) {
        if (n < max)
            ret_bytes[n++] = power;
        if (n < max && power / 2 <= max_bytes - power)
            ret_bytes[n++] = power + power / 2;
    }
    return n;
}

static uint64_t memory_bytes(const struct cache_info *info)
{
    const struct cache *last = cache_last_level(info);

    return sizing_array_bytes(last ? last->size_bytes : 0, UINT64_MAX, 1);
}

uint64_t curve_cache_bytes(const struct cache_info *info, uint32_t level)
{
    const struct cache *cache, *before;
    uint64_t bytes, most;

    if (level == CURVE_MEMORY)
        return memory_bytes(info);
    cache = cache_of_level(info, level);
    if (!cache)
        return 0;
    before = cache_of_level(info, level - 1);
    bytes = cache->size_bytes / 2;
    most = cache->size_bytes / 4 * 3;
    if (before && bytes < 2 * before->size_bytes)
        bytes = min_u64(2 * before->size_bytes, most);
    return align_down(bytes, LINE_SIZE);
}

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

uint32_t turn_order(uint32_t n, uint32_t turn, uint32_t at)
{
    ASSERT(at < n);
    return turn % 2 ? n - 1 - at : at;
}

void stats_add(struct stats *s, double x)
{
    double before = x - s->mean;

    s->n++;
    s->mean += before / (double)s->n;
    s->squares += before * (x - s->mean);
    if (s->n == 1 || x < s->min)
        s->min = x;
    if (s->n == 1 || x > s->max)
        s->max = x;
}

/* The instruction itself: there is no libm here, and sqrt() would set errno. */
static double square_root(double x)
{
    __m128d v = _mm_set_sd(x);

    return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
}

double stats_stddev(const struct stats *s)
{
    return s->n < 2 ? __builtin_nan("") : square_root(s->squares / (double)(s->n - 1));
}

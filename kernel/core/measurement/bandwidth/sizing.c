// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include <immintrin.h>

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
    static const char *const names[SCALING_ORDERS] = { "fill", "spread", "efficient" };

    ASSERT(order < SCALING_ORDERS);
    return names[order];
}

static bool is_before(const void *ctx, const void *left, const void *right)
{
    enum scaling_order order = *(const enum scaling_order *)ctx;
    const struct scaling_cpu *a = left, *b = right;

    if (a->place != b->place)
        return a->place < b->place;
    if (order == SCALING_SPREAD && a->before != b->before)
        return a->before < b->before;
    return a->node != b->node ? a->node < b->node : a->index < b->index;
}

static void find_place(struct scaling_cpu *its, const struct scaling_cpu *cpus, uint32_t n_cpus)
{
    its->place = its->is_efficient ? SCALING_EFFICIENT_CORE : SCALING_CORE;
    for (const struct scaling_cpu *c = cpus; c < cpus + n_cpus; c++) {
        if (c->core == its->core && c->index < its->index)
            its->place = SCALING_SIBLING;
    }
}

static void count_before(struct scaling_cpu *its, const struct scaling_cpu *cpus, uint32_t n_cpus)
{
    its->before = 0;
    for (const struct scaling_cpu *c = cpus; c < cpus + n_cpus; c++)
        its->before += c->place == its->place && c->node == its->node && c->index < its->index;
}

/* Moves them to the front; returns how many there are. */
static uint32_t take_efficient(struct scaling_cpu *cpus, uint32_t n_cpus)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_cpus; i++) {
        if (cpus[i].is_efficient) {
            struct scaling_cpu its = cpus[i];

            cpus[i] = cpus[n];
            cpus[n++] = its;
        }
    }
    return n < n_cpus ? n : 0;
}

uint32_t scaling_order_make(enum scaling_order order, struct scaling_cpu *cpus, uint32_t n_cpus)
{
    uint32_t n = order == SCALING_EFFICIENT ? take_efficient(cpus, n_cpus) : n_cpus;

    ASSERT(order < SCALING_ORDERS);
    for (uint32_t i = 0; i < n; i++)
        find_place(&cpus[i], cpus, n);
    for (uint32_t i = 0; i < n; i++)
        count_before(&cpus[i], cpus, n);
    sort(cpus, n, sizeof(cpus[0]), is_before, &order);
    return n;
}

size_t scaling_order_counts(const struct scaling_cpu *cpus, uint32_t n_cpus, uint32_t *ret_threads)
{
    uint32_t due = 1, step = 1;
    size_t n = 0;

    ASSERT(n_cpus >= 1);
    for (uint32_t count = 1; count < n_cpus && n < SCALING_COUNTS_MAX - 1; count++) {
        if (count == due || cpus[count].place != cpus[count - 1].place)
            ret_threads[n++] = count;
        if (count != due)
            continue;
        if (count >= SCALING_EVERY_COUNT && (count & (count - 1)) == 0)
            step = count / SCALING_STEPS_A_DOUBLING;
        due += step;
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

// SPDX-License-Identifier: MIT
#include "lib/sort.h"

#include "lib/panic.h"
#include "lib/string.h"

struct elements {
    uint8_t *array;
    size_t size; /* of each */
    sort_before *before;
    const void *ctx;
};

/* Inserts element i into those `gap` apart before it, which are sorted. */
static void insert(const struct elements *e, size_t i, size_t gap)
{
    _Alignas(16) uint8_t inserted[SORT_SIZE_MAX];

    memcpy(inserted, e->array + i * e->size, e->size);
    for (; i >= gap && e->before(e->ctx, inserted, e->array + (i - gap) * e->size); i -= gap)
        memcpy(e->array + i * e->size, e->array + (i - gap) * e->size, e->size);
    memcpy(e->array + i * e->size, inserted, e->size);
}

/* Shell's sort with Ciura's gaps: short, and fast enough: 100,000 elements take some 30 ms. */
void sort(void *array, size_t n, size_t size, sort_before *before, const void *ctx)
{
    static const size_t gaps[] = { 3548, 1577, 701, 301, 132, 57, 23, 10, 4, 1 };
    const struct elements elements = { array, size, before, ctx };

    ASSERT(size <= SORT_SIZE_MAX);
    for (size_t g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
        for (size_t i = gaps[g]; i < n; i++)
            insert(&elements, i, gaps[g]);
    }
}

static bool is_smaller(const void *ctx, const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

void sort_numbers(uint32_t *number, size_t n)
{
    sort(number, n, sizeof(*number), is_smaller, NULL);
}

// SPDX-License-Identifier: MIT
#include "lib/sort.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define MOST 5000 /* more than the largest gap */

static bool is_less(const void *ctx, const void *a, const void *b)
{
    assert_ptr_equal(ctx, &is_less);
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

TEST(sorts_any_number)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 10, 57, 1000, MOST };
    static uint32_t array[MOST];

    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        uint64_t random = k, sum = 0, sorted_sum = 0;

        for (size_t i = 0; i < sizes[k]; i++)
            sum += array[i] = (uint32_t)splitmix_next(&random) % 1000;
        sort(array, sizes[k], sizeof(array[0]), is_less, (const void *)&is_less);
        for (size_t i = 0; i < sizes[k]; i++) {
            assert_true(i == 0 || array[i - 1] <= array[i]);
            sorted_sum += array[i];
        }
        assert_int_equal(sorted_sum, sum);
    }
}

struct large {
    uint8_t key, rest[SORT_SIZE_MAX - 1];
};

static bool is_before(const void *ctx, const void *a, const void *b)
{
    return ((const struct large *)a)->key < ((const struct large *)b)->key;
}

/* Elements move as a whole, and nothing outside the array is written. */
TEST(moves_whole_elements)
{
    struct large array[6] = { 0 };

    for (unsigned i = 0; i < 6; i++)
        array[i].key = array[i].rest[0] = array[i].rest[SORT_SIZE_MAX - 2] = (uint8_t)(100 - i);
    sort(array, 5, sizeof(array[0]), is_before, NULL);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(array[i].key, i < 5 ? 96 + i : 95);
        assert_int_equal(array[i].rest[0], array[i].key);
        assert_int_equal(array[i].rest[SORT_SIZE_MAX - 2], array[i].key);
    }
}

TEST(sorts_numbers)
{
    uint32_t number[] = { 7, UINT32_MAX, 0, 7, UINT32_C(1) << 31, 1 };
    static const uint32_t sorted[] = { 0, 1, 7, 7, UINT32_C(1) << 31, UINT32_MAX };

    sort_numbers(number, 6);
    assert_memory_equal(number, sorted, sizeof(sorted));
    sort_numbers(number, 0);
}

// SPDX-License-Identifier: MIT
#include "bandwidth/curve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bandwidth/sizing.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define KIB      UINT64_C(1024)
#define MIB      (KIB * 1024)
#define GIB      (MIB * 1024)

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

static void test_sizes(void **state)
{
    static const struct {
        uint64_t max_bytes;
        size_t max, n;
        uint64_t last;
    } rows[] = {
        { 0, CURVE_SIZES_MAX, 0, 0 },
        { 16 * KIB - 1, CURVE_SIZES_MAX, 0, 0 },
        { 16 * KIB, CURVE_SIZES_MAX, 1, 16 * KIB },
        { 24 * KIB - 1, CURVE_SIZES_MAX, 1, 16 * KIB },
        { 24 * KIB, CURVE_SIZES_MAX, 2, 24 * KIB },
        { 32 * KIB - 1, CURVE_SIZES_MAX, 2, 24 * KIB },
        { 32 * KIB, CURVE_SIZES_MAX, 3, 32 * KIB },
        { 256 * MIB, CURVE_SIZES_MAX, 29, 256 * MIB },
        { 256 * MIB, 5, 5, 64 * KIB },
        { 256 * MIB, 4, 4, 48 * KIB },
        { 256 * MIB, 0, 0, 0 },
        { UINT64_MAX, CURVE_SIZES_MAX, 100, UINT64_C(3) << 62 },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        uint64_t bytes[CURVE_SIZES_MAX + 1];
        size_t n;

        memset(bytes, 0x5a, sizeof(bytes));
        n = curve_sizes(rows[r].max_bytes, bytes, rows[r].max);
        assert_int_equal(n, rows[r].n);
        assert_int_equal(bytes[n], UNTOUCHED);
        if (n)
            assert_int_equal(bytes[n - 1], rows[r].last);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(bytes[i], ((i % 2) ? 24 * KIB : 16 * KIB) << i / 2);
    }
}

static struct cache_info caches_of(uint64_t l1, uint64_t l2, uint64_t l3)
{
    const uint64_t sizes[] = { l1, l2, l3 };
    struct cache_info info = { .n_caches = 0 };

    for (uint32_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i])
            info.cache[info.n_caches++] = (struct cache){
                .level = i + 1,
                .kind = i ? CACHE_UNIFIED : CACHE_DATA,
                .shared_by = 1,
                .size_bytes = sizes[i],
            };
    return info;
}

static void test_cache_bytes(void **state)
{
    static const struct {
        uint64_t cache[3], bytes[3], memory;
    } rows[] = {
        { { 32 * KIB, MIB, 32 * MIB }, { 16 * KIB, 512 * KIB, 16 * MIB }, 128 * MIB },
        { { 48 * KIB, 2 * MIB, 260 * MIB }, { 24 * KIB, MIB, 130 * MIB }, 1040 * MIB },
        { { 32 * KIB, 4 * MIB, 0 }, { 16 * KIB, 2 * MIB, 0 }, 64 * MIB },
        /* the level before is a quarter: half is just enough */
        { { 64 * KIB, 256 * KIB, MIB }, { 32 * KIB, 128 * KIB, 512 * KIB }, 64 * MIB },
        /* a little more than a quarter, a half, all of it */
        { { 48 * KIB, 160 * KIB, 400 * KIB }, { 24 * KIB, 96 * KIB, 300 * KIB }, 64 * MIB },
        { { 64 * KIB, 512 * KIB, MIB }, { 32 * KIB, 256 * KIB, 768 * KIB }, 64 * MIB },
        { { 64 * KIB, 512 * KIB, 512 * KIB }, { 32 * KIB, 256 * KIB, 384 * KIB }, 64 * MIB },
        /* whole lines */
        { { 100 * 64 + 64, 0, 0 }, { 50 * 64, 0, 0 }, 64 * MIB },
        { { 0, 0, 16 * MIB }, { 0, 0, 8 * MIB }, 64 * MIB },
        { { 0, 0, 17 * MIB }, { 0, 0, 17 * MIB / 2 }, 68 * MIB },
        { { 0, 0, 0 }, { 0, 0, 0 }, 64 * MIB },
        { { 0, 0, 512 * GIB }, { 0, 0, 256 * GIB }, 2048 * GIB },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct cache_info info = caches_of(rows[r].cache[0], rows[r].cache[1], rows[r].cache[2]);

        for (uint32_t level = 1; level <= 3; level++)
            assert_int_equal(curve_cache_bytes(&info, level), rows[r].bytes[level - 1]);
        assert_int_equal(curve_cache_bytes(&info, 4), 0);
        assert_int_equal(curve_cache_bytes(&info, UINT32_MAX), 0);
        assert_int_equal(curve_cache_bytes(&info, CURVE_MEMORY), rows[r].memory);
    }
}

/* Data read by the CPU is in no instruction cache. */
static void test_instruction_cache(void **state)
{
    struct cache_info info = caches_of(32 * KIB, 0, 0);

    info.cache[0].kind = CACHE_INSTRUCTION;
    assert_int_equal(curve_cache_bytes(&info, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_cache_bytes),
        cmocka_unit_test(test_instruction_cache),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

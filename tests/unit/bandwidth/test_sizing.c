// SPDX-License-Identifier: MIT
#include "bandwidth/sizing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      (UINT64_C(1) << 20)
#define TIB      (UINT64_C(1) << 40)

static void test_array_bytes(void **state)
{
    static const struct {
        uint64_t cache, available;
        uint32_t n_arrays;
        uint64_t bytes;
    } rows[] = {
        { 260 * MIB, 8192 * MIB, 3, 1040 * MIB },
        { 260 * MIB, 3120 * MIB, 3, 1040 * MIB },          /* just enough */
        { 260 * MIB, 3120 * MIB - 1, 3, 1040 * MIB - 64 }, /* a byte short */
        { 260 * MIB, 300 * MIB, 3, 100 * MIB },            /* less than the caches */
        { 32 * MIB, 1024 * MIB, 1, 128 * MIB },
        { 16 * MIB, 1024 * MIB, 1, 64 * MIB },
        { 16 * MIB - 64, 1024 * MIB, 1, 64 * MIB }, /* the least */
        { 16 * MIB + 64, 1024 * MIB, 1, 64 * MIB + 256 },
        { 16 * MIB + 1, 1024 * MIB, 1, 64 * MIB + 64 }, /* up to a line */
        { 0, 1024 * MIB, 1, 64 * MIB },                 /* unknown caches */
        { 0, 1024 * MIB, 32, 32 * MIB },
        { 1, 63, 1, 0 },
        { 1, 64, 1, 64 },
        { 1, 127, 2, 0 },
        { 1, 191, 2, 64 },
        { 0, 0, 1, 0 },
        { 512 * MIB, 64 * TIB, 3, 2048 * MIB },
        { UINT64_MAX, 64 * TIB, 1, 64 * TIB },
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_int_equal(sizing_array_bytes(rows[r].cache, rows[r].available, rows[r].n_arrays),
                         rows[r].bytes);
}

/* Parts follow each other without a gap, are nearly equal, and end where the array ends. */
static void test_parts(void **state)
{
    static const uint64_t lines[] = { 0, 1, 2, 3, 7, 8, 9, 255, 1000003, 64 * TIB / 64 };
    static const uint32_t n_cpus[] = { 1, 2, 3, 7, 8, 192, 4096 };

    for (size_t l = 0; l < COUNT(lines); l++)
        for (size_t n = 0; n < COUNT(n_cpus); n++) {
            uint64_t at = 0;

            for (uint32_t cpu = 0; cpu < n_cpus[n]; cpu++) {
                struct sizing_part p = sizing_part(lines[l] * 64, n_cpus[n], cpu);

                assert_int_equal(p.offset, at);
                assert_int_equal(p.bytes % 64, 0);
                assert_in_range(p.bytes / 64, lines[l] / n_cpus[n],
                                (lines[l] + n_cpus[n] - 1) / n_cpus[n]);
                at += p.bytes;
            }
            assert_int_equal(at, lines[l] * 64);
        }
}

static void test_iterations(void **state)
{
    static const struct {
        uint64_t first, target;
        uint32_t n;
    } rows[] = {
        { 100, 1000, 10 },
        { 100, 1050, 10 },
        { 100, 1051, 11 },
        { 100, 100, 1 },
        { 100, 99, 1 },
        { 100, 0, 1 },
        { 3, 10, 3 },
        { 3, 11, 4 },
        { 1, SIZING_ITERATIONS_MAX - 1, SIZING_ITERATIONS_MAX - 1 },
        { 1, SIZING_ITERATIONS_MAX + 1, SIZING_ITERATIONS_MAX },
        { 1, UINT64_MAX, SIZING_ITERATIONS_MAX },
        { 0, 1000, SIZING_ITERATIONS_MAX }, /* too short for the clock */
        { UINT64_MAX, 1, 1 },
        { UINT64_MAX, UINT64_MAX, 1 },
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_int_equal(sizing_iterations(rows[r].first, rows[r].target), rows[r].n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array_bytes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_iterations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

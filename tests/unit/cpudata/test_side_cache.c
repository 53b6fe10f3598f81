// SPDX-License-Identifier: MIT
#include "cpudata/side_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct {
    struct cpu_model cpu;
    uint64_t hmat[3]; /* sizes, up to a 0 */
    struct side_cache found;
} cases[] = {
    { { CPU_VENDOR_INTEL, 6, 0xbd, 1 }, { 0 }, { 8 * MIB, "cpu" } },
    { { CPU_VENDOR_INTEL, 6, 0xcc, 2 }, { 0 }, { 8 * MIB, "cpu" } },
    { { CPU_VENDOR_INTEL, 6, 0xaa, 4 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_INTEL, 15, 0xbd, 1 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_AMD, 6, 0xbd, 1 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_INTEL, 6, 0x6a, 6 }, { 96 * GIB }, { 96 * GIB, "hmat" } },
    { { CPU_VENDOR_INTEL, 6, 0x8f, 8 }, { 16 * GIB, 64 * GIB, GIB }, { 64 * GIB, "hmat" } },
    { { CPU_VENDOR_INTEL, 6, 0xbd, 1 }, { 4 * MIB }, { 4 * MIB, "hmat" } },
};

static void finds_the_largest(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hmat hmat = { 0 };
        struct side_cache found;

        while (hmat.n_caches < 3 && cases[i].hmat[hmat.n_caches]) {
            hmat.cache[hmat.n_caches].size_bytes = cases[i].hmat[hmat.n_caches];
            hmat.n_caches++;
        }
        found = side_cache_find(&hmat, cases[i].cpu);
        assert_int_equal(found.bytes, cases[i].found.bytes);
        if (cases[i].found.by)
            assert_string_equal(found.by, cases[i].found.by);
        else
            assert_null(found.by);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(finds_the_largest) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

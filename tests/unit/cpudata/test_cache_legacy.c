// SPDX-License-Identifier: MIT
#include "cpudata/cache_legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cpudata/fake_cpuid.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NONE     0xff /* ends a row */

/* By size, as the SDM's table has them; the rest are TLBs, code caches, or of 32-byte lines. */
static const struct {
    uint32_t level, kib;
    uint8_t descriptors[8];
} sizes[] = {
    { 1, 8, { 0x66, NONE } },
    { 1, 16, { 0x0d, 0x60, 0x67, NONE } },
    { 1, 24, { 0x0e, NONE } },
    { 1, 32, { 0x2c, 0x68, NONE } },
    { 2, 128, { 0x79, NONE } },
    { 2, 256, { 0x21, 0x7a, NONE } },
    { 2, 512, { 0x7b, 0x7f, 0x80, 0x86, NONE } },
    { 2, 1024, { 0x78, 0x7c, 0x87, NONE } },
    { 2, 2048, { 0x7d, NONE } },
    { 2, 3072, { 0x48, NONE } },
    { 2, 4096, { 0x49, NONE } },
    { 2, 6144, { 0x4e, NONE } },
    { 3, 512, { 0x22, 0xd0, NONE } },
    { 3, 1024, { 0x23, 0xd1, 0xd6, NONE } },
    { 3, 1536, { 0xdc, NONE } },
    { 3, 2048, { 0x25, 0xd2, 0xd7, 0xe2, NONE } },
    { 3, 3072, { 0xdd, NONE } },
    { 3, 4096, { 0x29, 0x46, 0xd8, 0xe3, NONE } },
    { 3, 6144, { 0x4a, 0xde, NONE } },
    { 3, 8192, { 0x47, 0x4b, 0xe4, NONE } },
    { 3, 12288, { 0x4c, 0xea, NONE } },
    { 3, 16384, { 0x4d, NONE } },
    { 3, 18432, { 0xeb, NONE } },
    { 3, 24576, { 0xec, NONE } },
};

/* The row of a descriptor; COUNT(sizes): it is of no cache that counts. */
static size_t row_of(uint8_t descriptor)
{
    for (size_t row = 0; row < COUNT(sizes); row++) {
        for (size_t i = 0; sizes[row].descriptors[i] != NONE; i++) {
            if (sizes[row].descriptors[i] == descriptor)
                return row;
        }
    }
    return COUNT(sizes);
}

static void every_descriptor(void **state)
{
    for (uint32_t d = 0; d < 256; d++) {
        struct leaf cpu[TOLD_LEAVES_MAX] = { { 2, 0, { 1, 0, d << 16, 0 } } };
        struct cache_info info = { 0 };
        size_t row = row_of((uint8_t)d);

        cache_legacy_descriptors(fake_cpuid, cpu, &info);
        if (info.n_caches != (row < COUNT(sizes)))
            fail_msg("descriptor 0x%x: %zu caches", d, (size_t)info.n_caches);
        if (row == COUNT(sizes))
            continue;
        assert_int_equal(info.cache[0].level, sizes[row].level);
        assert_int_equal(info.cache[0].size_bytes, sizes[row].kib * UINT64_C(1024));
        assert_int_equal(info.cache[0].kind, sizes[row].level == 1 ? CACHE_DATA : CACHE_UNIFIED);
        assert_int_equal(info.cache[0].shared_by, 1);
    }
}

/* An Athlon 64 X2 has no L3; a Phenom II X4 has one of 6 MiB. */
static void sizes_by_amd(void **state)
{
    struct leaf cpu[TOLD_LEAVES_MAX] = {
        { 0x80000005, 0, { 0xff08ff08, 0xff20ff20, 0x40020140, 0x40020140 } },
        { 0x80000006, 0, { 0, 0x42004200, 0x02008140, 0 } },
    };
    struct cache_info info = { 0 };

    cache_legacy_sizes(fake_cpuid, cpu, &info);
    assert_int_equal(info.n_caches, 2);
    assert_int_equal(info.cache[0].level, 1);
    assert_int_equal(info.cache[0].size_bytes, 64 << 10);
    assert_int_equal(info.cache[1].level, 2);
    assert_int_equal(info.cache[1].size_bytes, 512 << 10);
    info.n_caches = 0;
    cpu[1].regs[3] = 0x0030b140;
    cache_legacy_sizes(fake_cpuid, cpu, &info);
    assert_int_equal(info.n_caches, 3);
    assert_int_equal(info.cache[2].level, 3);
    assert_int_equal(info.cache[2].size_bytes, 6 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_descriptor),
        cmocka_unit_test(sizes_by_amd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

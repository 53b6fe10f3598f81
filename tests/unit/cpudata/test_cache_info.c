// SPDX-License-Identifier: MIT
#include "cpudata/cache_info.h"

#include "cpudata/fake_cpuid.h"
#include "tests/unit/unit.h"

struct machine {
    const char *name;
    struct leaf leaf[TOLD_LEAVES_MAX]; /* others answer with zeros */
    struct cache cache[CACHES_MAX];
    size_t n_caches;
    uint64_t last_level_bytes;
};

static const struct machine machines[] = {
    { "Xeon, Sapphire Rapids",
      { { 0, 0, { 0x20 } },
        { 4, 0, { 0x04000121, 0x02c0003f, 0x0000003f, 0 } },
        { 4, 1, { 0x04000122, 0x01c0003f, 0x0000003f, 0 } },
        { 4, 2, { 0x04000143, 0x03c0003f, 0x000007ff, 0 } },
        { 4, 3, { 0x04004163, 0x04c0003f, 0x00033fff, 0 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000006, 0, { 0, 0, 0x08007040, 0 } } },
      { { 1, CACHE_DATA, 1, 48 * KIB },
        { 1, CACHE_INSTRUCTION, 1, 32 * KIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 3, CACHE_UNIFIED, 2, 260 * MIB } },
      4,
      260 * MIB },
    { "EPYC, Zen 2: leaf 4 is reserved",
      { { 0, 0, { 0x10 } },
        { 0x80000000, 0, { 0x80000020 } },
        { 0x80000001, 0, { 0, 0, 0x00400000, 0 } },
        { 0x80000005, 0, { 0, 0, 0x20080140, 0x20080140 } },
        { 0x80000006, 0, { 0, 0, 0x02006140, 0x08009140 } },
        { 0x8000001d, 0, { 0x00004121, 0x01c0003f, 0x0000003f, 0 } },
        { 0x8000001d, 1, { 0x00004122, 0x01c0003f, 0x0000003f, 0 } },
        { 0x8000001d, 2, { 0x00004143, 0x01c0003f, 0x000003ff, 2 } },
        { 0x8000001d, 3, { 0x0001c163, 0x03c0003f, 0x00003fff, 1 } } },
      { { 1, CACHE_DATA, 2, 32 * KIB },
        { 1, CACHE_INSTRUCTION, 2, 32 * KIB },
        { 2, CACHE_UNIFIED, 2, 512 * KIB },
        { 3, CACHE_UNIFIED, 8, 16 * MIB } },
      4,
      16 * MIB },
    { "Broadwell with a fourth level",
      { { 0, 0, { 0x14 } },
        { 4, 0, { 0x1c004121, 0x01c0003f, 0x0000003f, 0 } },
        { 4, 1, { 0x1c004122, 0x01c0003f, 0x0000003f, 0 } },
        { 4, 2, { 0x1c004143, 0x01c0003f, 0x000001ff, 0 } },
        { 4, 3, { 0x1c03c163, 0x02c0003f, 0x00001fff, 6 } },
        { 4, 4, { 0x1c03c183, 0x03c0f03f, 0x00001fff, 4 } } },
      { { 1, CACHE_DATA, 2, 32 * KIB },
        { 1, CACHE_INSTRUCTION, 2, 32 * KIB },
        { 2, CACHE_UNIFIED, 2, 256 * KIB },
        { 3, CACHE_UNIFIED, 16, 6 * MIB },
        { 4, CACHE_UNIFIED, 16, 128 * MIB } },
      5,
      128 * MIB },
    { "Phenom II: no topology extensions, so 0x8000001D means nothing",
      { { 0, 0, { 5 } },
        { 0x80000000, 0, { 0x8000001d } },
        { 0x80000001, 0, { 0, 0, 0xffbfffff, 0 } },
        { 0x80000005, 0, { 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140 } },
        { 0x80000006, 0, { 0x20800000, 0x42004200, 0x02008140, 0x0030b140 } },
        { 0x8000001d, EVERY_SUBLEAF, { 0x0001c163, 0x03c0003f, 0x00003fff, 1 } } },
      { { 1, CACHE_DATA, 1, 64 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 3, CACHE_UNIFIED, 1, 6 * MIB } },
      3,
      6 * MIB },
    { "Core 2 with CPUID limited to leaf 3 by its BIOS",
      { { 0, 0, { 3 } },
        { 2, 0, { 0x05b0b101, 0x005657f0, 0x00000000, 0x2cb43049 } },
        { 4, EVERY_SUBLEAF, { 0x04004163, 0x04c0003f, 0x00033fff, 0 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000006, 0, { 0, 0, 0x10008040, 0 } } },
      { { 2, CACHE_UNIFIED, 1, 4 * MIB }, { 1, CACHE_DATA, 1, 32 * KIB } },
      2,
      4 * MIB },
    { "Nehalem, leaf 2",
      { { 0, 0, { 2 } }, { 2, 0, { 0x55035a01, 0x00f0b2e4, 0x00000000, 0x09ca212c } } },
      { { 3, CACHE_UNIFIED, 1, 8 * MIB },
        { 1, CACHE_DATA, 1, 32 * KIB },
        { 2, CACHE_UNIFIED, 1, 256 * KIB } },
      3,
      8 * MIB },
    { "leaf 2: AL is not a descriptor, and a register with bit 31 set holds none",
      { { 0, 0, { 2 } }, { 2, 0, { 0x0000002c, 0x80e4e4e4, 0x0000007d, 0 } } },
      { { 2, CACHE_UNIFIED, 1, 2 * MIB } },
      1,
      2 * MIB },
    { "leaf 2 refers to a leaf 4 that is empty",
      { { 0, 0, { 4 } },
        { 2, 0, { 0x00feff01, 0x000000f0, 0, 0 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000006, 0, { 0, 0, 0x01006040, 0 } } },
      { { 2, CACHE_UNIFIED, 1, 256 * KIB } },
      1,
      256 * KIB },
    { "more descriptors than there is room for",
      { { 0, 0, { 2 } }, { 2, 0, { 0x7d7d7d01, 0x7d7d7d7d, 0x7d7d7d7d, 0x7d7d7d7d } } },
      { { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB },
        { 2, CACHE_UNIFIED, 1, 2 * MIB } },
      8,
      2 * MIB },
    { "subleaves without end: eight are read",
      { { 0, 0, { 4 } }, { 4, EVERY_SUBLEAF, { 0x00000143, 0x01c0003f, 0x000003ff, 0 } } },
      { { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB } },
      8,
      512 * KIB },
    { "impossible entries between good ones",
      { { 0, 0, { 4 } },
        { 4, 0, { 0x00000121, 0x01c0003f, 0x0000003f, 0 } },
        { 4, 1, { 0x00000164, 0x01c0003f, 0x0000003f, 0 } }, /* kind 4 */
        { 4, 2, { 0x00000103, 0x01c0003f, 0x0000003f, 0 } }, /* level 0 */
        { 4, 3, { 0x00000163, 0x00c0003f, 0xffffffff, 0 } }, /* 1 TiB: the limit */
        { 4, 4, { 0x00000163, 0xffffffff, 0xffffffff, 0 } }, /* 2^64 bytes */
        { 4, 5, { 0x00000163, 0x0100003f, 0xffffffff, 0 } }, /* 1.25 TiB */
        { 4, 6, { 0x00000143, 0x01c0003f, 0x000003ff, 0 } } },
      { { 1, CACHE_DATA, 1, 32 * KIB },
        { 3, CACHE_UNIFIED, 1, MIB *MIB },
        { 2, CACHE_UNIFIED, 1, 512 * KIB } },
      3,
      MIB *MIB },
    { "an instruction cache is not a last level",
      { { 0, 0, { 4 } },
        { 4, 0, { 0x00000121, 0x01c0003f, 0x0000003f, 0 } },
        { 4, 1, { 0x00000142, 0x01c0003f, 0x000003ff, 0 } } },
      { { 1, CACHE_DATA, 1, 32 * KIB }, { 2, CACHE_INSTRUCTION, 1, 512 * KIB } },
      2,
      32 * KIB },
};

TEST(test_machines)
{
    for (size_t i = 0; i < COUNT(machines); i++) {
        const struct machine *m = &machines[i];
        struct cache_info info;

        print_message("%s\n", m->name);
        assert_int_equal(cache_info_read(fake_cpuid, (void *)m->leaf, &info), STATUS_OK);
        assert_int_equal(info.n_caches, m->n_caches);
        for (size_t c = 0; c < m->n_caches; c++) {
            assert_int_equal(info.cache[c].level, m->cache[c].level);
            assert_int_equal(info.cache[c].kind, m->cache[c].kind);
            assert_int_equal(info.cache[c].shared_by, m->cache[c].shared_by);
            assert_int_equal(info.cache[c].size_bytes, m->cache[c].size_bytes);
        }
        assert_non_null(cache_last_level(&info));
        assert_int_equal(cache_last_level(&info)->size_bytes, m->last_level_bytes);
    }
}

/* CPUs that report nothing: STATUS_NOT_FOUND, and the output stays as it was. */
TEST(test_nothing)
{
    static const struct machine silent[] = {
        { .name = "no leaf at all" },
        { .name = "leaf 1 is the last", .leaf = { { 0, 0, { 1 } }, { 2, 0, { 0x7d01 } } } },
        { .name = "extended leaves that are not there",
          .leaf = { { 0, 0, { 1 } },
                    { 0x80000000, 0, { 0x00000800 } },
                    { 0x80000006, 0, { 0, 0, 0x02008140, 0 } } } },
        { .name = "0x80000005 is the last",
          .leaf = { { 0, 0, { 1 } },
                    { 0x80000000, 0, { 0x80000005 } },
                    { 0x80000006, 0, { 0, 0, 0x02008140, 0 } } } },
        { .name = "zeros everywhere",
          .leaf = { { 0, 0, { 0x20 } }, { 0x80000000, 0, { 0x80000020 } } } },
    };

    for (size_t i = 0; i < COUNT(silent); i++) {
        struct cache_info info = { .n_caches = 77 };

        print_message("%s\n", silent[i].name);
        assert_int_equal(cache_info_read(fake_cpuid, (void *)silent[i].leaf, &info),
                         STATUS_NOT_FOUND);
        assert_int_equal(info.n_caches, 77);
    }
}

TEST(test_levels)
{
    struct cache_info info;

    assert_int_equal(cache_info_read(fake_cpuid, (void *)machines[0].leaf, &info), STATUS_OK);
    assert_ptr_equal(cache_of_level(&info, 1), &info.cache[0]);
    assert_ptr_equal(cache_of_level(&info, 2), &info.cache[2]);
    assert_ptr_equal(cache_of_level(&info, 3), &info.cache[3]);
    assert_null(cache_of_level(&info, 4));
    assert_null(cache_of_level(&info, 0));
    info.n_caches = 0;
    assert_null(cache_last_level(&info));

    /* a Xeon MP's descriptor 0x49 reads as a second L2 */
    info.cache[0] = (struct cache){ 2, CACHE_UNIFIED, 1, MIB };
    info.cache[1] = (struct cache){ 2, CACHE_UNIFIED, 1, 4 * MIB };
    info.n_caches = 2;
    assert_int_equal(cache_last_level(&info)->size_bytes, 4 * MIB);
}

TEST(test_total)
{
    static const struct {
        uint32_t shared_by;
        uint32_t apic_ids[8];
        size_t n_cpus;
        uint64_t caches;
    } rows[] = {
        { 1, { 0 }, 0, 0 },
        { 1, { 5 }, 1, 1 },
        { 1, { 0, 1, 2, 3 }, 4, 4 },
        { 2, { 0, 1, 2, 3 }, 4, 2 },
        { 8, { 0, 1, 6, 7 }, 4, 1 },
        { 8, { 7, 8 }, 2, 2 },
        { 8, { 16, 0, 23, 7, 17, 1, 15, 8 }, 8, 3 }, /* in any order */
        { 6, { 0, 5, 8, 13 }, 4, 2 },                /* 6 take three bits */
        { 6, { 0, 5, 6, 7 }, 4, 1 },
        { 4096, { 0, 4095, 4096 }, 3, 2 },
        { 2, { 0xfffffffe, 0xffffffff, 0 }, 3, 2 },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct cache c = { 3, CACHE_UNIFIED, rows[r].shared_by, 16 * MIB };

        assert_int_equal(cache_total_bytes(&c, rows[r].apic_ids, rows[r].n_cpus),
                         rows[r].caches * 16 * MIB);
    }
}

#define NONE 0xff /* ends a row */

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

TEST(every_descriptor)
{
    for (uint32_t d = 0; d < 256; d++) {
        struct leaf cpu[TOLD_LEAVES_MAX] = { { 0, 0, { 2 } }, { 2, 0, { 1, 0, d << 16, 0 } } };
        struct cache_info info = { 0 };
        size_t row = row_of((uint8_t)d);

        cache_info_read(fake_cpuid, cpu, &info);
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
TEST(sizes_by_amd)
{
    struct leaf cpu[TOLD_LEAVES_MAX] = {
        { 0x80000000, 0, { 0x80000006 } },
        { 0x80000005, 0, { 0xff08ff08, 0xff20ff20, 0x40020140, 0x40020140 } },
        { 0x80000006, 0, { 0, 0x42004200, 0x02008140, 0 } },
    };
    struct cache_info info = { 0 };

    cache_info_read(fake_cpuid, cpu, &info);
    assert_int_equal(info.n_caches, 2);
    assert_int_equal(info.cache[0].level, 1);
    assert_int_equal(info.cache[0].size_bytes, 64 << 10);
    assert_int_equal(info.cache[1].level, 2);
    assert_int_equal(info.cache[1].size_bytes, 512 << 10);
    cpu[2].regs[3] = 0x0030b140;
    cache_info_read(fake_cpuid, cpu, &info);
    assert_int_equal(info.n_caches, 3);
    assert_int_equal(info.cache[2].level, 3);
    assert_int_equal(info.cache[2].size_bytes, 6 << 20);
}

#define SIDE_CACHE_MIB (UINT64_C(1) << 20)

static const struct {
    struct cpu_model cpu;
    uint64_t hmat[3]; /* sizes, up to a 0 */
    struct side_cache found;
} cases[] = {
    { { CPU_VENDOR_INTEL, 6, 0xbd, 1 }, { 0 }, { 8 * SIDE_CACHE_MIB, "cpu" } },
    { { CPU_VENDOR_INTEL, 6, 0xcc, 2 }, { 0 }, { 8 * SIDE_CACHE_MIB, "cpu" } },
    { { CPU_VENDOR_INTEL, 6, 0xaa, 4 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_INTEL, 15, 0xbd, 1 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_AMD, 6, 0xbd, 1 }, { 0 }, { 0, NULL } },
    { { CPU_VENDOR_INTEL, 6, 0x6a, 6 }, { 96 * GIB }, { 96 * GIB, "hmat" } },
    { { CPU_VENDOR_INTEL, 6, 0x8f, 8 }, { 16 * GIB, 64 * GIB, GIB }, { 64 * GIB, "hmat" } },
    { { CPU_VENDOR_INTEL, 6, 0xbd, 1 }, { 4 * SIDE_CACHE_MIB }, { 4 * SIDE_CACHE_MIB, "hmat" } },
};

TEST(finds_the_largest)
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

// SPDX-License-Identifier: MIT
#include "cpudata/cpu_pairs.h"

#include "cpudata/fake_cpuid.h"
#include "tests/unit/unit.h"

#define CPUS_MAX 12
#define NONE                                                                                       \
    {                                                                                              \
        CPU_PAIR_NONE, 0                                                                           \
    }

/* For each: two CPUs, as indices, by the nearest that they share. */
static const struct {
    const char *name;
    struct cpu_place place[CPUS_MAX];
    uint32_t n;
    struct cpu_pair pair[CPU_SHARES];
} machines[] = {
    { "no CPU", { { 0 } }, 0, { NONE, NONE, NONE, NONE, NONE } },
    { "one CPU", { { 0, { 0, 0, 0, 0 } } }, 1, { NONE, NONE, NONE, NONE, NONE } },
    { "two cores that share nothing but the socket",
      { { 0, { 0, 0, 0, 4 } }, { 1, { 0, 0, 0, 4 } } },
      2,
      { NONE, NONE, NONE, { 0, 1 }, NONE } },
    { "two sockets of two dies of two cores of two threads, each level in turn",
      { { 0, { 1, 1, 2, 3 } },
        { 8, { 1, 1, 2, 3 } },
        { 4, { 1, 1, 2, 3 } },
        { 2, { 1, 1, 2, 3 } },
        { 1, { 1, 1, 2, 3 } } },
      5,
      { { 0, 4 }, NONE, { 0, 3 }, { 0, 2 }, { 0, 1 } } },
    { "clusters of four cores with one L2 (E-cores), beside a P-core of two threads",
      { { 0x00, { 1, 1, 7, 7 } },
        { 0x01, { 1, 1, 7, 7 } },
        { 0x40, { 1, 3, 7, 7 } },
        { 0x42, { 1, 3, 7, 7 } },
        { 0x44, { 1, 3, 7, 7 } } },
      5,
      { { 0, 1 }, { 2, 3 }, { 0, 2 }, NONE, NONE } },
    { "CPUs that disagree share what both report",
      { { 0, { 0, 0, 3, 5 } }, { 1, { 1, 1, 1, 5 } }, { 2, { 0, 0, 3, 5 } } },
      3,
      { NONE, NONE, { 0, 1 }, { 1, 2 }, NONE } },
    { "the largest IDs and shifts",
      { { 0x00000000, { 0, 0, 0, 32 } }, { 0xffffffff, { 0, 0, 31, 32 } } },
      2,
      { NONE, NONE, NONE, { 0, 1 }, NONE } },
    { "a socket of half of all IDs",
      { { 0x7fffffff, { 0, 0, 0, 31 } }, { 0x80000000, { 0, 0, 0, 31 } } },
      2,
      { NONE, NONE, NONE, NONE, { 0, 1 } } },
};

TEST(a_pair_for_each_share)
{
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct cpu_pair pair[CPU_SHARES];

        print_message("%s\n", machines[i].name);
        cpu_pairs_choose(machines[i].place, machines[i].n, pair);
        for (enum cpu_share share = 0; share < CPU_SHARES; share++) {
            const struct cpu_pair *want = &machines[i].pair[share];

            assert_int_equal(pair[share].first, want->first);
            if (want->first != CPU_PAIR_NONE)
                assert_int_equal(pair[share].second, want->second);
        }
    }
}

static const struct {
    const char *name;
    struct leaf leaf[TOLD_LEAVES_MAX];
    uint8_t low_bits[CPU_SHARE_NONE];
} cpus[] = {
    { "an E-core: four share an L2, all an L3",
      { { 0, 0, { 0x20 } },
        { 4, 0, { 0x04000121, 0x01c0003f, 0x3f, 0 } },
        { 4, 1, { 0x0401c143, 0x03c0003f, 0x7ff, 0 } },
        { 4, 2, { 0x041fc163, 0x02c0003f, 0x9fff, 0 } },
        { 0xb, 0, { 1, 1, 0x100, 0 } },
        { 0xb, 1, { 7, 16, 0x201, 0 } } },
      { 1, 3, 7, 7 } },
    { "no cache is reported",
      { { 0, 0, { 0xb } }, { 0xb, 0, { 1, 2, 0x100, 0 } }, { 0xb, 1, { 4, 8, 0x201, 0 } } },
      { 1, 0, 0, 4 } },
    { "CPUID that reports nothing: one socket", { { 0, 0, { 0 } } }, { 0, 0, 0, 32 } },
};

TEST(reads_places)
{
    for (size_t i = 0; i < COUNT(cpus); i++) {
        struct cpu_place place = cpu_place_read(fake_cpuid, (void *)cpus[i].leaf, 5);

        print_message("%s\n", cpus[i].name);
        assert_int_equal(place.apic_id, 5);
        for (enum cpu_share share = 0; share < CPU_SHARE_NONE; share++)
            assert_int_equal(place.low_bits[share], cpus[i].low_bits[share]);
    }
}

TEST(names_shares)
{
    assert_string_equal(cpu_share_name(CPU_SHARE_CORE), "core");
    assert_string_equal(cpu_share_name(CPU_SHARE_L2), "l2");
    assert_string_equal(cpu_share_name(CPU_SHARE_L3), "l3");
    assert_string_equal(cpu_share_name(CPU_SHARE_SOCKET), "socket");
    assert_string_equal(cpu_share_name(CPU_SHARE_NONE), "none");
}

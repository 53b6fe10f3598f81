// SPDX-License-Identifier: MIT
#include "cpudata/sockets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_cpuid.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CPUS_MAX 8

struct machine {
    const char *name;
    struct leaf leaf[TOLD_LEAVES_MAX]; /* others answer with zeros */
    uint32_t apic_id[CPUS_MAX];
    size_t n_cpus;
    uint32_t sockets;
};

static const struct machine machines[] = {
    { "two Xeons, leaf 0xB: threads 1 bit, cores 6 bits",
      { { 0, 0, { 0x16 } },
        { 0xb, 0, { 1, 2, 0x100, 0 } },
        { 0xb, 1, { 6, 56, 0x201, 0 } },
        { 0xb, 2, { 0, 0, 2, 0 } } },
      { 0, 1, 62, 63, 64, 65, 126, 127 },
      8,
      2 },
    { "leaf 0x1F goes before 0xB, and its outermost level counts: dies share a package",
      { { 0, 0, { 0x1f } },
        { 0xb, 0, { 1, 2, 0x100, 0 } },
        { 0xb, 1, { 4, 16, 0x201, 0 } },
        { 0x1f, 0, { 1, 2, 0x100, 0 } },
        { 0x1f, 1, { 4, 16, 0x201, 0 } },
        { 0x1f, 2, { 6, 64, 0x502, 0 } } },
      { 0, 16, 32, 48 },
      4,
      1 },
    { "an empty leaf 0x1F: 0xB reports",
      { { 0, 0, { 0x1f } }, { 0xb, 0, { 0, 1, 0x100, 0 } }, { 0xb, 1, { 2, 4, 0x201, 0 } } },
      { 0, 3, 4, 8 },
      4,
      3 },
    { "leaf 0xB past the last one is not asked",
      { { 0, 0, { 4 } },
        { 0xb, 0, { 8, 4, 0x201, 0 } },
        { 1, 0, { 0, 0x00020000, 0, 0x10000000 } } },
      { 0, 1, 2, 3 },
      4,
      2 },
    { "levels without end: eight are read",
      { { 0, 0, { 0xb } }, { 0xb, EVERY_SUBLEAF, { 3, 4, 0x100, 0 } } },
      { 0, 7, 8 },
      3,
      2 },
    { "two EPYCs without leaf 0xB: the size of the APIC ID",
      { { 0, 0, { 1 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000008, 0, { 0, 0, 0x6000 | 47, 0 } } },
      { 0, 47, 64, 111 },
      4,
      2 },
    { "Opterons that report only a number of cores",
      { { 0, 0, { 1 } }, { 0x80000000, 0, { 0x80000008 } }, { 0x80000008, 0, { 0, 0, 5, 0 } } },
      { 0, 5, 7, 8, 16 },
      5,
      3 },
    { "two Pentium 4 with two threads",
      { { 0, 0, { 1 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 1, 0, { 0, 0x00020000, 0, 0x10000000 } } },
      { 0, 1, 6, 7 },
      4,
      2 },
    { "a CPU alone in its package: the number of threads means nothing",
      { { 0, 0, { 1 } }, { 1, 0, { 0, 0x00100000, 0, 0 } } },
      { 0, 1, 2 },
      3,
      3 },
    { "CPUID that reports nothing", { { 0, 0, { 0 } } }, { 0, 1 }, 2, 0 },
    { "the largest shift, and no CPU",
      { { 0, 0, { 0xb } }, { 0xb, 0, { 31, 2, 0x100, 0 } } },
      { 0 },
      0,
      0 },
    { "the largest shift",
      { { 0, 0, { 0xb } }, { 0xb, 0, { 0xffffffff, 2, 0x100, 0 } } },
      { 0, 0x7fffffff, 0x80000000, 0xffffffff },
      4,
      2 },
};

static void counts_sockets(void **state)
{
    for (size_t i = 0; i < COUNT(machines); i++) {
        const struct machine *m = &machines[i];

        print_message("%s\n", m->name);
        assert_int_equal(sockets_count(fake_cpuid, (void *)m->leaf, m->apic_id, m->n_cpus),
                         m->sockets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_sockets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

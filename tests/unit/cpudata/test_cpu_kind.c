// SPDX-License-Identifier: MIT
#include "cpudata/cpu_kind.h"

#include "cpudata/fake_cpuid.h"
#include "fake_cpuid.h"
#include "tests/unit/unit.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define HYGON 0x6f677948, 0x656e6975, 0x6e65476e
#define MTRRS 0x1000

static const struct {
    const char *name;
    struct leaf leaf[TOLD_LEAVES_MAX];
    struct cpu_identity id;
} cpus[] = {
    { "a P-core: two threads",
      { { 0, 0, { 0x20, INTEL } },
        { 1, 0, { 0x90672, 0, 0, MTRRS } },
        { 7, 0, { 2, 0, 0, 0x8000 } },
        { 0x1a, 0, { 0x40000001, 0, 0, 0 } },
        { 0xb, 0, { 1, 2, 0x100, 0 } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000008, 0, { 0x3027 } } },
      { CPU_KIND_PERFORMANCE, 1, true, true, false, true, 39 } },
    { "an E-core of the same CPU: one thread, numbered as if there were two",
      { { 0, 0, { 0x20, INTEL } },
        { 1, 0, { 0x90672, 0, 0, MTRRS } },
        { 7, 0, { 2, 0, 0, 0x8000 } },
        { 0x1a, 0, { 0x20000001, 0, 0, 0 } },
        { 0xb, 0, { 1, 1, 0x100, 0 } } },
      { CPU_KIND_EFFICIENCY, 1, true, true, false, true, 36 } },
    { "a kind of a later machine",
      { { 0, 0, { 0x20, INTEL } }, { 7, 0, { 2, 0, 0, 0x8000 } }, { 0x1a, 0, { 0x30000001 } } },
      { CPU_KIND_OTHER, 0, true, true, false, false, 36 } },
    { "hybrid without leaf 0x1A, which is not asked",
      { { 0, 0, { 0x19, INTEL } }, { 7, 0, { 2, 0, 0, 0x8000 } }, { 0x1a, 0, { 0x40000001 } } },
      { CPU_KIND_ONLY, 0, true, true, false, false, 36 } },
    { "leaf 0x1A without the hybrid bit",
      { { 0, 0, { 0x20, INTEL } }, { 7, 0, { 2 } }, { 0x1a, 0, { 0x40000001 } } },
      { CPU_KIND_ONLY, 0, true, true, false, false, 36 } },
    { "Zen 5 of a hybrid machine",
      { { 0, 0, { 0x10, AMD } },
        { 1, 0, { 0x00b20f40, 0, 0, MTRRS } },
        { 0xb, 0, { 1, 2, 0x100, 0 } },
        { 0x80000000, 0, { 0x80000026 } },
        { 0x80000026, 0, { 0x40000001, 0x00000002, 0x100, 0 } },
        { 0x80000008, 0, { 0x3030 } } },
      { CPU_KIND_PERFORMANCE, 1, true, false, true, true, 48 } },
    { "Zen 5c in the same CPU",
      { { 0, 0, { 0x10, AMD } },
        { 1, 0, { 0x00b20f40, 0, 0, MTRRS } },
        { 0xb, 0, { 1, 2, 0x100, 0 } },
        { 0x80000000, 0, { 0x80000026 } },
        { 0x80000026, 0, { 0x40000001, 0x10000002, 0x100, 0 } } },
      { CPU_KIND_EFFICIENCY, 1, true, false, true, true, 36 } },
    { "the leaf of an AMD machine of one kind",
      { { 0, 0, { 0x10, AMD } },
        { 0x80000000, 0, { 0x80000026 } },
        { 0x80000026, 0, { 1, 0x10000002, 0x100, 0 } } },
      { CPU_KIND_ONLY, 0, false, false, false, false, 36 } },
    { "Zen without leaf 0xB",
      { { 0, 0, { 1, HYGON } },
        { 1, 0, { 0x00900f01, 0, 0, MTRRS } },
        { 0x80000000, 0, { 0x8000001e } },
        { 0x8000001e, 0, { 0, 0x100, 0, 0 } } },
      { CPU_KIND_ONLY, 1, true, false, true, true, 36 } },
    { "a K8",
      { { 0, 0, { 1, AMD } },
        { 1, 0, { 0xf48, 0, 0, MTRRS } },
        { 0x80000000, 0, { 0x80000008 } },
        { 0x80000008, 0, { 0x3028 } } },
      { CPU_KIND_ONLY, 0, true, false, true, true, 40 } },
    { "leaf 0xB whose first level is cores",
      { { 0, 0, { 0xb, INTEL } }, { 0xb, 0, { 4, 16, 0x200, 0 } } },
      { CPU_KIND_ONLY, 0, true, true, false, false, 36 } },
    { "a Pentium 4 with two threads",
      { { 0, 0, { 5, INTEL } },
        { 1, 0, { 0xf43, 0x00020000, 0, 0x10000000 | MTRRS } },
        { 4, 0, { 0, 0, 0, 0 } } },
      { CPU_KIND_ONLY, 1, true, true, false, true, 36 } },
    { "a Core 2 with four cores",
      { { 0, 0, { 0xa, INTEL } },
        { 1, 0, { 0x6fb, 0x00040000, 0, 0x10000000 | MTRRS } },
        { 4, 0, { 3u << 26, 0, 0, 0 } } },
      { CPU_KIND_ONLY, 0, true, true, false, true, 36 } },
    { "another maker: its MSRs are not read",
      { { 0, 0, { 7, 0x746e6543, 0x736c7561, 0x48727561 } }, { 1, 0, { 0x6fd, 0, 0, MTRRS } } },
      { CPU_KIND_ONLY, 0, false, false, false, true, 36 } },
    { "CPUID that says nothing",
      { { 0, 0, { 0 } } },
      { CPU_KIND_ONLY, 0, false, false, false, false, 36 } },
};

TEST(identifies_cpus)
{
    for (size_t i = 0; i < COUNT(cpus); i++) {
        struct cpu_identity id = cpu_identity_read(fake_cpuid, (void *)cpus[i].leaf);
        const struct cpu_identity *want = &cpus[i].id;

        print_message("%s\n", cpus[i].name);
        assert_int_equal(id.kind, want->kind);
        assert_int_equal(id.thread_bits, want->thread_bits);
        assert_int_equal(id.has_microcode, want->has_microcode);
        assert_int_equal(id.is_intel, want->is_intel);
        assert_int_equal(id.is_amd, want->is_amd);
        assert_int_equal(id.has_mtrrs, want->has_mtrrs);
        assert_int_equal(id.physical_bits, want->physical_bits);
    }
}

TEST(counts_threads)
{
    static const uint32_t ids[] = { 0, 1, 2, 3, 8, 16, 18, 0x80000001 };

    assert_int_equal(cpu_threads_of_core(0, 1, ids, COUNT(ids)), 2);
    assert_int_equal(cpu_threads_of_core(3, 1, ids, COUNT(ids)), 2);
    assert_int_equal(cpu_threads_of_core(8, 1, ids, COUNT(ids)), 1);
    assert_int_equal(cpu_threads_of_core(16, 1, ids, COUNT(ids)), 1);
    assert_int_equal(cpu_threads_of_core(16, 0, ids, COUNT(ids)), 1);
    assert_int_equal(cpu_threads_of_core(1, 2, ids, COUNT(ids)), 4);
    assert_int_equal(cpu_threads_of_core(0x80000001, 31, ids, COUNT(ids)), 1);
}

TEST(names_kinds)
{
    assert_string_equal(cpu_kind_name(CPU_KIND_ONLY), "all");
    assert_string_equal(cpu_kind_name(CPU_KIND_PERFORMANCE), "performance");
    assert_string_equal(cpu_kind_name(CPU_KIND_EFFICIENCY), "efficiency");
    assert_string_equal(cpu_kind_name(CPU_KIND_OTHER), "other");
}

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

TEST(counts_sockets)
{
    for (size_t i = 0; i < COUNT(machines); i++) {
        const struct machine *m = &machines[i];
        uint32_t bits, sockets = 0;

        print_message("%s\n", m->name);
        if (socket_bits_read(fake_cpuid, (void *)m->leaf, &bits))
            sockets = apic_ids_groups(m->apic_id, m->n_cpus, bits);
        assert_int_equal(sockets, m->sockets);
    }
}

static const struct {
    struct leaf leaf[TOLD_LEAVES_MAX];
    struct cpu_model model;
} models[] = {
    { { { 0, 0, { 0x10, AMD } }, { 1, 0, { 0x00a60f12 } } }, { CPU_VENDOR_AMD, 0x19, 0x61, 2 } },
    { { { 0, 0, { 0x10, AMD } }, { 1, 0, { 0x00800f82 } } }, { CPU_VENDOR_AMD, 0x17, 0x08, 2 } },
    { { { 0, 0, { 1, AMD } }, { 1, 0, { 0x00000f51 } } }, { CPU_VENDOR_AMD, 0x0f, 0x05, 1 } },
    { { { 0, 0, { 0xd, HYGON } }, { 1, 0, { 0x00900f01 } } }, { CPU_VENDOR_HYGON, 0x18, 0, 1 } },
    { { { 0, 0, { 0x20, INTEL } }, { 1, 0, { 0x000906ea } } }, { CPU_VENDOR_INTEL, 6, 0x9e, 10 } },
    { { { 0, 0, { 1, 0, 0, 0 } }, { 1, 0, { 0x00010543 } } }, { CPU_VENDOR_OTHER, 5, 4, 3 } },
    { { { 0, 0, { 0, AMD } }, { 1, 0, { 0x00a60f12 } } }, { CPU_VENDOR_AMD, 0, 0, 0 } },
};

TEST(reads_each)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct cpu_model m = cpu_model_read(fake_cpuid, (void *)models[i].leaf);

        assert_int_equal(m.vendor, models[i].model.vendor);
        assert_int_equal(m.family, models[i].model.family);
        assert_int_equal(m.model, models[i].model.model);
        assert_int_equal(m.stepping, models[i].model.stepping);
    }
}

// SPDX-License-Identifier: MIT
#include "cpudata/prefetch.h"

#include "cpudata/fake_cpuid.h"
#include "tests/unit/unit.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define OTHER 0x746e6543, 0x736c7561, 0x48727561

#define HYPERVISOR  0x80000000u
#define PERFORMANCE 0x40000001u
#define EFFICIENT   0x20000001u

/* Family 6. */
#define MODEL(m) ((m) >> 4 << 16 | 6u << 8 | ((m)&0xf) << 4)

static struct prefetch_control intel(uint32_t model, uint32_t ecx, uint32_t hybrid)
{
    const struct leaf leaf[TOLD_LEAVES_MAX] = {
        { 0, 0, { 0x20, INTEL } },
        { 1, 0, { MODEL(model), 0, ecx, 0 } },
        { 7, 0, { 0, 0, 0, hybrid ? 1u << 15 : 0 } },
        { 0x1a, 0, { hybrid } },
    };

    return prefetch_control_find(fake_cpuid, (void *)leaf);
}

static void assert_known(struct prefetch_control c, uint32_t msr, uint64_t off)
{
    assert_int_equal(c.msr, msr);
    assert_int_equal(c.off, off);
}

TEST(intels_by_model)
{
    assert_known(intel(0x1a, 0, 0), 0x1a4, 0xf);
    assert_known(intel(0x9e, 0, 0), 0x1a4, 0xf);
    assert_known(intel(0x55, 0, 0), 0x1a4, 0xf);
    assert_known(intel(0x8f, 0, 0), 0x1a4, 0x2f);
    assert_known(intel(0x97, 0, PERFORMANCE), 0x1a4, 0x2f);
    assert_known(intel(0x5c, 0, 0), 0x1a4, 0x5);
}

TEST(others_are_left_alone)
{
    static const uint32_t unknown[] = {
        0x0f, 0x17, 0x1d, /* Core 2 */
        0x1c, 0x37, 0x4c, /* Atoms */
        0x57, 0x85,       /* Xeon Phi: the same bits mean others */
        0xbe, 0xaf,       /* efficient cores alone */
        0x00, 0xff,
    };

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_known(intel(unknown[i], 0, 0), 0, 0);
    assert_known(intel(0x97, 0, EFFICIENT), 0, 0);
    assert_known(intel(0x9e, HYPERVISOR, 0), 0, 0);
}

static struct prefetch_control amd(uint32_t family, uint32_t ecx, uint32_t last, uint32_t features,
                                   bool is_amd)
{
    const struct leaf leaf[TOLD_LEAVES_MAX] = {
        { 0, 0, { 0x10, AMD } },
        { 1, 0, { (family - 0xf) << 20 | 0xf00, 0, ecx, 0 } },
        { 0x80000000, 0, { last } },
        { 0x80000021, 0, { features } },
    };
    struct leaf other[TOLD_LEAVES_MAX];

    memcpy(other, leaf, sizeof(other));
    memcpy(&other[0], &(struct leaf){ 0, 0, { 0x10, OTHER } }, sizeof(other[0]));
    return prefetch_control_find(fake_cpuid, (void *)(is_amd ? leaf : other));
}

TEST(amds_by_cpuid)
{
    const uint32_t has = 1u << 13, last = 0x80000021;

    assert_known(amd(0x19, 0, last, has, true), 0xc0000108, 0x2f);
    assert_known(amd(0x1a, 0, last, ~0u, true), 0xc0000108, 0x2f);
    assert_known(amd(0x19, 0, last, ~has, true), 0, 0);
    assert_known(amd(0x19, 0, last - 1, has, true), 0, 0);
    assert_known(amd(0x17, 0, last, has, true), 0, 0);
    assert_known(amd(0x19, HYPERVISOR, last, has, true), 0, 0);
    assert_known(amd(0x19, 0, last, has, false), 0, 0);
}

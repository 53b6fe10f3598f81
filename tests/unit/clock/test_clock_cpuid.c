// SPDX-License-Identifier: MIT
#include "clock/clock.c" /* what CPUID says of the counter */

#include "tests/unit/unit.h"

struct leaf {
    uint32_t leaf, eax, ebx, ecx, edx;
};

struct cpu {
    struct leaf leaf[8]; /* the first one: leaf 0 */
};

/* A leaf that is not there shows anything. */
static void played_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct cpu *cpu = ctx;

    for (int i = 0; i < 4; i++)
        regs[i] = leaf == 1 ? 0 : 0xfefefefe;
    for (size_t i = 0; i < 8; i++) {
        const struct leaf *l = &cpu->leaf[i];

        if (l->leaf == leaf && (leaf || i == 0)) {
            const uint32_t values[] = { l->eax, l->ebx, l->ecx, l->edx };

            memcpy(regs, values, sizeof(values));
        }
    }
}

#define HV (1u << 31)

static const struct {
    struct cpu cpu;
    struct tsc_cpuid told;
} cases[] = {
    { { { { 0, 0x14, 0, 0, 0 } } }, { 0 } }, /* the leaves are not there */
    { { { { 0, 0x15, 0, 0, 0 }, { 0x15, 2, 188, 25000000, 0 } } }, { .crystal_hz = 2350000000 } },
    { { { { 0, 0x16, 0, 0, 0 }, { 0x15, 2, 188, 0, 0 }, { 0x16, 2400, 3600, 100, 0 } } },
      { .base_hz = 2400000000 } },
    { { { { 0, 0x16, 0, 0, 0 }, { 0x15, 0, 0, 0, 0 }, { 0x16, 0, 0, 0, 0 } } }, { 0 } },
    { { { { 0, 0x15, 0, 0, 0 }, { 0x15, 1, UINT32_MAX, UINT32_MAX, 0 } } }, { 0 } },
    { { { { 0, 0x15, 0, 0, 0 }, { 0x15, UINT32_MAX, 1, 38400000, 0 } } }, { 0 } },

    /* The same leaves with and without a hypervisor. */
    { { { { 0, 1, 0, 0, 0 },
          { 0x40000000, 0x40000010, 0, 0, 0 },
          { 0x40000010, 2596134, 0, 0, 0 } } },
      { 0 } },
    { { { { 0, 1, 0, 0, 0 },
          { 1, 0, 0, HV, 0 },
          { 0x40000000, 0x40000010, 0, 0, 0 },
          { 0x40000010, 2596134, 0, 0, 0 } } },
      { .hypervisor_hz = 2596134000 } },
    { { { { 0, 1, 0, 0, 0 }, { 1, 0, 0, HV, 0 }, { 0x40000000, 0x4000000f, 0, 0, 0 } } }, { 0 } },
    { { { { 0, 1, 0, 0, 0 }, { 1, 0, 0, HV, 0 }, { 0x40000000, 0xfefefefe, 0, 0, 0 } } }, { 0 } },
    { { { { 0, 1, 0, 0, 0 }, { 1, 0, 0, HV, 0 }, { 0x40000000, 0, 0, 0, 0 } } }, { 0 } },

    /* Hyper-V, with both bits, with one of them, and another's leaf of the same number. */
    { { { { 0, 1, 0, 0, 0 },
          { 1, 0, 0, HV, 0 },
          { 0x40000000, 0x4000000b, 0, 0, 0 },
          { 0x40000001, 0x31237648, 0, 0, 0 },
          { 0x40000003, 1u << 11, 0, 0, 1u << 8 } } },
      { .has_hyper_v_msr = true } },
    { { { { 0, 1, 0, 0, 0 },
          { 1, 0, 0, HV, 0 },
          { 0x40000000, 0x4000000b, 0, 0, 0 },
          { 0x40000001, 0x31237648, 0, 0, 0 },
          { 0x40000003, 1u << 11, 0, 0, 0 } } },
      { 0 } },
    { { { { 0, 1, 0, 0, 0 },
          { 1, 0, 0, HV, 0 },
          { 0x40000000, 0x4000000b, 0, 0, 0 },
          { 0x40000001, 0x12345678, 0, 0, 0 },
          { 0x40000003, 1u << 11, 0, 0, 1u << 8 } } },
      { 0 } },
};

TEST(reads_what_is_there)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cpu cpu = cases[i].cpu;
        struct tsc_cpuid told = tsc_cpuid_read(played_cpuid, &cpu);

        assert_int_equal(told.crystal_hz, cases[i].told.crystal_hz);
        assert_int_equal(told.base_hz, cases[i].told.base_hz);
        assert_int_equal(told.hypervisor_hz, cases[i].told.hypervisor_hz);
        assert_int_equal(told.has_hyper_v_msr, cases[i].told.has_hyper_v_msr);
    }
}

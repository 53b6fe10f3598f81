// SPDX-License-Identifier: MIT
#include "cpudata/encryption.h"

#include "cpudata/fake_cpuid.h"
#include "tests/unit/unit.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define HYGON 0x6f677948, 0x656e6975, 0x6e65476e
#define OTHER 0x746e6543, 0x736c7561, 0x48727561
#define ZEN   0x00a20f12
#define TME   0x982u
#define SYS   0xc0010010u

static const struct {
    const char *name;
    struct leaf leaf[TOLD_LEAVES_MAX];
    bool hypervisor;
    uint32_t msr;
    bool is_unknown; /* if the MSR has 0; else it is off */
} cpus[] = {
    { "Intel with TME", .leaf = { { 0, 0, { 0x20, INTEL } }, { 7, 0, { 0, 0, 0x2000, 0 } } },
      .msr = TME },
    { "Intel with all features but TME",
      .leaf = { { 0, 0, { 0x20, INTEL } }, { 7, 0, { ~0u, ~0u, ~0x2000u, ~0u } } } },
    { "Intel whose last leaf is 6",
      .leaf = { { 0, 0, { 6, INTEL } }, { 7, 0, { 0, 0, 0x2000, 0 } } } },
    { "Intel with AMD's leaf", .leaf = { { 0, 0, { 0x20, INTEL } },
                                         { 0x80000000, 0, { 0x8000001f } },
                                         { 0x8000001f, 0, { 1, 0, 0, 0 } } } },
    { "AMD with SME",
      .leaf = { { 0, 0, { 0x10, AMD } },
                { 1, 0, { ZEN } },
                { 0x80000000, 0, { 0x80000023 } },
                { 0x8000001f, 0, { 0x1014f, 0x173, 0, 0 } } },
      .msr = SYS, .is_unknown = true },
    { "Hygon with SME",
      .leaf = { { 0, 0, { 0x10, HYGON } },
                { 1, 0, { 0x00900f02 } },
                { 0x80000000, 0, { 0x8000001f } },
                { 0x8000001f, 0, { 1 } } },
      .msr = SYS, .is_unknown = true },
    { "AMD without SME", .leaf = { { 0, 0, { 0x10, AMD } },
                                   { 1, 0, { ZEN } },
                                   { 0x80000000, 0, { 0x80000023 } },
                                   { 0x8000001f, 0, { 0x1014e } } } },
    { "AMD whose last leaf is the one before", .leaf = { { 0, 0, { 0xd, AMD } },
                                                         { 1, 0, { ZEN } },
                                                         { 0x80000000, 0, { 0x8000001e } },
                                                         { 0x8000001f, 0, { 1 } } } },
    { "AMD with Intel's bit",
      .leaf = { { 0, 0, { 0x10, AMD } }, { 1, 0, { ZEN } }, { 7, 0, { 0, 0, 0x2000, 0 } } } },
    { "another vendor", .leaf = { { 0, 0, { 0x10, OTHER } },
                                  { 7, 0, { 0, 0, 0x2000, 0 } },
                                  { 0x80000000, 0, { 0x8000001f } },
                                  { 0x8000001f, 0, { 1 } } } },
    { "Intel with TME, by its hypervisor",
      .leaf = { { 0, 0, { 0x20, INTEL } }, { 7, 0, { 0, 0, 0x2000, 0 } } }, .hypervisor = true,
      .is_unknown = true },
    { "a guest that could have SEV",
      .leaf = { { 0, 0, { 0x10, AMD } },
                { 1, 0, { ZEN } },
                { 0x80000000, 0, { 0x8000001f } },
                { 0x8000001f, 0, { 3 } } },
      .hypervisor = true, .is_unknown = true },
};

/* What an MSR has, and which one was read; 0: none. */
static uint64_t value;
static uint32_t read;

static uint64_t fake_msr(uint32_t msr)
{
    assert_int_equal(read, 0);
    read = msr;
    return value;
}

static enum encryption ask(size_t cpu)
{
    read = 0;
    return encryption_read(fake_cpuid, (void *)cpus[cpu].leaf, fake_msr, cpus[cpu].hypervisor);
}

static enum encryption otherwise(size_t cpu)
{
    return cpus[cpu].is_unknown ? ENCRYPTION_UNKNOWN : ENCRYPTION_OFF;
}

TEST(reads_no_other_msr)
{
    value = 0;
    for (size_t i = 0; i < COUNT(cpus); i++) {
        enum encryption found = ask(i);

        if (read != cpus[i].msr || found != otherwise(i))
            fail_msg("%s: MSR 0x%x, %s", cpus[i].name, read, encryption_name(found));
    }
}

static const struct {
    uint32_t msr;
    uint64_t value;
    enum encryption says;
} answers[] = {
    { TME, 0, ENCRYPTION_OFF },
    { TME, 1, ENCRYPTION_OFF }, /* locked, and off */
    { TME, 2, ENCRYPTION_OFF }, /* on, but not in force */
    { TME, 3, ENCRYPTION_TME },
    { TME, 0xb, ENCRYPTION_TME },
    { TME, UINT64_C(0x80000003), ENCRYPTION_OFF },         /* KeyID 0 is bypassed */
    { TME, UINT64_C(0x0004000680000003), ENCRYPTION_OFF }, /* and MKTME's keys are not okram's */
    { TME, UINT64_C(0x000500060000000b), ENCRYPTION_TME }, /* MKTME */
    { TME, UINT64_C(0xffffffff7ffffffc), ENCRYPTION_OFF },
    { SYS, 0, ENCRYPTION_UNKNOWN },
    { SYS, UINT64_C(0x00740000), ENCRYPTION_UNKNOWN },
    { SYS, UINT64_C(1) << 23, ENCRYPTION_SME },
    { SYS, UINT64_C(0x00f40000), ENCRYPTION_SME },
    { SYS, ~(UINT64_C(1) << 23), ENCRYPTION_UNKNOWN },
};

/* Of each CPU that has it. */
TEST(knows_what_they_say)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        value = answers[i].value;
        for (size_t cpu = 0; cpu < COUNT(cpus); cpu++) {
            if (cpus[cpu].msr == answers[i].msr && ask(cpu) != answers[i].says)
                fail_msg("answer %zu of %s", i, cpus[cpu].name);
        }
    }
}

/* Of the others no register is read, whatever is in it. */
TEST(knows_that_others_have_none)
{
    value = UINT64_MAX;
    for (size_t cpu = 0; cpu < COUNT(cpus); cpu++) {
        if (!cpus[cpu].msr)
            assert_int_equal(ask(cpu), otherwise(cpu));
    }
}

TEST(names_them)
{
    assert_string_equal(encryption_name(ENCRYPTION_UNKNOWN), "unknown");
    assert_string_equal(encryption_name(ENCRYPTION_OFF), "off");
    assert_string_equal(encryption_name(ENCRYPTION_TME), "tme");
    assert_string_equal(encryption_name(ENCRYPTION_SME), "sme");
}

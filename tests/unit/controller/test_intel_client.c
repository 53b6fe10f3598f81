// SPDX-License-Identifier: MIT
/* The ECC registers of Intel's client processors: side-band and in-band. */
#include "controller/ecc.h"

#include "controller/played_controller.h"
#include "firmware/memory_ecc.h"

#define HSW    0x0c088086u
#define SKL    0x19188086u
#define ADL    0x46408086u
#define BASE   0xfed10000u
#define NO_ECC (1u << 25)
#define SIZE   0x20u
#define SECOND 0x2000u

static struct controller_source source;

static void begin(uint32_t id)
{
    play_begin();
    source = played_source(CPU_VENDOR_INTEL, 6, 0x3c, 3);
    play(0, 0, 0, PCI_ID, id);
    play(0, 0, 0, 0x48, BASE | 1);
    play(0, 0, 0, 0x4c, 0);
    play(0, 0, 0, 0xe4, ~NO_ECC - 1);
}

/* word: MAD_DIMM up to Haswell. */
static void begin_haswell(uint32_t mad0, uint32_t mad1)
{
    begin(HSW);
    play_memory(BASE + 0x5004, mad0);
    play_memory(BASE + 0x5008, mad1);
}

static void begin_skylake(const uint32_t sizes[2], const uint32_t modes[2])
{
    begin(SKL);
    for (unsigned i = 0; i < 2; i++) {
        play_memory(BASE + 0x5004 + 4 * i, modes[i]);
        play_memory(BASE + 0x500c + 4 * i, sizes[i]);
    }
}

static enum ecc_answer is_on(void)
{
    struct ecc_control control = controller_ecc(&source);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    assert_int_equal(control.repair, 0);
    return control.is_on;
}

TEST(decodes_mad_dimm)
{
    static const struct {
        uint32_t mad[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 3 << 24 | SIZE, 3 << 24 | SIZE }, ECC_YES },
        { { 0xff620000 | SIZE, 0x03000000 | SECOND }, ECC_YES },
        { { SIZE, SIZE }, ECC_NO },
        { { 0xfc620000 | SIZE, SECOND }, ECC_NO },
        { { 3 << 24 | SIZE, 0 }, ECC_YES },
        { { 0x03620000, SIZE }, ECC_NO }, /* no module: its mode does not count */
        { { 3 << 24 | SIZE, SIZE }, ECC_NOT_SAID },
        { { SIZE, 3 << 24 | SIZE }, ECC_NOT_SAID },
        { { 1 << 24 | SIZE, 0 }, ECC_NOT_SAID },
        { { 2 << 24 | SIZE, 0 }, ECC_NOT_SAID },
        { { 0, 0 }, ECC_NOT_SAID },
        { { ABSENT, ABSENT }, ECC_NOT_SAID },
        { { 3 << 24 | SIZE, ABSENT }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_haswell(cases[i].mad[0], cases[i].mad[1]);
        assert_int_equal(is_on(), cases[i].is_on);
    }
}

TEST(decodes_mad_intra)
{
    static const struct {
        uint32_t sizes[2], modes[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 8, 8 }, { 3 << 12, 3 << 12 | 0xfff }, ECC_YES },
        { { 8 << 16, 8 }, { 3 << 12, 3 << 12 }, ECC_YES },
        { { 8, 8 }, { 0, 0xffffcfff }, ECC_NO },
        { { 8, 0xffc0ffc0 }, { 3 << 12, 0 }, ECC_YES }, /* the second has no module */
        { { 8, 8 }, { 3 << 12, 0 }, ECC_NOT_SAID },
        { { 8, 0 }, { 1 << 12, 0 }, ECC_NOT_SAID },
        { { 8, 0 }, { 2 << 12, 0 }, ECC_NOT_SAID },
        { { 0, 0 }, { 3 << 12, 3 << 12 }, ECC_NOT_SAID },
        { { 8, ABSENT }, { 3 << 12, 3 << 12 }, ECC_NOT_SAID },
        { { 8, 8 }, { 3 << 12, ABSENT }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_skylake(cases[i].sizes, cases[i].modes);
        assert_int_equal(is_on(), cases[i].is_on);
    }
}

TEST(finds_the_registers)
{
    static const struct {
        uint32_t low, high;
        uint64_t base; /* 0: they are not mapped */
    } bars[] = {
        { BASE | 1, 0, BASE },
        { BASE | 0x7fff, 0, BASE },
        { 1, 4, UINT64_C(4) << 32 },
        { 1, 0x80, 0 },
        { BASE, 0, 0 },
        { 1, 0, 0 },
        { ABSENT, 0, 0 },
        { BASE | 1, ABSENT, 0 },
    };

    for (size_t i = 0; i < LENGTH(bars); i++) {
        begin(HSW);
        play(0, 0, 0, 0x48, bars[i].low);
        play(0, 0, 0, 0x4c, bars[i].high);
        if (bars[i].base) {
            play_memory(bars[i].base + 0x5004, 3 << 24 | SIZE);
            play_memory(bars[i].base + 0x5008, 0);
        }
        assert_int_equal(is_on(), bars[i].base ? ECC_YES : ECC_NOT_SAID);
        assert_int_equal(played.mapped != 0, bars[i].base != 0);
    }
    begin(HSW); /* nothing can be mapped there */
    assert_int_equal(is_on(), ECC_NOT_SAID);
}

/* Where the mode is not known, only that there is none. */
TEST(heeds_the_capability)
{
    static const uint32_t ids[] = { HSW, SKL, ADL, 0x01088086, 0x3ec28086, 0xa7008086, 0xa7458086 };

    for (size_t i = 0; i < LENGTH(ids); i++) {
        begin(ids[i]);
        play(0, 0, 0, 0xe4, NO_ECC);
        assert_int_equal(is_on(), ECC_NO);
        assert_int_equal(played.mapped, 0);
        play(0, 0, 0, 0xe4, ABSENT);
        assert_int_equal(is_on(), ECC_NOT_SAID);
    }
    begin(ADL);
    assert_int_equal(is_on(), ECC_NOT_SAID);
    assert_int_equal(played.mapped, 0);
}

/* 29c0: of QEMU's q35. */
TEST(leaves_other_bridges_alone)
{
    static const uint32_t ids[] = { ABSENT, 0, 0x29c08086, 0x12378086, 0x0c081022, 0x8086 };

    for (size_t i = 0; i < LENGTH(ids); i++) {
        begin(ids[i]);
        play(0, 0, 0, 0xe4, NO_ECC);
        assert_int_equal(is_on(), ECC_NOT_SAID);
        assert_int_equal(played.mapped, 0);
    }
    begin_haswell(3 << 24 | SIZE, 0);
    source.cpu.vendor = CPU_VENDOR_OTHER;
    assert_int_equal(is_on(), ECC_NOT_SAID);
}

/* Under a hypervisor not even the identity of a bridge is read. */
TEST(reads_nothing_under_a_hypervisor)
{
    static const enum cpu_vendor vendors[] = { CPU_VENDOR_INTEL, CPU_VENDOR_AMD, CPU_VENDOR_HYGON };
    static const uint32_t models[] = { 0x3c, 0x3f, 0x55, 0x6a, 0x8f };

    for (size_t i = 0; i < LENGTH(vendors); i++) {
        for (size_t k = 0; k < LENGTH(models); k++) {
            begin_haswell(3 << 24 | SIZE, 0);
            source.cpu.vendor = vendors[i];
            source.cpu.model = models[k];
            source.is_virtual = true;
            assert_int_equal(is_on(), ECC_NOT_SAID);
            assert_int_equal(played.reads + played.walks + played.mapped, 0);
        }
    }
    begin_haswell(3 << 24 | SIZE, 0);
    assert_int_equal(is_on(), ECC_YES);
}

struct in_band {
    uint32_t id;
    unsigned offset; /* of the capability */
    uint32_t with, without;
    unsigned controllers;
    uint32_t base, activate;
    uint32_t stepping;
};

static const struct in_band elkhart = { 0x45148086, 0xec, 1 << 15, 0, 1, 0x5000, 0xdc00, 0 };
static const struct in_band ice = { 0x45818086, 0xec, 0, 1 << 15, 1, 0x5000, 0xd800, 1 };
static const struct in_band tiger = { 0x9a148086, 0xf0, 0, 1 << 12, 2, 0x5000, 0xd400, 0 };
static const struct in_band alder = { 0x46018086, 0xf0, 0, 1 << 12, 2, 0xd800, 0xd400, 0 };
static const struct in_band meteor = { 0x7d018086, 0xf0, 1 << 12, 1 << 18, 2, 0xd800, 0xd400, 0 };
static const struct in_band *const in_band[] = { &elkhart, &ice, &tiger, &alder, &meteor };

#define IBECC_BASE 0xfedc0000u

static void begin_in_band(const struct in_band *b, uint32_t capability)
{
    begin(b->id);
    source.cpu.stepping = b->stepping;
    play(0, 0, 0, b->offset, capability);
    play(0, 0, 0, 0x48, IBECC_BASE | 1);
}

/* inter, sizes: of a controller; all ones: it is not there. */
static void play_controller(const struct in_band *b, unsigned i, uint32_t inter, uint32_t sizes,
                            uint32_t activate)
{
    uint64_t registers = IBECC_BASE + i * 0x10000;

    play_memory(registers + b->base, inter);
    play_memory(registers + b->base + 0x0c, 0);
    play_memory(registers + b->base + 0x10, sizes);
    play_memory(registers + b->activate, activate);
}

static void expect_in_band(enum ecc_answer is_on)
{
    struct ecc_control control = controller_ecc(&source);

    assert_int_equal(control.is_on, is_on);
    assert_int_equal(control.repair, is_on == ECC_YES ? MEMORY_REPAIR_IN_BAND_ECC : 0);
}

TEST(decodes_in_band_ecc)
{
    static const struct {
        uint32_t inter[2], sizes[2], activate[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 3, 3 }, { 8, 8 << 16 }, { 1, ~0u - 2 }, ECC_YES },
        { { 3, 3 }, { 8, 8 }, { 0, ~1u }, ECC_NO },
        { { 3, 3 }, { 8, 8 }, { 1, 0 }, ECC_NOT_SAID },
        { { 3, 3 }, { 8, 0x80 }, { 1, 0 }, ECC_YES }, /* the second has no memory */
        { { 3, ABSENT }, { 8, ABSENT }, { 1, ABSENT }, ECC_YES },
        { { 3, 3 }, { 8, 8 }, { 1, ABSENT }, ECC_NOT_SAID },
        { { 3, 3 }, { 8, ABSENT }, { 1, 1 }, ECC_NOT_SAID },
        { { ABSENT, ABSENT }, { ABSENT, ABSENT }, { ABSENT, ABSENT }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (size_t k = 2; k < LENGTH(in_band); k++) {
            begin_in_band(in_band[k], in_band[k]->with);
            for (unsigned n = 0; n < 2; n++)
                play_controller(in_band[k], n, cases[i].inter[n], cases[i].sizes[n],
                                cases[i].activate[n]);
            expect_in_band(cases[i].is_on);
        }
    }
}

TEST(heeds_the_capability_of_in_band_ecc)
{
    for (size_t i = 0; i < LENGTH(in_band); i++) {
        begin_in_band(in_band[i], in_band[i]->with);
        for (unsigned n = 0; n < in_band[i]->controllers; n++)
            play_controller(in_band[i], n, 3, 8, 1);
        expect_in_band(ECC_YES);
        play(0, 0, 0, in_band[i]->offset, in_band[i]->without);
        played.mapped = 0;
        expect_in_band(ECC_NO);
        play(0, 0, 0, in_band[i]->offset, ABSENT);
        expect_in_band(ECC_NOT_SAID);
        assert_int_equal(played.mapped, 0);
    }
    begin_in_band(&ice, ice.with);
    play_controller(&ice, 0, 3, 8, 1);
    source.cpu.stepping = 0;
    expect_in_band(ECC_NO);
}

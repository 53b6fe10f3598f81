// SPDX-License-Identifier: MIT
/* AMD's registers of ECC. */
#include "controller/ecc.h"

#include "controller/played_controller.h"

#define AMD        0x1022u
#define HYGON      0x1d94u
#define IN_USE     0x80000000u
#define ON         0x40000000u
#define WITH_DIMMS 0x1000u
#define SELECTED   0x201u /* a chip select that is on */
#define BRIDGE     0x06000000u

#define NB_F1 1
#define NB_F3 3

static struct controller_source source;

static void play_root(unsigned bus, uint32_t vendor)
{
    play(bus, 0, 0, PCI_ID, 0x14d80000 | vendor);
    play(bus, 0, 0, PCI_CLASS, BRIDGE);
    play(bus, 0, 0, SMN_INDEX, OLD_INDEX);
}

static void play_node(unsigned node, uint32_t vendor)
{
    play(0, 0x18 + node, 0, PCI_ID, 0x14600000 | vendor);
    play(0, 0x18 + node, 0, PCI_CLASS, BRIDGE);
}

/* select: of the last of its chip selects; the others are off. */
static void play_umc(unsigned bus, unsigned channel, uint32_t sdp, uint32_t cap_hi, uint32_t cfg,
                     uint32_t select)
{
    uint32_t base = 0x50000 + (channel << 20);

    for (unsigned i = 0; i < 8; i++)
        play_smn(bus, base + 4 * i, i == 7 ? select : SELECTED - 1);
    play_smn(bus, base + 0x100, cfg);
    play_smn(bus, base + 0x104, sdp);
    play_smn(bus, base + 0xdf4, cap_hi);
}

static void begin(uint32_t family, uint32_t model, uint32_t vendor)
{
    play_begin();
    source = played_source(vendor == HYGON ? CPU_VENDOR_HYGON : CPU_VENDOR_AMD, family, model, 0);
}

/* Of a machine with one node, whose SMN has its index again afterwards. */
static struct ecc_control read_one(void)
{
    struct ecc_control control = controller_ecc(&source);

    assert_int_equal(pci_read(pci_function_at(0, 0, 0), SMN_INDEX), OLD_INDEX);
    return control;
}

/* The last channel alone is in use, and it is asked; the one after it is not. */
TEST(knows_how_many_channels_a_model_has)
{
    static const struct {
        uint32_t family, model, vendor;
        unsigned channels; /* 0: the model is not known, and nothing is read */
    } models[] = {
        { 0x17, 0x00, AMD, 2 },   { 0x17, 0x2f, AMD, 2 },   { 0x17, 0x30, AMD, 8 },
        { 0x17, 0x3f, AMD, 8 },   { 0x17, 0x40, AMD, 0 },   { 0x17, 0x60, AMD, 2 },
        { 0x17, 0x71, AMD, 2 },   { 0x17, 0x80, AMD, 0 },   { 0x18, 0x00, HYGON, 2 },
        { 0x18, 0x03, HYGON, 2 }, { 0x18, 0x04, HYGON, 0 }, { 0x18, 0x10, HYGON, 0 },
        { 0x19, 0x01, AMD, 8 },   { 0x19, 0x11, AMD, 12 },  { 0x19, 0x21, AMD, 2 },
        { 0x19, 0x30, AMD, 0 },   { 0x19, 0x44, AMD, 4 },   { 0x19, 0x50, AMD, 2 },
        { 0x19, 0x61, AMD, 2 },   { 0x19, 0x74, AMD, 4 },   { 0x19, 0x90, AMD, 0 },
        { 0x19, 0xa0, AMD, 12 },  { 0x1a, 0x02, AMD, 12 },  { 0x1a, 0x20, AMD, 0 },
        { 0x1a, 0x44, AMD, 2 },   { 0x1a, 0x50, AMD, 16 },  { 0x1a, 0x58, AMD, 0 },
        { 0x1a, 0x90, AMD, 8 },   { 0x1a, 0xaf, AMD, 8 },   { 0x1a, 0xc7, AMD, 16 },
        { 0x1a, 0xc8, AMD, 0 },   { 0x1b, 0x00, AMD, 0 },
    };

    for (size_t i = 0; i < COUNT(models); i++) {
        unsigned channels = models[i].channels;

        begin(models[i].family, models[i].model, models[i].vendor);
        play_root(0, models[i].vendor);
        play_node(0, models[i].vendor);
        for (unsigned k = 0; k < channels; k++)
            play_umc(0, k, k == channels - 1 ? IN_USE : 0, ON, 0, SELECTED);
        assert_int_equal(read_one().is_on, channels ? ECC_YES : ECC_NOT_SAID);
        assert_int_equal(played.writes != 0, channels != 0);
    }
}

TEST(decodes_the_umcs)
{
    static const struct {
        struct {
            uint32_t sdp, cap_hi, cfg, select;
        } umc[2];
        enum ecc_answer is_on, modules;
    } cases[] = {
        { { { IN_USE, ON, WITH_DIMMS, 1 }, { IN_USE, ON, WITH_DIMMS, 1 } }, ECC_YES, ECC_YES },
        { { { IN_USE, ~ON, ~WITH_DIMMS, 1 }, { IN_USE, 0, 0, 1 } }, ECC_NO, ECC_NOT_SAID },
        { { { IN_USE, 0, WITH_DIMMS, 1 }, { IN_USE, 0, WITH_DIMMS, 1 } }, ECC_NO, ECC_YES },
        { { { IN_USE, 0, WITH_DIMMS, 1 }, { IN_USE, 0, 0, 1 } }, ECC_NO, ECC_NOT_SAID },
        { { { IN_USE, ON, 0, 1 }, { IN_USE, 0, 0, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, 0, 1 }, { ~IN_USE, 0, 0, 1 } }, ECC_YES, ECC_NOT_SAID },
        { { { IN_USE, ON, 0, 1 }, { IN_USE, 0, 0, 0 } }, ECC_YES, ECC_NOT_SAID }, /* no module */
        { { { IN_USE, ON, 0, 0 }, { IN_USE, ON, 0, 0 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { 0, ON, WITH_DIMMS, 1 }, { 0, ON, WITH_DIMMS, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, 0, 1 }, { ABSENT, ABSENT, ABSENT, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ABSENT, 0, 1 }, { IN_USE, ON, 0, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, ABSENT, 1 }, { IN_USE, ON, 0, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, 0, ABSENT }, { IN_USE, ON, 0, 1 } }, ECC_NOT_SAID, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ecc_control control;

        begin(0x19, 0x61, AMD);
        play_root(0, AMD);
        play_node(0, AMD);
        for (unsigned k = 0; k < 2; k++)
            play_umc(0, k, cases[i].umc[k].sdp, cases[i].umc[k].cap_hi, cases[i].umc[k].cfg,
                     cases[i].umc[k].select);
        control = read_one();
        assert_int_equal(control.is_on, cases[i].is_on);
        assert_int_equal(control.modules_have_it, cases[i].modules);
    }
}

/* Naples has a host bridge for each of its nodes, Rome four for each. */
TEST(asks_all_nodes)
{
    static const struct {
        unsigned nodes, roots;
        bool has_segments;
        uint32_t off; /* nodes whose ECC is off */
        uint32_t empty;
        enum ecc_answer is_on;
    } cases[] = {
        { 1, 1, false, 0, 0, ECC_YES },           { 1, 4, true, 0, 0, ECC_YES },
        { 4, 4, false, 0, 0, ECC_YES },           { 8, 8, false, 0, 0, ECC_YES },
        { 8, 8, false, 1 << 7, 0, ECC_NOT_SAID }, { 8, 8, false, 1 << 7, 1 << 7, ECC_YES },
        { 8, 8, false, 0xff, 0, ECC_NO },         { 8, 8, false, 0, 0xff, ECC_NOT_SAID },
        { 2, 8, false, 0, 0, ECC_YES },           { 2, 8, false, 1 << 1, 0, ECC_NOT_SAID },
        { 2, 8, true, 0, 0, ECC_NOT_SAID },       { 2, 7, false, 0, 0, ECC_NOT_SAID },
        { 2, 1, false, 0, 0, ECC_NOT_SAID },      { 0, 1, false, 0, 0, ECC_NOT_SAID },
        { 1, 0, false, 0, 0, ECC_NOT_SAID },      { 1, 65, false, 0, 0, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned each = cases[i].nodes ? cases[i].roots / cases[i].nodes : 0;

        begin(0x17, 0x01, AMD);
        source.mcfg.has_segments = cases[i].has_segments;
        for (unsigned k = 0; k < cases[i].roots; k++)
            play_root(k, AMD);
        for (unsigned k = 0; k < cases[i].nodes; k++)
            play_node(k, AMD);
        for (unsigned k = 0; each && k < cases[i].nodes; k++) {
            uint32_t cap = cases[i].off >> k & 1 ? 0 : ON;

            play_umc(k * each, 0, IN_USE, cap, 0, cases[i].empty >> k & 1 ? 0 : SELECTED);
            play_umc(k * each, 1, 0, 0, 0, 0);
        }
        assert_int_equal(controller_ecc(&source).is_on, cases[i].is_on);
        for (unsigned k = 0; k < cases[i].roots; k++)
            assert_int_equal(pci_read(pci_function_at(k, 0, 0), SMN_INDEX), OLD_INDEX);
    }
}

TEST(leaves_other_bridges_alone)
{
    static const struct {
        uint32_t id, class_code;
    } bridges[] = {
        { ABSENT, BRIDGE },
        { 0x29c08086, BRIDGE },
        { 0x14508086, BRIDGE },
        { 0x14501022, 0x06040000 }, /* a PCI bridge */
    };

    for (size_t i = 0; i < COUNT(bridges); i++) {
        begin(0x17, 0x01, AMD);
        play_root(0, AMD);
        play_node(0, AMD);
        play_umc(0, 0, IN_USE, ON, WITH_DIMMS, SELECTED);
        play_umc(0, 1, IN_USE, ON, WITH_DIMMS, SELECTED);
        play(0, 0, 0, PCI_ID, bridges[i].id);
        play(0, 0, 0, PCI_CLASS, bridges[i].class_code);
        assert_int_equal(read_one().is_on, ECC_NOT_SAID);
        assert_int_equal(played.writes, 0);
    }
}

TEST(an_index_that_does_not_hold)
{
    begin(0x17, 0x01, AMD);
    play_root(0, AMD);
    play_node(0, AMD);
    play_umc(0, 0, IN_USE, ON, WITH_DIMMS, SELECTED);
    play_umc(0, 1, IN_USE, ON, WITH_DIMMS, SELECTED);
    played.index_is_fixed = true;
    assert_int_equal(read_one().is_on, ECC_NOT_SAID);
}

/* to: the node that a range of addresses goes to, the only one; 8: none does. */
static void play_north_bridge(unsigned node, uint32_t id, uint32_t cfg, uint32_t cap, uint32_t to)
{
    play(0, 0x18 + node, NB_F1, PCI_ID, 0x12011022);
    for (unsigned i = 0; i < 8; i++) {
        play(0, 0x18 + node, NB_F1, 0x40 + 8 * i, i == 7 && to < 8 ? 0x1000003 : 0);
        play(0, 0x18 + node, NB_F1, 0x44 + 8 * i, i == 7 && to < 8 ? 0x1ff0000 | to : 0);
    }
    play(0, 0x18 + node, NB_F3, PCI_ID, id);
    play(0, 0x18 + node, NB_F3, 0x44, cfg);
    play(0, 0x18 + node, NB_F3, 0xe8, cap);
}

TEST(decodes_the_north_bridges)
{
    static const struct {
        uint32_t id, cfg, cap;
        enum ecc_answer is_on;
    } cases[] = {
        { 0x11031022, 1 << 22, 1 << 3, ECC_YES },        { 0x12031022, 1 << 22, 0x18, ECC_YES },
        { 0x16031022, 0x7fffffff, 0x18, ECC_YES },       { 0x16031022, 0, 0x18, ECC_NO },
        { 0x15331022, 1 << 21 | 1 << 23, 0x18, ECC_NO }, { 0x15831022, 1 << 22, 0x10, ECC_NO },
        { 0x12031022, ABSENT, 0x18, ECC_NOT_SAID },      { 0x12031022, 0, ABSENT, ECC_NOT_SAID },
        { 0x12038086, 1 << 22, 0x18, ECC_NOT_SAID },     { 0x12341022, 0, 0x18, ECC_NOT_SAID },
        { ABSENT, 1 << 22, 0x18, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ecc_control control;

        begin(0x10, 4, AMD);
        play_north_bridge(0, cases[i].id, cases[i].cfg, cases[i].cap, 0);
        control = controller_ecc(&source);
        assert_int_equal(control.is_on, cases[i].is_on);
        assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
        assert_int_equal(played.writes, 0);
    }
}

TEST(all_north_bridges_with_memory_must_agree)
{
    begin(0x10, 4, AMD);
    for (unsigned i = 0; i < 8; i++)
        play_north_bridge(i, 0x12031022, 1 << 22, 1 << 3, i);
    assert_int_equal(controller_ecc(&source).is_on, ECC_YES);
    play_north_bridge(7, 0x12031022, 0, 1 << 3, 7);
    assert_int_equal(controller_ecc(&source).is_on, ECC_NOT_SAID);
    play_north_bridge(7, 0x12031022, 0, 1 << 3, 6); /* the range is another node's */
    assert_int_equal(controller_ecc(&source).is_on, ECC_YES);
    play_north_bridge(7, 0x12031022, 0, 1 << 3, 8);
    assert_int_equal(controller_ecc(&source).is_on, ECC_YES);
    for (unsigned i = 0; i < 7; i++)
        play_north_bridge(i, 0x12031022, 1 << 22, 1 << 3, 8);
    assert_int_equal(controller_ecc(&source).is_on, ECC_NOT_SAID);
}

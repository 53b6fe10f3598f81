// SPDX-License-Identifier: MIT
/* AMD's registers of ECC, in a configuration space and an SMN that the test plays. */
#include "device/ecc_amd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/pci.h"

#define INDEX      0x60
#define DATA       0x64
#define OLD_INDEX  0x13b102f0u
#define IN_USE     0x80000000u
#define ON         0x40000000u
#define WITH_DIMMS 0x1000u
#define ABSENT     UINT32_MAX

static struct {
    uint32_t bridge_id;
    uint32_t index;
    bool index_is_fixed; /* it does not hold what is written */
    unsigned index_writes;
    unsigned channels; /* SMN has no other ones: reading them fails the test */
    struct {
        uint32_t cfg, sdp, cap_hi;
    } umc[16];
    uint32_t nb_id[8], nb_cfg[8], nb_cap[8];
} hw;

static int begin(void **state)
{
    memset(&hw, 0, sizeof(hw));
    hw.bridge_id = ABSENT;
    hw.index = OLD_INDEX;
    for (size_t i = 0; i < 8; i++)
        hw.nb_id[i] = ABSENT;
    return 0;
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ bus << 16 | device << 11 | number << 8 };
}

static uint32_t read_played_smn(void)
{
    unsigned channel = hw.index >> 20;

    assert_true(channel < hw.channels);
    switch (hw.index & 0xfffff) {
    case 0x50100:
        return hw.umc[channel].cfg;
    case 0x50104:
        return hw.umc[channel].sdp;
    case 0x50df4:
        return hw.umc[channel].cap_hi;
    }
    fail_msg("SMN is read at 0x%x", hw.index);
    return 0;
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    unsigned device = f.address >> 11 & 31, number = f.address >> 8 & 7;

    assert_int_equal(f.address >> 16, 0);
    if (device == 0) {
        assert_int_equal(number, 0);
        if (offset == PCI_ID)
            return hw.bridge_id;
        if (offset == INDEX)
            return hw.index;
        assert_int_equal(offset, DATA);
        return read_played_smn();
    }
    assert_true(device >= 0x18 && number == 3);
    switch (offset) {
    case PCI_ID:
        return hw.nb_id[device - 0x18];
    case 0x44:
        return hw.nb_cfg[device - 0x18];
    case 0xe8:
        return hw.nb_cap[device - 0x18];
    }
    fail_msg("the north bridge is read at 0x%x", offset);
    return 0;
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    assert_int_equal(f.address, 0);
    assert_int_equal(offset, INDEX); /* and nothing else */
    hw.index_writes++;
    if (!hw.index_is_fixed)
        hw.index = value;
}

static struct ecc_control read_model(uint32_t family, uint32_t model)
{
    struct cpu_model cpu = { CPU_VENDOR_AMD, family, model, 0 };
    struct ecc_control control = ecc_amd_read(&cpu);

    assert_int_equal(hw.index, OLD_INDEX);
    return control;
}

static void play(uint32_t bridge, unsigned channels, uint32_t sdp, uint32_t cap_hi, uint32_t cfg)
{
    begin(NULL);
    hw.bridge_id = bridge;
    hw.channels = channels;
    for (unsigned i = 0; i < channels; i++) {
        hw.umc[i].sdp = sdp;
        hw.umc[i].cap_hi = cap_hi;
        hw.umc[i].cfg = cfg;
    }
}

/* The last channel alone is in use, and it is asked; the one after it is not. */
static void knows_how_many_channels_a_model_has(void **state)
{
    static const struct {
        uint32_t family, model;
        uint32_t bridge;
        unsigned channels; /* 0: the model is not known, and nothing is read */
    } models[] = {
        { 0x17, 0x00, 0x14501022, 2 },  { 0x17, 0x08, 0x14501022, 2 },
        { 0x17, 0x2f, 0x15d01022, 2 },  { 0x17, 0x30, 0x14801022, 8 },
        { 0x17, 0x3f, 0x14801022, 8 },  { 0x17, 0x40, 0x14801022, 0 },
        { 0x17, 0x60, 0x16301022, 2 },  { 0x17, 0x71, 0x14801022, 2 },
        { 0x17, 0x80, 0x14801022, 0 },  { 0x18, 0x01, 0x14501d94, 2 },
        { 0x19, 0x01, 0x14801022, 8 },  { 0x19, 0x11, 0x14a41022, 12 },
        { 0x19, 0x21, 0x14801022, 2 },  { 0x19, 0x30, 0x14801022, 0 },
        { 0x19, 0x50, 0x16301022, 2 },  { 0x19, 0x61, 0x14d81022, 2 },
        { 0x19, 0x74, 0x14e81022, 4 },  { 0x19, 0x90, 0x14f81022, 0 },
        { 0x19, 0xa0, 0x14a41022, 12 }, { 0x1a, 0x02, 0x153a1022, 12 },
        { 0x1a, 0x44, 0x14d81022, 2 },  { 0x1a, 0x50, 0x153a1022, 0 },
        { 0x1b, 0x00, 0x153a1022, 0 },
    };

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        unsigned channels = models[i].channels;

        play(models[i].bridge, channels, 0, 0, 0);
        if (channels) {
            hw.umc[channels - 1].sdp = IN_USE;
            hw.umc[channels - 1].cap_hi = ON;
        }
        assert_int_equal(read_model(models[i].family, models[i].model).is_on,
                         channels ? ECC_YES : ECC_NOT_SAID);
        assert_int_equal(hw.index_writes != 0, channels != 0);
    }
}

static void decodes_the_umcs(void **state)
{
    static const struct {
        struct {
            uint32_t sdp, cap_hi, cfg;
        } umc[2];
        enum ecc_answer is_on, modules;
    } cases[] = {
        { { { IN_USE, ON, WITH_DIMMS }, { IN_USE, ON, WITH_DIMMS } }, ECC_YES, ECC_YES },
        { { { IN_USE, ~ON, ~WITH_DIMMS }, { IN_USE, 0, 0 } }, ECC_NO, ECC_NOT_SAID },
        { { { IN_USE, 0, WITH_DIMMS }, { IN_USE, 0, WITH_DIMMS } }, ECC_NO, ECC_YES },
        { { { IN_USE, 0, WITH_DIMMS }, { IN_USE, 0, 0 } }, ECC_NO, ECC_NOT_SAID },
        { { { IN_USE, ON, 0 }, { IN_USE, 0, 0 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, 0 }, { ~IN_USE, 0, 0 } }, ECC_YES, ECC_NOT_SAID },
        { { { 0, ON, WITH_DIMMS }, { 0, ON, WITH_DIMMS } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, 0 }, { ABSENT, ABSENT, ABSENT } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ABSENT, 0 }, { IN_USE, ON, 0 } }, ECC_NOT_SAID, ECC_NOT_SAID },
        { { { IN_USE, ON, ABSENT }, { IN_USE, ON, 0 } }, ECC_NOT_SAID, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ecc_control control;

        play(0x14d81022, 2, 0, 0, 0);
        for (unsigned k = 0; k < 2; k++) {
            hw.umc[k].sdp = cases[i].umc[k].sdp;
            hw.umc[k].cap_hi = cases[i].umc[k].cap_hi;
            hw.umc[k].cfg = cases[i].umc[k].cfg;
        }
        control = read_model(0x19, 0x61);
        assert_int_equal(control.is_on, cases[i].is_on);
        assert_int_equal(control.modules_have_it, cases[i].modules);
    }
}

/* A hypervisor's machine has such a CPU with another chipset. */
static void leaves_other_bridges_alone(void **state)
{
    static const uint32_t ids[] = { ABSENT, 0, 0x29c08086, 0x14508086, 0x12341022, 0x1022 };

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        play(ids[i], 2, IN_USE, ON, WITH_DIMMS);
        assert_int_equal(read_model(0x17, 0x01).is_on, ECC_NOT_SAID);
        assert_int_equal(hw.index_writes, 0);
    }
}

static void an_index_that_does_not_hold(void **state)
{
    play(0x14501022, 2, IN_USE, ON, WITH_DIMMS);
    hw.index_is_fixed = true;
    assert_int_equal(read_model(0x17, 0x01).is_on, ECC_NOT_SAID);
}

static void decodes_the_north_bridges(void **state)
{
    static const struct {
        uint32_t id, cfg, cap;
        enum ecc_answer is_on;
    } cases[] = {
        { 0x11031022, 1 << 22, 1 << 3, ECC_YES },        { 0x12031022, 1 << 22, 0x18, ECC_YES },
        { 0x16031022, 0x7fffffff, 0x18, ECC_YES }, { 0x16031022, 0, 0x18, ECC_NO },
        { 0x15331022, 1 << 21 | 1 << 23, 0x18, ECC_NO }, { 0x15831022, 1 << 22, 0x10, ECC_NO },
        { 0x12031022, ABSENT, 0x18, ECC_NOT_SAID },      { 0x12031022, 0, ABSENT, ECC_NOT_SAID },
        { 0x12038086, 1 << 22, 0x18, ECC_NOT_SAID },     { 0x12341022, 0, 0x18, ECC_NOT_SAID },
        { ABSENT, 1 << 22, 0x18, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ecc_control control;

        begin(NULL);
        hw.nb_id[0] = cases[i].id;
        hw.nb_cfg[0] = cases[i].cfg;
        hw.nb_cap[0] = cases[i].cap;
        control = read_model(0x10, 4);
        assert_int_equal(control.is_on, cases[i].is_on);
        assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
        assert_int_equal(hw.index_writes, 0);
    }
}

static void all_north_bridges_must_agree(void **state)
{
    for (size_t i = 0; i < 8; i++) {
        hw.nb_id[i] = 0x12031022;
        hw.nb_cfg[i] = 1 << 22;
        hw.nb_cap[i] = 1 << 3;
    }
    assert_int_equal(read_model(0x10, 4).is_on, ECC_YES);
    hw.nb_cfg[7] = 0;
    assert_int_equal(read_model(0x10, 4).is_on, ECC_NOT_SAID);
    hw.nb_id[7] = ABSENT;
    assert_int_equal(read_model(0x10, 4).is_on, ECC_YES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(knows_how_many_channels_a_model_has, begin),
        cmocka_unit_test_setup(decodes_the_umcs, begin),
        cmocka_unit_test_setup(leaves_other_bridges_alone, begin),
        cmocka_unit_test_setup(an_index_that_does_not_hold, begin),
        cmocka_unit_test_setup(decodes_the_north_bridges, begin),
        cmocka_unit_test_setup(all_north_bridges_must_agree, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

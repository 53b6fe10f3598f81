// SPDX-License-Identifier: MIT
/* SPDs against controllers and aliases: which of them is false, and which faults are neither. */
#include "spd/geometry.h"

#include "spd/image.h"

#define PAGES (GIB / 4096)

static struct image image[2];
static struct module_spd spds[2];
static struct smbios_memory slots;
static struct modules modules;
static struct decoded_controller controller;
static struct geometry_facts facts;
static struct geometry g;

/* Two modules of 8 GiB, one rank of 2^16 rows, each in a channel; channels alternate at bit 6. */
static int begin(void **state)
{
    controller = (struct decoded_controller){ .family = "a family", .n_channels = 2 };
    controller.map = (struct dram_map){ .n_zones = 1, .n_channels = 2 };
    controller.map.zone[0] = (struct dram_zone){
        .end = 16 * GIB, .n_functions = 1, .function = { 64 }, .channel = { 0, 1 }, .removed = 64
    };
    for (unsigned i = 0; i < 2; i++) {
        struct dram_geometry *dram = &controller.map.channel[i].dimm[0];

        image[i] = image_load("ddr4-udimm");
        spds[i] =
            (struct module_spd){ .address = (uint8_t)(0x50 + i), .spd = image_read(&image[i]) };
        controller.channel[i].dimm[0] =
            (struct decoded_dimm){ .bytes = 8 * GIB, .ranks = 1, .banks = 16, .rows = 65536 };
        controller.map.channel[i].n_selects = 1;
        controller.map.channel[i].select[0] = (struct dram_select){ .end = 8 * GIB };
        *dram = (struct dram_geometry){ .n_banks = 4, .n_rows = 16, .n_columns = 10 };
        for (unsigned bit = 0; bit < 16; bit++)
            dram->row[bit] = (uint8_t)(17 + bit);
        for (unsigned bit = 0; bit < 10; bit++)
            dram->column[bit] = (uint8_t)(3 + bit);
        for (unsigned bit = 0; bit < 4; bit++) /* the last takes the highest row bit, too */
            dram->bank[bit] = UINT64_C(1) << (13 + bit) | (bit == 3 ? UINT64_C(1) << 32 : 0);
    }
    modules_make(NULL, spds, 2, &modules);
    facts = (struct geometry_facts){ &modules, &controller, 16 * GIB, 16 * GIB, { 0 } };
    return 0;
}

static enum geometry_finding find(void)
{
    geometry_find(&facts, &g);
    return g.finding;
}

/* Addresses that differ in the highest row of channel 0, and, where banks are XORed, in a bank. */
static void alias_halves(void)
{
    facts.alias =
        (struct geometry_alias){ .pages = 4 * PAGES, .address = 8 * GIB + (1 << 17), .bits = 0 };
    facts.alias.bits = 8 * GIB | 1 << 17;
    facts.alias.partner = facts.alias.address ^ facts.alias.bits;
}

TEST(what_agrees_is_no_finding, begin)
{
    assert_int_equal(find(), GEOMETRY_NONE);
    assert_string_equal(g.text, "");
    assert_null(geometry_word(g.finding));
}

TEST(a_module_with_half_of_what_it_states, begin)
{
    alias_halves();
    assert_int_equal(find(), GEOMETRY_SPD);
    assert_int_equal(g.stated_bytes, 8 * GIB);
    assert_int_equal(g.alias_bytes, 4 * GIB);
    assert_null(g.module); /* two state the same */
    assert_string_equal(
        g.text, "A module states 8 GiB, but acts as one of 4 GiB: half of its addresses reach the "
                "cells of the other half. Either its SPD states too much (a forged module, or an "
                "attack on encrypted memory), or its highest address line is broken");
    modules.n = 1;
    controller.channel[1].dimm[0].bytes = 0;
    facts.ram_bytes = facts.tested_bytes = 8 * GIB;
    assert_int_equal(find(), GEOMETRY_SPD);
    assert_non_null(g.module);
    assert_non_null(strstr(g.text, "The module at SMBus address 0x50 states 8 GiB in its SPD"));
}

TEST(without_spds_firmware_states_it, begin)
{
    slots = (struct smbios_memory){ .n_slot = 1, .slots = 1, .populated = 1 };
    slots.slot[0] =
        (struct smbios_slot){ .locator = "P1-A1", .is_populated = true, .size_bytes = 8 * GIB };
    modules_make(&slots, spds, 0, &modules);
    alias_halves();
    assert_int_equal(find(), GEOMETRY_SPD);
    assert_non_null(strstr(g.text, "The module P1-A1 states 8 GiB, but acts"));
}

/* Another line than the highest: whatever the SPD states, the module has these cells. */
TEST(a_broken_address_line_is_not_the_spds, begin)
{
    alias_halves();
    facts.alias.bits = 4 * GIB;
    facts.alias.partner = facts.alias.address ^ facts.alias.bits;
    assert_int_equal(find(), GEOMETRY_NONE);
    alias_halves();
    facts.alias.bits = 8 * GIB; /* another bank, too: not what a missing row does */
    facts.alias.partner = facts.alias.address ^ facts.alias.bits;
    assert_int_equal(find(), GEOMETRY_NONE);
}

TEST(cells_of_two_modules_are_not_the_spds, begin)
{
    alias_halves();
    facts.alias.bits |= 64;
    facts.alias.partner = facts.alias.address ^ facts.alias.bits;
    assert_int_equal(find(), GEOMETRY_NONE);
}

TEST(a_few_pages_are_not_the_spds, begin)
{
    alias_halves();
    facts.alias.pages = 64;
    assert_int_equal(find(), GEOMETRY_NONE);
    facts.tested_bytes = 16 * GIB / 100 * 2; /* but of a small part they are half */
    facts.alias.pages = PAGES / 50;
    assert_int_equal(find(), GEOMETRY_SPD);
    facts.tested_bytes = 0;
    assert_int_equal(find(), GEOMETRY_NONE);
    alias_halves();
    facts.alias.bits = 0; /* all sorts */
    assert_int_equal(find(), GEOMETRY_NONE);
}

/* Then a high bit is as much as can be said. */
TEST(without_a_map_the_highest_bit_counts, begin)
{
    controller.unknown = "not public";
    alias_halves();
    assert_int_equal(find(), GEOMETRY_SPD);
    facts.alias.bits = 2 * GIB;
    assert_int_equal(find(), GEOMETRY_NONE);
    controller = (struct decoded_controller){ 0 };
    facts.alias.bits = 8 * GIB;
    assert_int_equal(find(), GEOMETRY_SPD);
}

TEST(a_controller_with_another_size, begin)
{
    controller.channel[1].dimm[0].bytes = 16 * GIB;
    facts.ram_bytes = 24 * GIB;
    assert_int_equal(find(), GEOMETRY_CONTROLLER);
    assert_string_equal(geometry_word(g.finding), "controller");
    assert_int_equal(g.stated_bytes, 8 * GIB);
    assert_int_equal(g.controller_bytes, 16 * GIB);
    assert_string_equal(
        g.text,
        "A module states 8 GiB, 1 rank, 65536 rows in its SPD, but the memory controller is set to "
        "16 GiB, 1 rank, 65536 rows: firmware has set it otherwise, or has read another SPD");
    alias_halves();
    assert_int_equal(find(), GEOMETRY_CONTROLLER);
    assert_non_null(strstr(g.text, "Addresses that reach the same cells confirm the SPD"));
}

TEST(a_controller_with_other_ranks_or_rows, begin)
{
    controller.channel[1].dimm[0].rows = 131072;
    assert_int_equal(find(), GEOMETRY_CONTROLLER);
    controller.map.channel[1].dimm[DRAM_DIMM_UNKNOWN].n_banks = 4; /* rows of both modules */
    assert_int_equal(find(), GEOMETRY_NONE);
    controller.channel[1].dimm[0].ranks = 2;
    assert_int_equal(find(), GEOMETRY_CONTROLLER);
    assert_non_null(strstr(g.text, "states 8 GiB, 1 rank in its SPD, but the memory controller is "
                                   "set to 8 GiB, 2 ranks:"));
    spds[0].spd.form = spds[1].spd.form = 4; /* LRDIMM */
    assert_int_equal(find(), GEOMETRY_NONE);
}

TEST(a_module_that_the_controllers_do_not_have, begin)
{
    controller.channel[1].dimm[0].bytes = 0;
    facts.ram_bytes = 8 * GIB;
    assert_int_equal(find(), GEOMETRY_CONTROLLER);
    assert_non_null(
        strstr(g.text, "SPDs state 2 modules, 16 GiB in all, but the memory controllers are set to "
                       "1, 8 GiB"));
}

/* Nothing is said of registers that cannot be right, nor of SPDs that contradict themselves. */
TEST(what_is_not_known_is_no_finding, begin)
{
    controller.channel[1].dimm[0].bytes = 32 * GIB; /* there are 16 in all */
    assert_int_equal(find(), GEOMETRY_NONE);
    controller.channel[1].dimm[0].bytes = 4 * GIB;
    assert_int_equal(find(), GEOMETRY_NONE);
    controller.channel[1].dimm[0].bytes = 16 * GIB;
    facts.ram_bytes = 24 * GIB;
    spds[0].spd.problems = 1u << SPD_ADDRESSES;
    assert_int_equal(find(), GEOMETRY_NONE);
    spds[0].spd.problems = 0;
    modules.n_others = 1;
    assert_int_equal(find(), GEOMETRY_NONE);
}

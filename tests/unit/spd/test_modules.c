// SPDX-License-Identifier: MIT
/* Modules by their SPDs and by firmware's slots, and which belong together. */
#include "spd/modules.h"

#include "firmware/fake.h"
#include "spd/image.h"
#include "spd/module_lines.h"

static struct smbios_memory slots;
static struct image image[MODULE_SPDS_MAX];
static struct module_spd spds[MODULE_SPDS_MAX];
static size_t n_spds;
static struct modules modules;

static int begin(void **state)
{
    memset(&slots, 0, sizeof(slots));
    memset(&log_, 0, sizeof(log_));
    n_spds = 0;
    return 0;
}

static struct module_spd *add_spd(const char *name)
{
    struct module_spd *spd = &spds[n_spds];

    image[n_spds] = image_load(name);
    *spd = (struct module_spd){ .address = (uint8_t)(0x50 + n_spds),
                                .spd = image_read(&image[n_spds]),
                                .byte = image[n_spds].byte,
                                .n_bytes = image[n_spds].n };
    n_spds++;
    return spd;
}

/* gib 0: an empty slot. */
static struct smbios_slot *add_slot(const char *locator, unsigned gib, const char *part,
                                    const char *serial)
{
    struct smbios_slot *slot = &slots.slot[slots.n_slot++];

    *slot = (struct smbios_slot){ .is_populated = gib != 0,
                                  .size_bytes = gib * GIB,
                                  .memory_type = 0x1a,
                                  .configured_mt_s = 3200 };
    strcpy(slot->locator, locator);
    strcpy(slot->part, part);
    strcpy(slot->serial, serial);
    slots.slots++;
    slots.populated += gib != 0;
    return slot;
}

static void make(void)
{
    struct warnings warnings = warnings_to(&log_);

    modules_make(slots.n_slot ? &slots : NULL, spds, n_spds, &modules);
    modules_check(&modules, &warnings);
}

static void assert_slot(size_t i, const char *locator, enum module_slot_by by)
{
    assert_true(i < modules.n);
    assert_int_equal(modules.module[i].slot_by, by);
    if (locator)
        assert_string_equal(modules.module[i].slot->locator, locator);
    else
        assert_null(modules.module[i].slot);
}

TEST(serials_find_slots, begin)
{
    static const char *const written[] = { "1A2B3C4D", "1a2b3c4d", "0x1A2B3C4D", "4D3C2B1A",
                                           "802C0F1234-1A2B3C4D" };

    for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
        begin(state);
        add_spd("ddr3-udimm");
        add_spd("ddr3-rdimm");
        add_slot("A1", 16, "M393B2G70BH0-YH9", "80C1D2E3");
        add_slot("A2", 0, "", "");
        add_slot("B1", 4, "KHX1866C9D3/4G", written[i]);
        make();
        assert_int_equal(modules.n, 2);
        assert_slot(0, "B1", MODULE_SLOT_BY_SERIAL);
        assert_slot(1, "A1", MODULE_SLOT_BY_SERIAL);
        assert_int_equal(log_.n, 0);
    }
}

TEST(else_part_numbers_do, begin)
{
    add_spd("ddr3-udimm");
    add_spd("ddr3-rdimm");
    add_slot("A1", 16, "M393B2G70BH0-YH9", "");
    add_slot("B1", 4, "KHX1866C9D3/4G", "Unknown");
    make();
    assert_slot(0, "B1", MODULE_SLOT_BY_PART);
    assert_slot(1, "A1", MODULE_SLOT_BY_PART);
}

/* Equal modules: which is which, only their order says. */
TEST(else_the_order_does, begin)
{
    add_spd("ddr4-udimm");
    add_spd("ddr4-udimm");
    spds[1].spd.serial++;
    add_slot("A1", 0, "", "");
    add_slot("A2", 8, "CMK16GX4M2B3200C16", "00000000");
    add_slot("B1", 0, "", "");
    add_slot("B2", 8, "CMK16GX4M2B3200C16", "00000000");
    make();
    assert_int_equal(modules.n, 2);
    assert_slot(0, "A2", MODULE_SLOT_BY_ORDER);
    assert_slot(1, "B2", MODULE_SLOT_BY_ORDER);
    assert_string_equal(module_slot_by_word(modules.module[0].slot_by), "order");
}

TEST(one_that_is_left_is_in_the_slot_that_is, begin)
{
    add_spd("ddr4-udimm");
    add_spd("ddr4-sodimm");
    add_slot("A1", 4, "", "2F3E4D5C");
    add_slot("A2", 8, "", "");
    make();
    assert_slot(0, "A2", MODULE_SLOT_ONLY);
    assert_slot(1, "A1", MODULE_SLOT_BY_SERIAL);
}

/* Other numbers or sizes: a guess would be wrong. */
TEST(an_order_that_does_not_agree_says_nothing, begin)
{
    add_spd("ddr4-udimm");
    add_spd("ddr4-sodimm");
    add_slot("A1", 4, "", "");
    add_slot("A2", 8, "", "");
    make();
    assert_slot(0, NULL, MODULE_SLOT_UNKNOWN);
    assert_slot(1, NULL, MODULE_SLOT_UNKNOWN);
    assert_int_equal(modules.n, 2);

    begin(state);
    add_spd("ddr4-udimm");
    add_slot("A1", 8, "", "");
    add_slot("A2", 8, "", "");
    make();
    assert_slot(0, NULL, MODULE_SLOT_UNKNOWN);
    assert_int_equal(modules.n, 1); /* it is one of the two, so they are not listed again */
    assert_int_equal(modules.n_others, 1);
}

/* The same serial number in two slots, or in two modules, finds none. */
TEST(serials_that_are_not_unique_find_nothing, begin)
{
    add_spd("ddr4-udimm");
    add_spd("ddr4-udimm");
    add_slot("A1", 8, "", "00000001");
    add_slot("A2", 8, "", "00000001");
    make();
    assert_slot(0, "A1", MODULE_SLOT_BY_ORDER);
    assert_warned(&log_, 1, "have the same serial number, 00000001");
    assert_warned(&log_, 1, "the modules A1 and A2");
}

TEST(without_spds_there_are_slots, begin)
{
    struct smbios_slot *slot;

    add_slot("A1", 0, "", "");
    slot = add_slot("A2", 8, "CMK16GX4M2B3200C16", "12345678");
    strcpy(slot->maker, "Corsair");
    slot = add_slot("", 8, "Unknown", "00000000");
    strcpy(slot->maker, "Not Specified");
    make();
    assert_int_equal(modules.n, 2);
    assert_slot(0, "A2", MODULE_SLOT_ITSELF);
    assert_string_equal(modules.module[0].maker, "Corsair");
    assert_string_equal(modules.module[0].part, "CMK16GX4M2B3200C16");
    assert_string_equal(modules.module[0].serial, "12345678");
    assert_int_equal(modules.module[0].configured_mt_s, 3200);
    assert_int_equal(modules.module[0].jedec_mt_s, 0);
    assert_false(module_is_above_jedec(&modules.module[0]));
    assert_string_equal(modules.module[1].maker, "");
    assert_string_equal(modules.module[1].part, "");
    assert_string_equal(modules.module[1].serial, "");
    assert_int_equal(log_.n, 0);
}

/* Some are on a bus that okram does not see. */
TEST(slots_without_an_spd_follow, begin)
{
    add_spd("ddr4-udimm");
    add_slot("A1", 16, "other", "55555555");
    add_slot("A2", 8, "CMK16GX4M2B3200C16", "00000001");
    make();
    assert_int_equal(modules.n, 2);
    assert_slot(0, "A2", MODULE_SLOT_BY_SERIAL);
    assert_slot(1, "A1", MODULE_SLOT_ITSELF);
    assert_int_equal(modules.module[1].size_bytes, 16 * GIB);
    assert_int_equal(modules.n_others, 0);
}

TEST(without_anything_there_is_nothing, begin)
{
    make();
    assert_int_equal(modules.n, 0);
    assert_int_equal(log_.n, 0);
}

TEST(the_spd_counts_more_than_firmware, begin)
{
    struct smbios_slot *slot;

    add_spd("ddr4-udimm");
    slot = add_slot("A1", 16, "wrong", "00000001");
    strcpy(slot->maker, "wrong");
    make();
    assert_string_equal(modules.module[0].maker, "Corsair");
    assert_string_equal(modules.module[0].part, "CMK16GX4M2B3200C16");
    assert_string_equal(modules.module[0].serial, "00000001");
    assert_int_equal(modules.module[0].size_bytes, 8 * GIB);
    assert_int_equal(modules.module[0].jedec_mt_s, 2666);
    assert_int_equal(modules.module[0].profile_mt_s, 3200);
    assert_int_equal(modules.module[0].configured_mt_s, 3200);
    assert_true(module_is_above_jedec(&modules.module[0]));
    assert_true(module_runs_by_profile(&modules.module[0]));
    slot->configured_mt_s = 2667; /* another way to write 2666 */
    make();
    assert_false(module_is_above_jedec(&modules.module[0]));
    assert_false(module_runs_by_profile(&modules.module[0]));
    slot->configured_mt_s = 3333; /* faster than it */
    make();
    assert_false(module_runs_by_profile(&modules.module[0]));
}

TEST(what_is_wrong_is_warned_of_once, begin)
{
    struct module_spd *spd = add_spd("ddr4-udimm");

    spd->spd.problems = 1u << SPD_BASE_CRC | 1u << SPD_DATE | 1u << SPD_SERIAL;
    spd->spd.has_serial = false;
    make();
    assert_warned(&log_, 1,
                  "SPD of the module at SMBus address 0x50: the CRC of type, size and speed is "
                  "wrong; its date is impossible");
    spd->spd.problems = 1u << SPD_SERIAL | 1u << SPD_SHORT;
    memset(&log_, 0, sizeof(log_));
    make();
    assert_int_equal(log_.n, 0);
}

/* All zeros in two modules: none of them has a number, so they have not the same. */
TEST(missing_serials_are_not_the_same, begin)
{
    for (unsigned i = 0; i < 2; i++) {
        struct module_spd *spd = add_spd("ddr4-udimm");

        spd->spd.has_serial = false;
        spd->spd.serial = 0;
        spd->spd.problems = 1u << SPD_SERIAL;
    }
    make();
    assert_int_equal(log_.n, 0);
    assert_string_equal(modules.module[0].serial, "");
}

static void assert_line(size_t i, unsigned line, const char *text)
{
    char out[192];
    struct fmt_buffer b = fmt_buffer_make(out, sizeof(out));

    module_append_line(&b, &modules.module[i], line);
    assert_string_equal(out, text);
}

TEST(modules_are_lines_of_text, begin)
{
    struct smbios_slot *slot;

    add_spd("ddr4-udimm")->spd.problems = 1u << SPD_BASE_CRC | 1u << SPD_SERIAL;
    add_spd("ddr5-expo");
    add_spd("ddr5-rdimm");
    add_slot("DIMM_A1", 8, "", "00000001");
    slot = add_slot("DIMM_B1", 4, "some part", "");
    make();
    assert_line(0, 0, "DIMM_A1, SMBus 0x50: DDR4 UDIMM, 8 GiB, 1 rank of x8 chips, 64 bits");
    assert_line(0, 1,
                "Corsair CMK16GX4M2B3200C16, serial 00000001, week 12 of 2019; chips by Samsung");
    assert_line(0, 2, "runs at 3200 MT/s; JEDEC 2666 (19-19-19-43)");
    assert_line(0, 3, "XMP 3200 (16-18-18-36), 3000 (15-17-17-35)");
    assert_line(0, 4, "");
    assert_line(0, 5, "an overclock, beyond JEDEC's figures in its SPD: faults may come from it");
    assert_line(0, 6, "SPD: the CRC of type, size and speed is wrong");
    assert_line(1, 0, "SMBus 0x51: DDR5 UDIMM, 32 GiB, 2 ranks of x8 chips, 64 bits");
    assert_line(1, 2, "JEDEC 4800 MT/s (40-39-39-77)");
    assert_line(1, 3, "XMP 6000 (36-38-38-80), 5600 (40-40-40-80)");
    assert_line(1, 4, "EXPO 6000 (36-38-38-76), 5600 (36-38-38-80)");
    assert_line(1, 5, "");
    assert_line(1, 6, "");
    assert_line(2, 0, "SMBus 0x52: DDR5 RDIMM, 64 GiB, 2 ranks of x4 chips, 64+16 bits");
    spds[2].spd.problems = 1u << SPD_SHORT;
    modules.module[2].serial[0] = 0;
    assert_line(
        2, 1,
        "Micron MTC40F2046S1RC48BA1, unknown serial number, week 30 of 2022; chips by Micron");
    slot->configured_mt_s = 0;
    n_spds = 0;
    make();
    assert_int_equal(modules.n, 2);
    assert_line(1, 0, "DIMM_B1: DDR4, 4 GiB");
    assert_line(1, 1, "unknown maker some part, no serial number");
    assert_line(1, 2, "");
    assert_line(1, 3, "");
}

TEST(chips_have_a_width_if_all_agree, begin)
{
    make();
    assert_int_equal(modules_chip_bits(&modules), 0); /* no modules */
    add_spd("ddr3-udimm");
    make();
    assert_int_equal(modules_chip_bits(&modules), 8);
    spds[0].spd.ranks_differ = true;
    make();
    assert_int_equal(modules_chip_bits(&modules), 0);
    spds[0].spd.ranks_differ = false;
    add_spd("ddr3-rdimm"); /* x4 */
    make();
    assert_int_equal(modules_chip_bits(&modules), 0);
    spds[1].spd.device_bits = 8;
    make();
    assert_int_equal(modules_chip_bits(&modules), 8);
    for (unsigned i = 0; i < 3; i++) /* one more than there are SPDs */
        add_slot("A1", 4, "", "");
    make();
    assert_int_equal(modules_chip_bits(&modules), 0);
}

TEST(a_likely_slot_is_said_to_be_that, begin)
{
    add_spd("ddr4-udimm");
    add_spd("ddr4-udimm");
    spds[0].spd.serial = 5;
    add_slot("A1", 8, "", "");
    add_slot("A2", 8, "", "");
    make();
    assert_line(0, 0,
                "A1 (by its order), SMBus 0x50: DDR4 UDIMM, 8 GiB, 1 rank of x8 chips, 64 bits");
}

TEST(makers_without_a_name_have_a_number, begin)
{
    add_spd("ddr4-udimm")->spd.maker = 0x0c7d;
    spds[0].spd.dram_maker = 0;
    make();
    assert_line(0, 1,
                "maker 0x0c7d of JEDEC's list CMK16GX4M2B3200C16, serial 00000001, week 12 of "
                "2019");
}

TEST(temperatures_are_a_line, begin)
{
    struct temperature cpu = { 0 };
    char out[192];
    struct fmt_buffer b = fmt_buffer_make(out, sizeof(out));

    add_spd("ddr4-udimm");
    add_spd("ddr5-udimm");
    add_slot("A1", 8, "", "00000001");
    make();
    temperatures_append(&b, &cpu, &modules);
    assert_string_equal(out, "");
    modules.module[0].temperature = (struct temperature){ true, 38250, 45499, 45500, 0, false };
    modules.module[1].temperature = (struct temperature){ true, -40250, -40250, -40250, 0, false };
    temperatures_append(&b, &cpu, &modules);
    assert_string_equal(out, "A1 45 C (highest 46), at SMBus address 0x51 -40 C");
    cpu = (struct temperature){ true, 63000, 63000, 63000, 0, false };
    b = fmt_buffer_make(out, sizeof(out));
    modules.n = 1;
    temperatures_append(&b, &cpu, &modules);
    assert_string_equal(out, "CPU 63 C, A1 45 C (highest 46)");
}

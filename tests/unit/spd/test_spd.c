// SPDX-License-Identifier: MIT
#include "spd/image.h"

#include "spd/spd.h"
#include "tests/unit/digest.h"

static const struct {
    const char *name, *form, *maker, *dram_maker, *part;
    uint8_t type;
    uint64_t size;
    unsigned ranks, device, channels, data, ecc;
    uint32_t tck, mt_s, serial;
    unsigned year, week;
    const char *timings, *profiles;
} modules[] = {
    { "ddr3-udimm", "UDIMM", "Kingston", "SK hynix", "KHX1866C9D3/4G", SPD_DDR3, 4 * GIB, 1, 8, 1,
      64, 0, 1250, 1600, 0x1a2b3c4d, 2013, 7, "11-11-11-28",
      "xmp1 1866 9-11-9-27, xmp2 2133 11-13-13-31" },
    { "ddr3-xmp-12ths", "UDIMM", "G.Skill", "Samsung", "F3-2400C10-8GTX", SPD_DDR3, 8 * GIB, 2, 8,
      1, 64, 0, 1500, 1333, 0x77, 2019, 12, "9-9-9-24", "xmp1 2400 10-12-12-31" },
    { "ddr3-rdimm", "RDIMM", "Samsung", "Samsung", "M393B2G70BH0-YH9", SPD_DDR3, 16 * GIB, 2, 4, 1,
      64, 8, 1500, 1333, 0x80c1d2e3, 2012, 53, "9-9-9-24", "" },
    { "ddr4-udimm", "UDIMM", "Corsair", "Samsung", "CMK16GX4M2B3200C16", SPD_DDR4, 8 * GIB, 1, 8, 1,
      64, 0, 750, 2666, 1, 2019, 12, "19-19-19-43",
      "xmp1 3200 16-18-18-36, xmp2 3000 15-17-17-35" },
    { "ddr4-sodimm", "SO-DIMM", "SK hynix", "SK hynix", "HMA851S6DJR6N-XN", SPD_DDR4, 4 * GIB, 1,
      16, 1, 64, 0, 625, 3200, 0x2f3e4d5c, 2021, 1, "22-22-22-52", "" },
    { "ddr4-rdimm-3ds", "RDIMM", "Samsung", "Samsung", "M393AAK40B42-CYF", SPD_DDR4, 128 * GIB, 2,
      4, 1, 64, 8, 682, 2933, 0x03b1a7f2, 2019, 12, "21-21-21-47", "" },
    { "ddr5-udimm", "UDIMM", "G.Skill", "SK hynix", "F5-6400J3239G16G", SPD_DDR5, 16 * GIB, 1, 8, 2,
      64, 0, 357, 5600, 0xc0ffee01, 2023, 40, "46-45-45-90",
      "xmp1 6400 32-39-39-102, xmp2 6000 30-36-36-96" },
    { "ddr5-expo", "UDIMM", "Kingston", "Micron", "KF560C36BBE-16", SPD_DDR5, 32 * GIB, 2, 8, 2, 64,
      0, 416, 4800, 0x5a5a0102, 2022, 52, "40-39-39-77",
      "xmp1 6000 36-38-38-80, xmp2 5600 40-40-40-80, expo1 6000 36-38-38-76, expo2 5600 36-38-38-80" },
    { "ddr5-rdimm", "RDIMM", "Micron", "Micron", "MTC40F2046S1RC48BA1", SPD_DDR5, 64 * GIB, 2, 4, 2,
      64, 16, 416, 4800, 0x3a4b5c6d, 2022, 30, "40-39-39-77", "" },
    { "ddr5-24gbit", "SO-DIMM", "Micron", "Micron", "MTC8C1084S1SC56BG1", SPD_DDR5, 24 * GIB, 1, 8,
      2, 64, 0, 357, 5600, 0x46f0aa01, 2024, 2, "46-45-45-90", "" },
};

/* "": unknown. */
static const char *timings_of(const struct spd_timings *t)
{
    static char text[32];

    text[0] = 0;
    if (t->cl)
        snprintf(text, sizeof(text), "%u-%u-%u-%u", t->cl, t->rcd, t->rp, t->ras);
    return text;
}

static const char *profiles_of(const struct spd *spd, bool with_timings)
{
    static char text[192];
    size_t length = 0;

    text[0] = 0;
    for (size_t i = 0; i < spd->n_profiles; i++) {
        const struct spd_profile *p = &spd->profile[i];

        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%s%u %u%s%s", i ? ", " : "",
                             p->is_expo ? "expo" : "xmp", p->number, p->mt_s,
                             with_timings ? " " : "", with_timings ? timings_of(&p->timings) : "");
    }
    return text;
}

TEST(reads_modules)
{
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        struct image image = image_load(modules[i].name);
        struct spd spd = image_read(&image);

        assert_int_equal(spd.type, modules[i].type);
        assert_int_equal(image.n, spd_bytes(spd.type));
        assert_string_equal(spd_form_name(&spd), modules[i].form);
        assert_int_equal(spd.size_bytes, modules[i].size);
        assert_int_equal(spd.ranks, modules[i].ranks);
        assert_int_equal(spd.device_bits, modules[i].device);
        assert_int_equal(spd.channels, modules[i].channels);
        assert_int_equal(spd.data_bits, modules[i].data);
        assert_int_equal(spd.ecc_bits, modules[i].ecc);
        assert_int_equal(spd.tck_ps, modules[i].tck);
        assert_int_equal(spd.mt_s, modules[i].mt_s);
        assert_string_equal(spd_maker_name(spd.maker), modules[i].maker);
        assert_string_equal(spd_maker_name(spd.dram_maker), modules[i].dram_maker);
        assert_string_equal(spd.part, modules[i].part);
        assert_true(spd.has_serial);
        assert_int_equal(spd.serial, modules[i].serial);
        assert_int_equal(spd.year, modules[i].year);
        assert_int_equal(spd.week, modules[i].week);
        assert_string_equal(timings_of(&spd.timings), modules[i].timings);
        assert_string_equal(profiles_of(&spd, true), modules[i].profiles);
        assert_int_equal(spd.problems, 0);
        assert_false(spd.ranks_differ);
        assert_in_range(spd.row_bits, 15, 17);
        assert_int_equal(spd.column_bits, spd.device_bits == 4 && spd.type != SPD_DDR4 ? 11 : 10);
        assert_in_range(spd.bank_bits, 3, 5);
        assert_int_equal(spd.has_sensor, strcmp(modules[i].name, "ddr4-rdimm-3ds") == 0);
    }
}

/* JEDEC's speeds and the cycle times that modules name for them. */
TEST(names_speeds)
{
    static const struct {
        unsigned ps, mt_s;
    } ddr4[] = { { 1250, 1600 }, { 1071, 1866 }, { 938, 2133 }, { 833, 2400 },
                 { 750, 2666 },  { 682, 2933 },  { 625, 3200 }, { 714, 2800 },
                 { 667, 3000 },  { 577, 3466 },  { 556, 3600 }, { 536, 3733 },
                 { 517, 3866 },  { 500, 4000 },  { 469, 4266 }, { 435, 4600 } },
      ddr5[] = { { 625, 3200 },  { 500, 4000 }, { 454, 4400 }, { 416, 4800 }, { 384, 5200 },
                 { 357, 5600 },  { 333, 6000 }, { 322, 6200 }, { 312, 6400 }, { 294, 6800 },
                 { 277, 7200 },  { 263, 7600 }, { 250, 8000 }, { 238, 8400 }, { 227, 8800 },
                 { 100, 20000 }, { 99, 0 },     { 5000, 400 }, { 5001, 0 } };
    struct image four = image_load("ddr4-udimm"), five = image_load("ddr5-udimm");

    for (size_t i = 0; i < sizeof(ddr4) / sizeof(ddr4[0]); i++) {
        four.byte[18] = (uint8_t)((ddr4[i].ps + 124) / 125);
        four.byte[125] = (uint8_t)(ddr4[i].ps - 125 * four.byte[18]);
        assert_int_equal(image_read(&four).mt_s, ddr4[i].mt_s);
    }
    for (size_t i = 0; i < sizeof(ddr5) / sizeof(ddr5[0]); i++) {
        five.byte[20] = (uint8_t)ddr5[i].ps;
        five.byte[21] = (uint8_t)(ddr5[i].ps >> 8);
        assert_int_equal(image_read(&five).mt_s, ddr5[i].mt_s);
    }
}

/* Each byte that a CRC covers, and none that it does not. */
TEST(a_wrong_crc_is_named)
{
    static const struct {
        const char *name;
        size_t first, last;
        uint32_t problem;
    } covers[] = {
        { "ddr3-udimm", 0, 116, SPD_BASE_CRC },     { "ddr4-udimm", 0, 125, SPD_BASE_CRC },
        { "ddr4-udimm", 128, 253, SPD_MODULE_CRC }, { "ddr5-udimm", 0, 509, SPD_BASE_CRC },
        { "ddr5-expo", 640, 701, SPD_PROFILE_CRC }, { "ddr5-expo", 704, 765, SPD_PROFILE_CRC },
        { "ddr5-expo", 836, 957, SPD_PROFILE_CRC },
    };

    for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++) {
        struct image image = image_load(covers[i].name);

        for (size_t at = covers[i].first; at <= covers[i].last; at++) {
            struct image bad = image;
            struct spd spd;

            bad.byte[at] ^= 0x80;
            if (image_read_part(&bad, bad.n, &spd) != STATUS_OK || at == 640 || at == 641)
                continue; /* the type, and what says that there are profiles */
            assert_true(spd.problems >> covers[i].problem & 1);
        }
    }
}

TEST(what_is_right_is_still_shown)
{
    struct image image = image_load("ddr4-udimm");
    struct spd spd;

    image.byte[126] ^= 1;
    spd = image_read(&image);
    assert_problems(&spd, SPD_BASE_CRC);
    assert_int_equal(spd.size_bytes, 8 * GIB);
    assert_string_equal(spd.part, "CMK16GX4M2B3200C16");
}

TEST(ddr3_says_how_far_its_crc_reaches)
{
    struct image image = image_load("ddr3-udimm");
    struct spd spd;

    image.byte[0] &= 0x7f; /* 126 bytes */
    spd = image_read(&image);
    assert_problems(&spd, SPD_BASE_CRC);
    image_seal(&image, 0, 126, 126);
    spd = image_read(&image);
    assert_int_equal(spd.problems, 0);
}

/* One byte changed; the CRCs that cover it are not of interest. */
TEST(impossible_values_are_named)
{
    static const struct {
        const char *name;
        size_t at;
        uint8_t value;
        enum spd_problem problem;
    } cases[] = {
        { "ddr3-udimm", 4, 0x0a, SPD_SIZE },
        { "ddr3-udimm", 5, 0x29, SPD_ADDRESSES }, /* a row bit more than its size has */
        { "ddr3-udimm", 7, 0x29, SPD_RANKS },
        { "ddr3-udimm", 7, 0x04, SPD_DEVICE_WIDTH },
        { "ddr3-udimm", 8, 0x04, SPD_BUS_WIDTH },
        { "ddr3-udimm", 8, 0x13, SPD_BUS_WIDTH },
        { "ddr3-udimm", 11, 0, SPD_SPEED },
        { "ddr3-udimm", 12, 0, SPD_SPEED },
        { "ddr3-udimm", 12, 0xff, SPD_SPEED },
        { "ddr3-udimm", 120, 0x6a, SPD_DATE },
        { "ddr3-udimm", 121, 0x54, SPD_DATE },
        { "ddr3-udimm", 121, 0x00, SPD_DATE },
        { "ddr3-udimm", 186, 0x00, SPD_PROFILE_SPEED },
        { "ddr4-udimm", 4, 0x8a, SPD_SIZE },
        { "ddr4-udimm", 4, 0xc5, SPD_ADDRESSES }, /* more groups of banks */
        { "ddr4-udimm", 5, 0x29, SPD_ADDRESSES },
        { "ddr4-udimm", 12, 0x04, SPD_DEVICE_WIDTH },
        { "ddr4-udimm", 13, 0x04, SPD_BUS_WIDTH },
        { "ddr4-udimm", 13, 0x10, SPD_BUS_WIDTH },
        { "ddr4-udimm", 17, 0x01, SPD_SPEED },
        { "ddr4-udimm", 18, 0x00, SPD_SPEED },
        { "ddr4-udimm", 324, 0xff, SPD_DATE },
        { "ddr4-udimm", 396, 0x00, SPD_PROFILE_SPEED },
        { "ddr4-sodimm", 13, 0x00, SPD_SIZE }, /* chips wider than the bus */
        { "ddr5-udimm", 4, 0x00, SPD_SIZE },
        { "ddr5-udimm", 4, 0x09, SPD_SIZE },
        { "ddr5-udimm", 4, 0xc4, SPD_SIZE },
        { "ddr5-udimm", 5, 0x01, SPD_ADDRESSES },
        { "ddr5-udimm", 6, 0x80, SPD_DEVICE_WIDTH },
        { "ddr5-24gbit", 5, 0x00, SPD_ADDRESSES },
        { "ddr5-udimm", 21, 0x14, SPD_SPEED },
        { "ddr5-udimm", 235, 0x24, SPD_BUS_WIDTH },
        { "ddr5-udimm", 235, 0x3a, SPD_BUS_WIDTH },
        { "ddr5-udimm", 235, 0x82, SPD_BUS_WIDTH },
        { "ddr5-udimm", 710, 0x20, SPD_PROFILE_SPEED },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct image image = image_load(cases[i].name);
        struct spd spd;

        image.byte[cases[i].at] = cases[i].value;
        spd = image_read(&image);
        spd.problems &= ~(1u << SPD_BASE_CRC | 1u << SPD_MODULE_CRC | 1u << SPD_PROFILE_CRC);
        assert_int_equal(spd.problems, 1u << cases[i].problem);
        assert_true(strlen(spd_problem_text(cases[i].problem)) > 10);
    }
}

/* As on Corsair's CMSO4GX3M1C1333C9. */
TEST(a_date_in_binary)
{
    struct image image = image_load("ddr3-udimm");
    struct spd spd;

    image.byte[120] = 0x0d;
    image.byte[121] = 0x20;
    spd = image_read(&image);
    assert_int_equal(spd.problems & 1u << SPD_DATE, 0);
    assert_int_equal(spd.year, 2013);
    assert_int_equal(spd.week, 32);

    image.byte[120] = 0x13;
    image.byte[121] = 0x1a;
    spd = image_read(&image);
    assert_int_equal(spd.problems & 1u << SPD_DATE, 1u << SPD_DATE);
    assert_int_equal(spd.year, 0);

    image.byte[120] = 0; /* the year 2000 */
    image.byte[121] = 0x05;
    spd = image_read(&image);
    assert_int_equal(spd.year, 2000);
    assert_int_equal(spd.week, 5);
}

TEST(a_serial_that_is_none)
{
    static const struct {
        const char *name;
        size_t at;
    } places[] = { { "ddr3-udimm", 122 }, { "ddr4-udimm", 325 }, { "ddr5-udimm", 517 } };

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct image image = image_load(places[i].name);

        for (unsigned value = 0; value < 256; value += 255) {
            struct spd spd;

            memset(image.byte + places[i].at, (int)value, 4);
            spd = image_read(&image);
            assert_problems(&spd, SPD_SERIAL);
            assert_false(spd.has_serial);
        }
    }
}

TEST(what_the_maker_left_out_is_unknown)
{
    struct image image = image_load("ddr4-udimm");
    struct spd spd;

    memset(image.byte + 320, 0xff, 5);
    memset(image.byte + 329, 0, 20);
    memset(image.byte + 350, 0, 2);
    spd = image_read(&image);
    assert_int_equal(spd.maker, 0);
    assert_int_equal(spd.dram_maker, 0);
    assert_int_equal(spd.year, 0);
    assert_int_equal(spd.week, 0);
    assert_string_equal(spd.part, "");
    assert_int_equal(spd.problems, 0);
}

TEST(part_numbers_are_printable)
{
    static const struct {
        const char *bytes, *part;
    } cases[] = {
        { "ABC\0DEF             ", "ABC" },
        { "  A B               ", "  A B" },
        { "ABC\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "ABC" },
        { "A\x1b[2J\x80             .", "A?[2J?             ." },
    };
    struct image image = image_load("ddr4-udimm");

    image.byte[329 + 20] = 'Z'; /* the module's revision follows */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct spd spd;

        memcpy(image.byte + 329, cases[i].bytes, 20);
        spd = image_read(&image);
        assert_string_equal(spd.part, cases[i].part);
    }
}

TEST(odd_ranks_may_differ)
{
    struct image four = image_load("ddr4-udimm"), five = image_load("ddr5-expo");
    struct spd spd;

    four.byte[12] = 0x49; /* two ranks that differ, x8 */
    four.byte[10] = 0x04; /* the second is of half the density */
    spd = image_read(&four);
    assert_true(spd.ranks_differ);
    assert_int_equal(spd.size_bytes, 12 * GIB);
    four.byte[10] = 0x0c; /* three steps: not defined */
    spd = image_read(&four);
    assert_int_equal(spd.size_bytes, 0);

    five.byte[234] |= 0x40;
    five.byte[8] = 2; /* 8 Gbit, x16 */
    five.byte[10] = 0x40;
    spd = image_read(&five);
    assert_true(spd.ranks_differ);
    assert_int_equal(spd.device_bits, 8);
    assert_int_equal(spd.size_bytes, 20 * GIB);
}

TEST(stacks_have_the_ranks_of_their_dies)
{
    static const struct {
        const char *name;
        size_t at;
        uint8_t value;
        uint64_t size;
    } cases[] = {
        { "ddr4-udimm", 6, 0x91, 8 * GIB },  /* two dies behind one load: ranks count them */
        { "ddr4-udimm", 6, 0x92, 16 * GIB }, /* 3DS: each die is one more */
        { "ddr4-udimm", 6, 0xf2, 64 * GIB }, { "ddr5-udimm", 4, 0x24, 16 * GIB },
        { "ddr5-udimm", 4, 0x44, 32 * GIB }, { "ddr5-udimm", 4, 0xa4, 256 * GIB },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct image image = image_load(cases[i].name);

        image.byte[cases[i].at] = cases[i].value;
        assert_int_equal(image_read(&image).size_bytes, cases[i].size);
    }
}

TEST(profiles_that_are_off_do_not_count)
{
    static const struct {
        const char *name;
        size_t at;
        uint8_t value;
        const char *profiles;
    } cases[] = {
        { "ddr3-udimm", 178, 0, "" },
        { "ddr3-udimm", 178, 2, "xmp2 2133" },
        { "ddr3-udimm", 176, 0, "" },
        { "ddr4-udimm", 386, 1, "xmp1 3200" },
        { "ddr4-udimm", 385, 0, "" },
        { "ddr5-expo", 643, 2, "xmp2 5600, expo1 6000, expo2 5600" },
        { "ddr5-expo", 837, 0x11, "xmp1 6000, xmp2 5600, expo1 6000, expo2 5600" },
        { "ddr5-expo", 837, 0x33 & ~0x01, "xmp1 6000, xmp2 5600, expo2 5600" },
        { "ddr5-expo", 835, 'P', "xmp1 6000, xmp2 5600" },
        { "ddr5-expo", 641, 0, "expo1 6000, expo2 5600" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct image image = image_load(cases[i].name);
        struct spd spd;

        image.byte[cases[i].at] = cases[i].value;
        spd = image_read(&image);
        assert_string_equal(profiles_of(&spd, false), cases[i].profiles);
    }
}

/* Of the user's profiles of XMP 3.0 no bit says that they are on. */
TEST(a_users_profile_has_the_right_crc)
{
    struct image image = image_load("ddr5-udimm");
    struct spd spd;

    image.byte[896 + 5] = 0x1a; /* 282 ps, the fourth */
    image.byte[896 + 6] = 0x01;
    spd = image_read(&image);
    assert_string_equal(profiles_of(&spd, false), "xmp1 6400, xmp2 6000");
    assert_int_equal(spd.problems, 0);
    image_seal(&image, 896, 62, 958);
    spd = image_read(&image);
    assert_string_equal(profiles_of(&spd, false), "xmp1 6400, xmp2 6000, xmp4 7100");
    assert_int_equal(spd_fastest_profile(&spd), 7100);
    spd.n_profiles = 0;
    assert_int_equal(spd_fastest_profile(&spd), 0);
}

/* Before XMP 1.3 the bytes of fine times are something else. */
TEST(old_xmp_has_no_fine_times)
{
    struct image image = image_load("ddr3-udimm");
    struct spd spd;

    image.byte[179] = 0x12;
    spd = image_read(&image);
    assert_string_equal(profiles_of(&spd, false), "xmp1 1766, xmp2 2000");
}

/* Any length: bytes that are missing are not judged, and nothing is read past the end. */
TEST(a_part_alone)
{
    static const struct {
        const char *name;
        size_t n;
        uint64_t size;
        bool has_part;
    } cases[] = {
        { "ddr3-udimm", 128, 4 * GIB, false },  { "ddr4-udimm", 256, 8 * GIB, false },
        { "ddr4-udimm", 128, 8 * GIB, false },  { "ddr5-udimm", 128, 0, false },
        { "ddr5-udimm", 256, 16 * GIB, false }, { "ddr5-udimm", 640, 16 * GIB, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct image image = image_load(cases[i].name);
        struct spd spd;

        assert_int_equal(image_read_part(&image, cases[i].n, &spd), STATUS_OK);
        assert_problems(&spd, SPD_SHORT);
        assert_int_equal(spd.size_bytes, cases[i].size);
        assert_int_equal(spd.part[0] != 0, cases[i].has_part);
        assert_true(spd.mt_s > 0);
    }
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        struct image image = image_load(modules[i].name);

        for (size_t n = 3; n < image.n; n++) {
            struct spd spd;

            assert_int_equal(image_read_part(&image, n, &spd), STATUS_OK);
            assert_problems(&spd, SPD_SHORT);
            assert_true(n >= 128 || !spd.mt_s);
        }
    }
}

TEST(others_are_not_read)
{
    struct image image = image_load("ddr3-udimm");
    struct spd spd;

    assert_int_equal(image_read_part(&image, 2, &spd), STATUS_INVALID);
    image.byte[2] = 8;
    assert_int_equal(image_read_part(&image, image.n, &spd), STATUS_UNSUPPORTED);
    assert_string_equal(spd_type_name(spd.type), "DDR2");
    assert_string_equal(spd_form_name(&spd), "");
    assert_int_equal(spd.size_bytes, 0);
    image.byte[2] = 0x99;
    assert_int_equal(image_read_part(&image, image.n, &spd), STATUS_UNSUPPORTED);
    assert_string_equal(spd_type_name(spd.type), "");
    memset(image.byte, 0xff, sizeof(image.byte));
    assert_int_equal(image_read_part(&image, 256, &spd), STATUS_NOT_FOUND);
    memset(image.byte, 0, sizeof(image.byte));
    assert_int_equal(image_read_part(&image, 256, &spd), STATUS_NOT_FOUND);
}

TEST(names_makers)
{
    uint64_t digest = 0;

    assert_string_equal(spd_maker_name(0x002c), "Micron");
    assert_string_equal(spd_maker_name(0x051b), "Crucial");
    assert_string_equal(spd_maker_name(0x0a11), "CXMT");
    assert_string_equal(spd_maker_name(0), "");
    assert_string_equal(spd_maker_name(0x7f7e), "");
    for (unsigned maker = 0; maker <= UINT16_MAX; maker++)
        digest_add_text(&digest, spd_maker_name((uint16_t)maker));
    assert_int_equal(digest, UINT64_C(0xb74bfcc47750bd6f));
}

static void digest_add_times(uint64_t *digest, uint32_t mt_s, const struct spd_timings *t)
{
    digest_add(digest, mt_s);
    digest_add(digest, (uint64_t)t->cl << 48 | (uint64_t)t->rcd << 32 | t->rp << 16 | t->ras);
}

static void digest_add_spd(uint64_t *digest, const struct spd *s)
{
    const uint32_t all[] = { s->form,       s->ranks,      s->device_bits, s->ranks_differ,
                             s->row_bits,   s->channels,   s->column_bits, s->bank_bits,
                             s->data_bits,  s->ecc_bits,   s->tck_ps,      s->maker,
                             s->dram_maker, s->serial,     s->has_serial,  s->year,
                             s->week,       s->has_sensor, s->n_profiles,  s->problems };

    digest_add(digest, s->size_bytes);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        digest_add(digest, all[i]);
    digest_add_times(digest, s->mt_s, &s->timings);
    for (size_t i = 0; i < s->n_profiles; i++)
        digest_add_times(digest, s->profile[i].mt_s, &s->profile[i].timings);
    digest_add_text(digest, s->part);
}

/* What each bit of each module says, and each value of the first bytes. */
TEST(every_bit)
{
    uint64_t digest = 0;
    struct spd spd;

    for (size_t m = 0; m < sizeof(modules) / sizeof(modules[0]); m++) {
        const struct image image = image_load(modules[m].name);

        for (size_t i = 0; i < 256 * 20 + 8 * image.n; i++) {
            struct image changed = image;

            if (i < 256 * 20)
                changed.byte[i / 256] = (uint8_t)i;
            else
                changed.byte[(i - 256 * 20) / 8] ^= (uint8_t)(1 << i % 8);
            if (spd_read(changed.byte, changed.n, &spd) == STATUS_OK)
                digest_add_spd(&digest, &spd);
        }
    }
    assert_int_equal(digest, UINT64_C(0x1d1030014354c31a));
}

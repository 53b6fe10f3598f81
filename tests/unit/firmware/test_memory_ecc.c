// SPDX-License-Identifier: MIT
#include "firmware/memory_ecc.h"

#include "tests/unit/unit.h"

static struct smbios_memory m;
static const struct ecc_control silent;

static void begin(void)
{
    memset(&m, 0, sizeof(m));
}

static void add_module(uint16_t total_bits, uint16_t data_bits)
{
    m.slot[m.n_slot++] = (struct smbios_slot){ .is_populated = true,
                                               .size_bytes = 1 << 20,
                                               .total_bits = total_bits,
                                               .data_bits = data_bits };
    m.slots++;
    m.populated++;
}

static void add_array(enum smbios_ecc ecc)
{
    m.array[m.n_array++].ecc = ecc;
}

TEST(judges_by_widths_and_array)
{
    static const struct {
        uint16_t total_bits, data_bits; /* 0: unknown */
        enum smbios_ecc array;
        enum memory_ecc_state state;
    } cases[] = {
        { 64, 64, SMBIOS_ECC_NONE, MEMORY_ECC_OFF },
        { 64, 64, SMBIOS_ECC_UNKNOWN, MEMORY_ECC_OFF },
        { 64, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_OFF }, /* a board with more than its modules */
        { 32, 32, SMBIOS_ECC_SINGLE_BIT, MEMORY_ECC_OFF },
        { 72, 64, SMBIOS_ECC_SINGLE_BIT, MEMORY_ECC_ON },
        { 72, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 72, 64, SMBIOS_ECC_NONE, MEMORY_ECC_UNUSED },
        { 72, 64, SMBIOS_ECC_PARITY, MEMORY_ECC_UNKNOWN },
        { 72, 64, SMBIOS_ECC_CRC, MEMORY_ECC_UNKNOWN },
        { 72, 64, SMBIOS_ECC_UNKNOWN, MEMORY_ECC_UNKNOWN },
        { 72, 72, SMBIOS_ECC_SINGLE_BIT, MEMORY_ECC_ON }, /* the bits for ECC count as data */
        { 72, 72, SMBIOS_ECC_NONE, MEMORY_ECC_UNUSED },
        { 72, 72, SMBIOS_ECC_UNKNOWN, MEMORY_ECC_UNKNOWN },
        { 80, 80, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 40, 40, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 36, 36, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 71, 71, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_OFF },
        { 80, 64, SMBIOS_ECC_SINGLE_BIT, MEMORY_ECC_ON },
        { 80, 64, SMBIOS_ECC_NONE, MEMORY_ECC_UNUSED },
        { 40, 32, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 36, 32, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_ON },
        { 40, 32, SMBIOS_ECC_NONE, MEMORY_ECC_UNUSED },
        { 0, 0, SMBIOS_ECC_NONE, MEMORY_ECC_OFF },
        { 0, 0, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
        { 0, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
        { 72, 0, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
        { 128, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN }, /* two channels as one */
        { 128, 64, SMBIOS_ECC_NONE, MEMORY_ECC_OFF },
        { 71, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
        { 73, 64, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
        { 64, 72, SMBIOS_ECC_MULTI_BIT, MEMORY_ECC_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct memory_ecc ecc;

        begin();
        add_module(cases[i].total_bits, cases[i].data_bits);
        add_array(cases[i].array);
        ecc = memory_ecc_judge(&m, &silent);
        assert_int_equal(ecc.state, cases[i].state);
        if (ecc.state == MEMORY_ECC_UNKNOWN)
            assert_null(ecc.by);
        else
            assert_string_equal(ecc.by, "smbios");
    }
}

TEST(judges_several_modules)
{
    begin();
    add_array(SMBIOS_ECC_MULTI_BIT);
    add_module(72, 64);
    add_module(72, 64);
    m.slot[m.n_slot++] = (struct smbios_slot){ .total_bits = 64, .data_bits = 64 }; /* empty */
    m.slots++;
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_ON);

    add_module(0, 0);
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_UNKNOWN);
    add_module(64, 64);
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_OFF);

    begin();
    add_array(SMBIOS_ECC_MULTI_BIT);
    add_module(72, 64);
    m.slots = m.n_slot + 1; /* one more, which was not kept */
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_UNKNOWN);
}

TEST(arrays_must_agree)
{
    begin();
    add_module(72, 64);
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_UNKNOWN);
    add_array(SMBIOS_ECC_SINGLE_BIT);
    add_array(SMBIOS_ECC_MULTI_BIT);
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_ON);
    add_array(SMBIOS_ECC_NONE);
    assert_int_equal(memory_ecc_judge(&m, &silent).state, MEMORY_ECC_UNKNOWN);
}

TEST(controller_has_the_last_word)
{
    static const struct {
        struct ecc_control control;
        uint16_t total_bits;
        enum memory_ecc_state state;
    } cases[] = {
        { { ECC_YES, ECC_NOT_SAID, 0 }, 64, MEMORY_ECC_ON },
        { { ECC_YES, ECC_NOT_SAID, 0 }, 0, MEMORY_ECC_ON },
        { { ECC_NO, ECC_NOT_SAID, 0 }, 72, MEMORY_ECC_UNUSED },
        { { ECC_NO, ECC_NOT_SAID, 0 }, 64, MEMORY_ECC_OFF },
        { { ECC_NO, ECC_NOT_SAID, 0 }, 0, MEMORY_ECC_OFF },
        { { ECC_NO, ECC_YES, 0 }, 0, MEMORY_ECC_UNUSED },
        { { ECC_NO, ECC_YES, 0 }, 64, MEMORY_ECC_OFF },
        { { ECC_NO, ECC_NO, 0 }, 72, MEMORY_ECC_UNUSED },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct memory_ecc ecc;

        begin();
        add_module(cases[i].total_bits, cases[i].total_bits ? 64 : 0);
        add_array(SMBIOS_ECC_MULTI_BIT);
        ecc = memory_ecc_judge(&m, &cases[i].control);
        assert_int_equal(ecc.state, cases[i].state);
        assert_string_equal(ecc.by, "controller");
    }
}

TEST(nothing_is_known_without_smbios)
{
    struct memory_ecc ecc = memory_ecc_judge(NULL, &silent);

    assert_int_equal(ecc.state, MEMORY_ECC_UNKNOWN);
    assert_null(ecc.by);
    ecc = memory_ecc_judge(NULL, &(struct ecc_control){ .is_on = ECC_YES });
    assert_int_equal(ecc.state, MEMORY_ECC_ON);
}

TEST(has_words)
{
    assert_string_equal(memory_ecc_word(MEMORY_ECC_UNKNOWN), "unknown");
    assert_string_equal(memory_ecc_word(MEMORY_ECC_UNUSED), "unused");
    assert_string_equal(memory_ecc_phrase(MEMORY_ECC_UNKNOWN), "");
    assert_string_equal(memory_ecc_phrase(MEMORY_ECC_UNUSED),
                        "ECC off, although the modules have it");
}

#define DDR4 0x1a
#define DDR5 0x22

TEST(finds_what_a_machine_shows)
{
    static const struct {
        uint8_t type[2];
        bool is_populated[2];
        unsigned by_registers;
        uint64_t more_reliable_bytes;
        unsigned repair;
    } cases[] = {
        { { DDR4, DDR4 }, { true, true }, 0, 0, 0 },
        { { DDR5, DDR5 }, { true, true }, 0, 0, MEMORY_REPAIR_ON_DIE_ECC },
        { { DDR4, DDR5 }, { true, true }, 0, 0, MEMORY_REPAIR_ON_DIE_ECC },
        { { DDR4, DDR5 }, { true, false }, 0, 0, 0 }, /* an empty slot */
        { { DDR4, DDR4 }, { true, true }, 0, 4096, MEMORY_REPAIR_RANGE_MIRRORING },
        { { DDR4, DDR4 }, { true, true }, MEMORY_REPAIR_MIRRORING, 0, MEMORY_REPAIR_MIRRORING },
        { { DDR5, 0 }, { true, false }, MEMORY_REPAIR_IN_BAND_ECC, 1, 14 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ecc_control control = { .repair = cases[i].by_registers };
        memset(&m, 0, sizeof(m));
        m.n_slot = 2;
        for (size_t k = 0; k < 2; k++) {
            m.slot[k].memory_type = cases[i].type[k];
            m.slot[k].is_populated = cases[i].is_populated[k];
        }
        assert_int_equal(memory_repair_find(&m, &control, cases[i].more_reliable_bytes),
                         cases[i].repair);
    }
}

TEST(needs_no_smbios)
{
    assert_int_equal(memory_repair_find(NULL, &silent, 0), 0);
    assert_int_equal(memory_repair_find(NULL, &silent, 1), MEMORY_REPAIR_RANGE_MIRRORING);
}

TEST(names_them)
{
    const char *name[MEMORY_REPAIRS];

    assert_int_equal(memory_repair_names(0, name), 0);
    assert_int_equal(memory_repair_names(MEMORY_REPAIR_ON_DIE_ECC | MEMORY_REPAIR_MIRRORING, name),
                     2);
    assert_string_equal(name[0], "mirroring");
    assert_string_equal(name[1], "on-die ECC");
    assert_int_equal(memory_repair_names(15, name), MEMORY_REPAIRS);
    assert_string_equal(name[1], "address range mirroring");
    assert_string_equal(name[2], "in-band ECC");
}

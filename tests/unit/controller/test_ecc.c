// SPDX-License-Identifier: MIT
/* ECC by channels as they were decoded: of Intel's processors for clients, and some of AMD's. */
#include "controller/controllers.h"

#include "controller/played_controller.h"

static struct decoded_controller decoded;

/* In place of the decoder. */
void controller_decode(const struct cpu_model *cpu, const struct register_source *source,
                       struct decoded_controller *ret)
{
    *ret = decoded;
}

static struct ecc_control read_ecc(enum cpu_vendor vendor, bool is_virtual)
{
    unsigned family = vendor == CPU_VENDOR_AMD ? 0x1a : 6, model = family == 6 ? 0x3c : 0x24;
    struct controller_source source = played_source(vendor, family, model, 3);

    play_begin();
    source.is_virtual = is_virtual;
    controllers_read(&source);
    return controller_ecc(&source);
}

TEST(channels_with_modules_count)
{
    enum { NOT_KNOWN = DECODED_ECC_UNKNOWN, OFF = DECODED_ECC_OFF, IN_BAND = DECODED_ECC_IN_BAND };
    enum { ON = DECODED_ECC_ON, UNUSED = DECODED_ECC_UNUSED };
    static const struct {
        unsigned gib[2], ecc[2];
        enum ecc_answer is_on;
        unsigned repair;
    } cases[] = {
        { { 8, 8 }, { ON, ON }, ECC_YES, 0 },
        { { 8, 8 }, { OFF, OFF }, ECC_NO, 0 },
        { { 8, 8 }, { OFF, UNUSED }, ECC_NO, 0 },
        { { 8, 8 }, { ON, OFF }, ECC_NOT_SAID, 0 },
        { { 8, 8 }, { ON, NOT_KNOWN }, ECC_NOT_SAID, 0 },
        { { 8, 8 }, { NOT_KNOWN, NOT_KNOWN }, ECC_NOT_SAID, 0 },
        { { 8, 0 }, { ON, NOT_KNOWN }, ECC_YES, 0 },
        { { 0, 8 }, { ON, OFF }, ECC_NO, 0 },
        { { 0, 0 }, { ON, ON }, ECC_NOT_SAID, 0 },
        { { 8, 8 }, { IN_BAND, IN_BAND }, ECC_YES, MEMORY_REPAIR_IN_BAND_ECC },
        { { 8, 8 }, { IN_BAND, OFF }, ECC_NOT_SAID, 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ecc_control control;

        decoded = (struct decoded_controller){ .family = "played", .n_channels = 2 };
        for (unsigned c = 0; c < 2; c++) {
            decoded.channel[c].dimm[c].bytes = (uint64_t)cases[i].gib[c] << 30;
            decoded.channel[c].ecc = (uint8_t)cases[i].ecc[c];
        }
        control = read_ecc(CPU_VENDOR_INTEL, false);
        assert_int_equal(control.is_on, cases[i].is_on);
        assert_int_equal(control.repair, cases[i].repair);
        assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    }
}

/* How many controllers Strix Point has, only its data fabric says. */
TEST(amds_without_a_number_of_controllers)
{
    decoded = (struct decoded_controller){ .family = "played", .n_channels = 1 };
    decoded.channel[0].dimm[0].bytes = 1 << 30;
    decoded.channel[0].ecc = DECODED_ECC_ON;
    assert_int_equal(read_ecc(CPU_VENDOR_AMD, false).is_on, ECC_YES);
    decoded.channel[0].ecc = DECODED_ECC_UNUSED;
    assert_int_equal(read_ecc(CPU_VENDOR_AMD, false).is_on, ECC_NO);
    assert_int_equal(read_ecc(CPU_VENDOR_AMD, false).modules_have_it, ECC_YES);
    decoded = (struct decoded_controller){ .family = "AMD Zen", .unknown = "not public" };
    assert_int_equal(read_ecc(CPU_VENDOR_AMD, false).is_on, ECC_NOT_SAID);
}

TEST(no_family_knows_them)
{
    decoded = (struct decoded_controller){ .unknown = "played" };
    assert_int_equal(read_ecc(CPU_VENDOR_INTEL, false).is_on, ECC_NOT_SAID);
    assert_int_equal(read_ecc(CPU_VENDOR_OTHER, false).is_on, ECC_NOT_SAID);
}

/* Under a hypervisor not even the identity of a bridge is read. */
TEST(reads_nothing_under_a_hypervisor)
{
    static const enum cpu_vendor vendors[] = { CPU_VENDOR_INTEL, CPU_VENDOR_AMD, CPU_VENDOR_HYGON };

    for (size_t i = 0; i < COUNT(vendors); i++) {
        decoded = (struct decoded_controller){ .family = "played", .n_channels = 1 };
        decoded.channel[0].dimm[0].bytes = 1 << 30;
        decoded.channel[0].ecc = DECODED_ECC_ON;
        assert_int_equal(read_ecc(vendors[i], true).is_on, ECC_NOT_SAID);
        assert_int_equal(played.reads + played.walks + played.mapped, 0);
    }
}

// SPDX-License-Identifier: MIT
/* The memory controllers of Xeon E5 and E7. */
#include "device/ecc_controllers.h"

#include "device/played_ecc.h"
#include "firmware/memory_repair.h"

#define ON         4u
#define THERE      (1u << 14)
#define HASWELL_EP 0x3f

static struct ecc_source source;

static void begin(uint32_t model)
{
    play_begin();
    source = played_source(CPU_VENDOR_INTEL, 6, model, 2);
    play(0xff, 8, 0, PCI_ID, 0x12348086); /* of another kind */
}

/* A controller of a home agent, and its last channel; mtr: of that channel's last module. */
static void play_controller(unsigned bus, unsigned device, uint16_t id, uint32_t mcmtr,
                            uint32_t mtr)
{
    play(bus, device, 0, PCI_ID, 0x8086 | (uint32_t)id << 16);
    play(bus, device, 0, 0x7c, mcmtr);
    play(bus, device, 5, PCI_ID, 0x8086 | (uint32_t)(id + 5) << 16);
    play(bus, device, 5, 0x80, 0);
    play(bus, device, 5, 0x84, ABSENT);
    play(bus, device, 5, 0x88, mtr);
}

static enum ecc_answer is_on(void)
{
    struct ecc_control control = ecc_registers_read(&source);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    return control.is_on;
}

static void decodes_the_controllers(void **state)
{
    static const struct {
        uint16_t id[2];
        uint32_t mcmtr[2], mtr[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 0x2fa8, 0x2f68 }, { ON, ~0u - 1 }, { THERE, THERE }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { 0, ~ON }, { THERE, THERE }, ECC_NO },
        { { 0x2fa8, 0x2f68 }, { ON, 0 }, { THERE, THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { 0, ON }, { THERE, THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { ON, 0 }, { THERE, ~THERE }, ECC_YES }, /* the second has none */
        { { 0x2fa8, 0x2f68 }, { ON, 0 }, { THERE, ABSENT }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { ON, ABSENT }, { THERE, 0 }, ECC_YES },
        { { 0x2fa8, 0x2f68 }, { ON, ON }, { 0, 0 }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { ON, ABSENT }, { THERE, THERE }, ECC_NOT_SAID },
        { { 0x2fa8, 0x2f68 }, { 0, ABSENT }, { THERE, THERE }, ECC_NOT_SAID },
        { { 0x3ca8, 0x3ca8 }, { ON, ON }, { THERE, THERE }, ECC_YES }, /* of two sockets */
        { { 0x0ea8, 0x0e68 }, { ON, ON }, { THERE, THERE }, ECC_YES },
        { { 0x6fa8, 0x6f68 }, { 0, 0 }, { THERE, THERE }, ECC_NO },
        { { 0x6fa8, 0x1234 }, { ON, 0 }, { THERE, THERE }, ECC_YES },
        { { 0x1234, 0x1234 }, { ON, ON }, { THERE, THERE }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin(HASWELL_EP);
        for (unsigned k = 0; k < 2; k++)
            play_controller(0x7f + 0x80 * k, 19, cases[i].id[k], cases[i].mcmtr[k],
                            cases[i].mtr[k]);
        assert_int_equal(is_on(), cases[i].is_on);
        assert_int_equal(played.walks, 1);
    }
}

/* A function of the controller's device that is not one of its channels says nothing. */
static void looks_at_its_own_channels(void **state)
{
    begin(HASWELL_EP);
    play_controller(0x7f, 19, 0x2fa8, ON, THERE);
    play(0x7f, 19, 5, PCI_ID, 0x2fac8086);
    assert_int_equal(is_on(), ECC_NOT_SAID);
    play(0x7f, 19, 0, PCI_ID, 0x2fa81022);
    play(0x7f, 19, 5, PCI_ID, 0x2fad8086);
    assert_int_equal(is_on(), ECC_NOT_SAID);
}

static void finds_mirroring(void **state)
{
    static const struct {
        uint32_t id;
        unsigned offset;
        uint32_t value;
        unsigned repair;
    } cases[] = {
        { 0x3c718086, 0xac, 1, MEMORY_REPAIR_MIRRORING },
        { 0x0e798086, 0xac, ~0u - 2, MEMORY_REPAIR_MIRRORING },
        { 0x2f718086, 0xac, ~1u, 0 },
        { 0x6f798086, 0xac, ABSENT, 0 },
        { 0x2fa08086, 0x84, 1 << 28, MEMORY_REPAIR_RANGE_MIRRORING },
        { 0x6f608086, 0x84, 1 << 28, MEMORY_REPAIR_RANGE_MIRRORING },
        { 0x6fa08086, 0x84, ~(1u << 28), 0 },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct ecc_control control;

        begin(HASWELL_EP);
        play_controller(0x7f, 19, 0x2fa8, ON, THERE);
        play(0x7f, 20, 1, PCI_ID, cases[i].id);
        play(0x7f, 20, 1, cases[i].offset, cases[i].value);
        control = ecc_registers_read(&source);
        assert_int_equal(control.is_on, ECC_YES);
        assert_int_equal(control.repair, cases[i].repair);
    }
}

static void looks_on_known_models_only(void **state)
{
    static const struct {
        uint32_t family, model;
        bool is_known;
    } cpus[] = {
        { 6, 0x2d, true },  { 6, 0x3e, true },  { 6, 0x3f, true },
        { 6, 0x4f, true },  { 6, 0x56, true },  { 6, 0x2c, false },
        { 6, 0x3c, false }, { 6, 0x55, false }, { 15, 0x3f, false },
    };

    for (size_t i = 0; i < LENGTH(cpus); i++) {
        struct cpu_model cpu = { CPU_VENDOR_INTEL, cpus[i].family, cpus[i].model, 0 };

        assert_int_equal(ecc_xeon_is_known(&cpu), cpus[i].is_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_controllers),
        cmocka_unit_test(looks_at_its_own_channels),
        cmocka_unit_test(finds_mirroring),
        cmocka_unit_test(looks_on_known_models_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

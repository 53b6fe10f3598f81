// SPDX-License-Identifier: MIT
/* Intel's registers of ECC, in a configuration space and behind an MCHBAR that the test plays. */
#include "device/ecc_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "device/pci.h"

#define ABSENT UINT32_MAX
#define HSW    0x0c088086u
#define SKL    0x19188086u
#define BASE   0xfed10000u
#define NO_ECC (1u << 25)
#define SIZE   0x20u
#define SECOND 0x2000u

static struct {
    uint32_t id, mchbar[2], capid0;
    uint32_t registers[0x8000 / 4];
    bool is_elsewhere; /* nothing can be mapped */
    uint64_t mapped;
} hw;

static void play(uint32_t id, uint32_t mad0, uint32_t mad1)
{
    memset(&hw, 0, sizeof(hw));
    hw.id = id;
    hw.mchbar[0] = BASE | 1;
    hw.capid0 = ~NO_ECC - 1;
    hw.registers[0x5004 / 4] = mad0;
    hw.registers[0x5008 / 4] = mad1;
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ bus << 16 | device << 11 | number << 8 };
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    assert_int_equal(f.address, 0);
    switch (offset) {
    case PCI_ID:
        return hw.id;
    case 0x48:
    case 0x4c:
        return hw.mchbar[(offset - 0x48) / 4];
    case 0xe4:
        return hw.capid0;
    }
    fail_msg("the host bridge is read at 0x%x", offset);
    return 0;
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    fail_msg("0x%x is written at 0x%x", value, offset);
}

void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    fail_msg("all buses are walked");
}

static volatile void *map(uint64_t phys, uint64_t bytes)
{
    assert_int_equal(bytes, sizeof(hw.registers));
    hw.mapped = phys;
    return hw.is_elsewhere ? NULL : hw.registers;
}

static enum ecc_answer is_on(void)
{
    struct cpu_model cpu = { CPU_VENDOR_INTEL, 6, 0x3c, 3 };
    struct ecc_control control = ecc_registers_read(&cpu, map);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    return control.is_on;
}

static void decodes_the_channels(void **state)
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

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        play(HSW, cases[i].mad[0], cases[i].mad[1]);
        assert_int_equal(is_on(), cases[i].is_on);
        assert_int_equal(hw.mapped, BASE);
    }
}

static void finds_the_registers(void **state)
{
    static const struct {
        uint32_t low, high;
        uint64_t mapped;
    } bars[] = {
        { BASE | 1, 0, BASE },       { BASE | 0x7fff, 0, BASE }, { 1, 4, UINT64_C(4) << 32 },
        { 1, 0x80, 0 },              { BASE, 0, 0 },             { 1, 0, 0 },
        { ABSENT, 0, 0 },            { BASE | 1, ABSENT, 0 },
    };

    for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
        play(HSW, 3 << 24 | SIZE, 0);
        hw.mchbar[0] = bars[i].low;
        hw.mchbar[1] = bars[i].high;
        assert_int_equal(is_on(), bars[i].mapped ? ECC_YES : ECC_NOT_SAID);
        assert_int_equal(hw.mapped, bars[i].mapped);
    }
    play(HSW, 3 << 24 | SIZE, 0);
    hw.is_elsewhere = true;
    assert_int_equal(is_on(), ECC_NOT_SAID);
}

/* Where the mode is not known, only that there is none. */
static void heeds_the_capability(void **state)
{
    static const uint32_t ids[] = { HSW, SKL, 0x01088086, 0x3ec28086, 0xa7008086 };

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        play(ids[i], 3 << 24 | SIZE, 0);
        hw.capid0 = NO_ECC;
        assert_int_equal(is_on(), ECC_NO);
        assert_int_equal(hw.mapped, 0);
        hw.capid0 = ABSENT;
        assert_int_equal(is_on(), ECC_NOT_SAID);
    }
    play(SKL, 3 << 24 | SIZE, 0);
    assert_int_equal(is_on(), ECC_NOT_SAID);
    assert_int_equal(hw.mapped, 0);
}

/* 29c0: of QEMU's q35. */
static void leaves_other_bridges_alone(void **state)
{
    static const uint32_t ids[] = { ABSENT, 0, 0x29c08086, 0x12378086, 0x0c081022, 0x8086 };
    struct cpu_model other = { CPU_VENDOR_OTHER, 6, 0x3c, 3 };

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        play(ids[i], 3 << 24 | SIZE, 3 << 24 | SIZE);
        hw.capid0 = NO_ECC;
        assert_int_equal(is_on(), ECC_NOT_SAID);
        assert_int_equal(hw.mapped, 0);
    }
    play(HSW, 3 << 24 | SIZE, 0);
    assert_int_equal(ecc_registers_read(&other, map).is_on, ECC_NOT_SAID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_channels),
        cmocka_unit_test(finds_the_registers),
        cmocka_unit_test(heeds_the_capability),
        cmocka_unit_test(leaves_other_bridges_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* MCMTR of the memory controllers of Xeon E5 and the like, on PCI buses that the test plays. */
#include "device/ecc_xeon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "device/ecc_registers.h"
#include "device/pci.h"

#define ABSENT     UINT32_MAX
#define ON         4u
#define OTHER      0x12348086u /* a function that is none of the controllers' */
#define FUNCTIONS  3u
#define HASWELL_EP 0x3f

static struct {
    uint32_t id, mcmtr;
} hw[FUNCTIONS];
static unsigned walks;

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    fail_msg("%u:%u.%u is asked, without a walk", bus, device, number);
    return (struct pci_function){ 0 };
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    if (offset == PCI_ID)
        return hw[f.address].id;
    assert_int_equal(offset, 0x7c);
    assert_int_not_equal(hw[f.address].id, OTHER);
    return hw[f.address].mcmtr;
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    fail_msg("0x%x is written at 0x%x", value, offset);
}

void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    walks++;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        found(ctx, (struct pci_function){ i });
}

static enum ecc_answer is_on(uint32_t model)
{
    struct cpu_model cpu = { CPU_VENDOR_INTEL, 6, model, 2 };
    struct ecc_control control = ecc_registers_read(&cpu, NULL);

    assert_int_equal(control.modules_have_it, ECC_NOT_SAID);
    return control.is_on;
}

static void decodes_the_controllers(void **state)
{
    static const struct {
        uint32_t id[2], mcmtr[2];
        enum ecc_answer is_on;
    } cases[] = {
        { { 0x2fa88086, 0x2f688086 }, { ON, ~0u - 1 }, ECC_YES },
        { { 0x2fa88086, 0x2f688086 }, { 0, ~ON }, ECC_NO },
        { { 0x2fa88086, 0x2f688086 }, { ON, 0 }, ECC_NOT_SAID },
        { { 0x2fa88086, 0x2f688086 }, { 0, ON }, ECC_NOT_SAID },
        { { 0x2fa88086, 0x2f688086 }, { ON, ABSENT }, ECC_NOT_SAID },
        { { 0x2fa88086, 0x2f688086 }, { 0, ABSENT }, ECC_NOT_SAID },
        { { 0x3ca88086, 0x3ca88086 }, { ON, ON }, ECC_YES }, /* of two sockets */
        { { 0x0ea88086, 0x0e688086 }, { ON, ON }, ECC_YES },
        { { 0x6fa88086, 0x6f688086 }, { 0, 0 }, ECC_NO },
        { { 0x6fa88086, OTHER }, { ON, 0 }, ECC_YES },
        { { OTHER, OTHER }, { ON, ON }, ECC_NOT_SAID },
        { { 0x2fa81022, 0x2fa81022 }, { ON, ON }, ECC_NOT_SAID },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hw[0].id = OTHER;
        for (size_t k = 0; k < 2; k++) {
            hw[k + 1].id = cases[i].id[k];
            hw[k + 1].mcmtr = cases[i].mcmtr[k];
        }
        assert_int_equal(is_on(HASWELL_EP), cases[i].is_on);
    }
}

static void looks_on_known_models_only(void **state)
{
    static const struct {
        uint32_t family, model;
        bool is_known;
    } cpus[] = {
        { 6, 0x2d, true },  { 6, 0x3e, true },  { 6, 0x3f, true },  { 6, 0x4f, true },
        { 6, 0x56, true },  { 6, 0x2c, false }, { 6, 0x3c, false }, { 6, 0x55, false },
        { 15, 0x3f, false },
    };

    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        struct cpu_model cpu = { CPU_VENDOR_INTEL, cpus[i].family, cpus[i].model, 0 };

        assert_int_equal(ecc_xeon_is_known(&cpu), cpus[i].is_known);
    }
    walks = 0;
    is_on(HASWELL_EP);
    assert_int_equal(walks, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_controllers),
        cmocka_unit_test(looks_on_known_models_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

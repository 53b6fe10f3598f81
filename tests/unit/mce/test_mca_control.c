// SPDX-License-Identifier: MIT
#include "mce/mca_control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before. */
#include <cmocka.h>

#define GART (UINT64_C(1) << 10)

/* Real CPUs, and the bits that banks 0, 3, 4 and 5 do not report. */
static const struct {
    const char *name;
    bool amd, hypervisor;
    uint32_t family, model;
    uint64_t off_in_4, masked_in_4;
    bool bank_0;
} cpus[] = {
    { "Athlon 64", true, false, 0xf, 0x04, GART, GART, true },
    { "Turion 64 X2", true, false, 0xf, 0x68, GART, GART, true },
    { "Phenom", true, false, 0x10, 0x02, GART, GART, true },
    { "Phenom, emulated", true, true, 0x10, 0x02, GART, 0, true },
    { "Turion Ultra", true, false, 0x11, 0x03, 0, 0, true },
    { "Bulldozer", true, false, 0x15, 0x01, 0, 0, true },
    { "Zen", true, false, 0x17, 0x01, 0, 0, true },
    { "Pentium 4", false, false, 0xf, 0x04, 0, 0, true },
    { "Core 2", false, false, 6, 0x17, 0, 0, false },
    { "Nehalem", false, false, 6, 0x1a, 0, 0, true },
    { "Tiger Lake", false, false, 6, 0x8c, 0, 0, true },
};

static void each_cpu_reports_what_it_should(void **state)
{
    static const uint32_t others[] = { 0, 3, 5 };

    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        const struct mca_cpu c = { .family = cpus[i].family,
                                   .model = cpus[i].model,
                                   .amd = cpus[i].amd,
                                   .hypervisor = cpus[i].hypervisor,
                                   .n_banks = 6 };

        print_message("%s\n", cpus[i].name);
        assert_int_equal(~mca_control(&c, 4), cpus[i].off_in_4);
        assert_int_equal(mca_control_mask(&c, 4), cpus[i].masked_in_4);
        assert_int_equal(mca_may_control(&c, 0), cpus[i].bank_0);
        assert_true(mca_may_control(&c, 4));
        for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
            assert_int_equal(mca_control(&c, others[k]), UINT64_MAX);
            assert_int_equal(mca_control_mask(&c, others[k]), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cpu_reports_what_it_should),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "cpudata/cpu_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cpudata/fake_cpuid.h"

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65
#define HYGON 0x6f677948, 0x656e6975, 0x6e65476e

static const struct {
    struct leaf leaf[TOLD_LEAVES_MAX];
    struct cpu_model model;
} cpus[] = {
    { { { 0, 0, { 0x10, AMD } }, { 1, 0, { 0x00a60f12 } } }, { CPU_VENDOR_AMD, 0x19, 0x61, 2 } },
    { { { 0, 0, { 0x10, AMD } }, { 1, 0, { 0x00800f82 } } }, { CPU_VENDOR_AMD, 0x17, 0x08, 2 } },
    { { { 0, 0, { 1, AMD } }, { 1, 0, { 0x00000f51 } } }, { CPU_VENDOR_AMD, 0x0f, 0x05, 1 } },
    { { { 0, 0, { 0xd, HYGON } }, { 1, 0, { 0x00900f01 } } }, { CPU_VENDOR_HYGON, 0x18, 0, 1 } },
    { { { 0, 0, { 0x20, INTEL } }, { 1, 0, { 0x000906ea } } }, { CPU_VENDOR_INTEL, 6, 0x9e, 10 } },
    { { { 0, 0, { 1, 0, 0, 0 } }, { 1, 0, { 0x00010543 } } }, { CPU_VENDOR_OTHER, 5, 4, 3 } },
    { { { 0, 0, { 0, AMD } }, { 1, 0, { 0x00a60f12 } } }, { CPU_VENDOR_AMD, 0, 0, 0 } },
};

static void reads_each(void **state)
{
    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        struct cpu_model m = cpu_model_read(fake_cpuid, (void *)cpus[i].leaf);

        assert_int_equal(m.vendor, cpus[i].model.vendor);
        assert_int_equal(m.family, cpus[i].model.family);
        assert_int_equal(m.model, cpus[i].model.model);
        assert_int_equal(m.stepping, cpus[i].model.stepping);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reads_each) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

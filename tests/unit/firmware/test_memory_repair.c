// SPDX-License-Identifier: MIT
#include "firmware/memory_repair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define DDR4 0x1a
#define DDR5 0x22

static void finds_what_a_machine_shows(void **state)
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
        static struct smbios_memory m;

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

static void needs_no_smbios(void **state)
{
    static const struct ecc_control silent;

    assert_int_equal(memory_repair_find(NULL, &silent, 0), 0);
    assert_int_equal(memory_repair_find(NULL, &silent, 1), MEMORY_REPAIR_RANGE_MIRRORING);
}

static void names_them(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_machine_shows),
        cmocka_unit_test(needs_no_smbios),
        cmocka_unit_test(names_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

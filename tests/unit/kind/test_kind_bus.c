// SPDX-License-Identifier: MIT
#include "kind/kind_bus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    uint8_t type[2]; /* 0: an empty slot */
    unsigned bits;
    bool has_lanes;
} rows[] = {
    { { 0x1a, 0x1a }, 64, true }, { { 0x18, 0 }, 64, true },   { { 0x22, 0x22 }, 32, true },
    { { 0x22, 0x1a }, 0, true },  { { 0x07, 0x1a }, 0, true }, { { 0x1e, 0x1e }, 0, false },
    { { 0x23, 0 }, 0, false },    { { 0, 0 }, 0, true },
};

static void goes_by_the_modules(void **state)
{
    assert_int_equal(kind_bus_bits(NULL), 0);
    assert_true(kind_bus_has_lanes(NULL));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static struct smbios_memory slots;

        slots.n_slot = 2;
        for (size_t k = 0; k < 2; k++)
            slots.slot[k] = (struct smbios_slot){ .memory_type = rows[i].type[k],
                                                  .is_populated = rows[i].type[k] != 0,
                                                  .is_ordinary = true };
        assert_int_equal(kind_bus_bits(&slots), rows[i].bits);
        assert_int_equal(kind_bus_has_lanes(&slots), rows[i].has_lanes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(goes_by_the_modules) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

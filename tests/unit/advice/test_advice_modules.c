// SPDX-License-Identifier: MIT
#include "advice/advice_modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct smbios_slot slot[3] = {
    { .locator = "DIMM_A1", .is_populated = true, .is_ordinary = true },
    { .locator = "On board", .is_populated = true, .is_ordinary = true, .is_soldered = true },
    { .locator = "CXL 1", .is_populated = true },
};

static char place[SMBIOS_NAME_SIZE];

static struct advice_facts take(const struct modules *modules)
{
    struct advice_facts f = { .run = ADVICE_FAILED };

    advice_take_modules(modules, place, &f);
    return f;
}

static void modules_are_counted(void **state)
{
    struct modules m = { .n = 1 };
    struct advice_facts f;

    strcpy(m.module[0].part, "KF560C36");
    m.module[0].slot = &slot[0];
    f = take(&m);
    assert_int_equal(f.n_modules, 1);
    assert_false(f.has_soldered);
    assert_string_equal(f.only.place, "DIMM_A1");
    assert_string_equal(f.only.part, "KF560C36");
    assert_string_equal(f.only.serial, "");
    m.n_others = 1; /* somewhere */
    assert_int_equal(take(&m).n_modules, 2);
    m = (struct modules){ .n = 3 };
    for (size_t i = 0; i < m.n; i++)
        m.module[i].slot = &slot[i];
    f = take(&m);
    assert_int_equal(f.n_modules, 1);
    assert_true(f.has_soldered);
    assert_string_equal(f.only.place, "DIMM_A1");
    assert_int_equal(take(&(struct modules){ 0 }).n_modules, 0);
}

static void speeds_are_compared(void **state)
{
    struct modules m = { .n = 2 };
    struct advice_facts f;

    for (size_t i = 0; i < 2; i++)
        m.module[i] =
            (struct module){ .slot = &slot[0], .configured_mt_s = 3200, .jedec_mt_s = 3200 };
    assert_int_equal(take(&m).fast_mt_s, 0);
    m.module[0].profile_mt_s = 3200;
    f = take(&m);
    assert_int_equal(f.fast_mt_s, 3200);
    assert_int_equal(f.jedec_mt_s, 0);
    for (size_t i = 0; i < 2; i++) { /* in any order */
        m.module[i].jedec_mt_s = 2666;
        f = take(&m);
        assert_int_equal(f.fast_mt_s, 3200);
        assert_int_equal(f.jedec_mt_s, 2666);
        m.module[i].jedec_mt_s = 3200;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_counted),
        cmocka_unit_test(speeds_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

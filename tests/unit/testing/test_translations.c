// SPDX-License-Identifier: MIT
#include "testing/translations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

/* The table is for 1 MiB, then 2 MiB, and so on. */
static void dropped_whenever_the_table_is_full(void **state)
{
    struct translations t = { 0 };

    assert_false(translations_swept(&t, MIB - 64));
    assert_true(translations_swept(&t, 64));
    assert_false(translations_swept(&t, MIB));
    assert_true(translations_swept(&t, MIB));
    assert_false(translations_swept(&t, 4 * MIB - 1));
    assert_true(translations_swept(&t, 1));
}

/* Slices may be larger than the table: it is doubled once for each all the same. */
static void kept_when_the_table_is_at_its_largest(void **state)
{
    struct translations t = { 0 };

    for (int i = 0; i < 14; i++)
        assert_true(translations_swept(&t, 16384 * MIB));
    for (int i = 0; i < 100; i++)
        assert_false(translations_swept(&t, 1024 * 1024 * MIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_whenever_the_table_is_full),
        cmocka_unit_test(kept_when_the_table_is_at_its_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

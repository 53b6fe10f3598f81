// SPDX-License-Identifier: MIT
#include "testing/translations.h"

#include "tests/unit/unit.h"

/* The table is for 1 MiB, then 2 MiB, and so on. */
TEST(dropped_whenever_the_table_is_full)
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
TEST(kept_when_the_table_is_at_its_largest)
{
    struct translations t = { 0 };

    for (int i = 0; i < 14; i++)
        assert_true(translations_swept(&t, 16384 * MIB));
    for (int i = 0; i < 100; i++)
        assert_false(translations_swept(&t, 1024 * 1024 * MIB));
}

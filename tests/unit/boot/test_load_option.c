// SPDX-License-Identifier: MIT
#include "boot/uefi/guard_install/load_option.h"

#include "tests/unit/unit.h"

static const uint8_t order[] = { 1, 0, 2, 0, 0x34, 0x12, 2, 0 };

/* Attributes, bytes of the path, description, path: partition, file, end; then data. */
TEST(makes_a_load_option)
{
    static const uint8_t wanted[] = { 1,   0, 0,    0, 18,  0, 'o', 0,   'k',  0,    'r', 0,
                                      'a', 0, 'm',  0, ' ', 0, 'g', 0,   'u',  0,    'a', 0,
                                      'r', 0, 'd',  0, 0,   0, 'P', 'P', 'P',  'P',  4,   4,
                                      10,  0, '\\', 0, 'a', 0, 0,   0,   0x7f, 0xff, 4,   0 };
    uint8_t out[64];

    assert_int_equal(load_option_make("PPPP", 4, "\\a", "", out, sizeof(out)), sizeof(wanted));
    assert_memory_equal(out, wanted, sizeof(wanted));
    assert_int_equal(load_option_make("PPPP", 4, "\\a", "", out, sizeof(wanted)), sizeof(wanted));
    assert_int_equal(load_option_make("PPPP", 4, "\\a", "", out, sizeof(wanted) - 1), 0);
    assert_int_equal(load_option_make("PPPP", 4, "\\a", "b", out, sizeof(out)), sizeof(wanted) + 4);
    assert_memory_equal(out, wanted, sizeof(wanted)); /* the options are not of the path */
    assert_memory_equal(out + sizeof(wanted), "b\0\0", 4);
}

TEST(puts_a_number_first_and_takes_it_out)
{
    uint8_t out[sizeof(order) + 2];

    assert_int_equal(load_order_with(order, sizeof(order), 9, out), sizeof(order) + 2);
    assert_memory_equal(out, "\t\0", 2);
    assert_memory_equal(out + 2, order, sizeof(order));
    assert_int_equal(load_order_without(out, sizeof(out), 9, out), sizeof(order));
    assert_memory_equal(out, order, sizeof(order));

    assert_int_equal(load_order_with(order, sizeof(order), 2, out), 6);
    assert_memory_equal(out, "\2\0\1\0\x34\x12", 6);
    assert_int_equal(load_order_with(NULL, 0, 0x1234, out), 2);
    assert_memory_equal(out, "\x34\x12", 2);
    assert_int_equal(load_order_without(out, 2, 0x1234, out), 0);
}

TEST(finds_a_number)
{
    assert_true(load_order_has(order, sizeof(order), 0x1234));
    assert_false(load_order_has(order, sizeof(order), 0x3412));
    assert_false(load_order_has(order, 3, 2)); /* half a number is none */
    assert_false(load_order_has(NULL, 0, 0));
}

// SPDX-License-Identifier: MIT
#include "boot/uefi/network/conf_names.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

#define UUID "6f6b7261-0000-4a4d-9e15-00000000000a"

static const uint8_t mac[] = { 0x52, 0x54, 0x00, 0xab, 0x0c, 0xff };
static struct conf_names names;

TEST(this_machine_first)
{
    conf_names_make(UUID, mac, &names);
    assert_int_equal(names.n, 3);
    assert_string_equal(names.name[0], "okram.conf-" UUID);
    assert_string_equal(names.name[1], "okram.conf-52-54-00-ab-0c-ff");
    assert_string_equal(names.name[2], "okram.conf");
}

TEST(what_is_not_known_is_left_out)
{
    conf_names_make("", mac, &names);
    assert_int_equal(names.n, 2);
    assert_string_equal(names.name[0], "okram.conf-52-54-00-ab-0c-ff");
    assert_string_equal(names.name[1], "okram.conf");
    conf_names_make(UUID, NULL, &names);
    assert_int_equal(names.n, 2);
    assert_string_equal(names.name[0], "okram.conf-" UUID);
    assert_string_equal(names.name[1], "okram.conf");
    conf_names_make("", NULL, &names);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.name[0], "okram.conf");
}

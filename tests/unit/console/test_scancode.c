// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "console/keyboard.h"

static void sequences_give_keys(void **state)
{
    static const struct {
        bool set2;
        uint8_t bytes[8];
        size_t n;
        int keys[8];
    } cases[] = {
        { false, { 0x10, 0x90 }, 2, { 'q', KEY_NONE } },
        { false, { 0x13, 0x93, 0x39, 0xb9 }, 4, { 'r', KEY_NONE, ' ', KEY_NONE } },
        { false, { 0x26, 0xa6 }, 2, { 'l', KEY_NONE } },
        { true, { 0x4b, 0xf0, 0x4b }, 3, { 'l', KEY_NONE, KEY_NONE } },
        { false, { 0x30, 0xb0 }, 2, { 'b', KEY_NONE } },
        { true, { 0x32, 0xf0, 0x32 }, 3, { 'b', KEY_NONE, KEY_NONE } },
        { false, { 0x2e, 0xae }, 2, { 'c', KEY_NONE } },
        { false, { 0x2d, 0xad }, 2, { 'x', KEY_NONE } },
        { true, { 0x22, 0xf0, 0x22 }, 3, { 'x', KEY_NONE, KEY_NONE } },
        { true, { 0x21, 0xf0, 0x21 }, 3, { 'c', KEY_NONE, KEY_NONE } },
        { false, { 0x1f, 0x9f }, 2, { 's', KEY_NONE } },
        { true, { 0x1b, 0xf0, 0x1b }, 3, { 's', KEY_NONE, KEY_NONE } },
        { false, { 0x1c, 0x01 }, 2, { KEY_ENTER, KEY_ESCAPE } },
        { false, { 0xe0, 0x1c, 0xe0, 0x9c }, 4, { KEY_NONE, KEY_ENTER, KEY_NONE, KEY_NONE } },
        { false, { 0xe0, 0x10, 0x10 }, 3, { KEY_NONE, KEY_NONE, 'q' } }, /* previous track */
        { false,
          { 0x15, 0x4b, 0xff, 0x00, 0xfa },
          5,
          { KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE } },
        { false,
          { 0xe1, 0x1d, 0x45, 0xe1, 0x9d, 0xc5 },
          6, /* pause */
          { KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE } },
        { true, { 0x15, 0xf0, 0x15, 0x15 }, 4, { 'q', KEY_NONE, KEY_NONE, 'q' } },
        { true, { 0x2d, 0x29, 0x5a, 0x76 }, 4, { 'r', ' ', KEY_ENTER, KEY_ESCAPE } },
        { true,
          { 0xe0, 0x5a, 0xe0, 0xf0, 0x5a },
          5,
          { KEY_NONE, KEY_ENTER, KEY_NONE, KEY_NONE, KEY_NONE } },
        { true, { 0x10, 0x13, 0x90 }, 3, { KEY_NONE, KEY_NONE, KEY_NONE } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scancode s = { .set2 = cases[i].set2 };

        for (size_t j = 0; j < cases[i].n; j++)
            assert_int_equal(scancode_key(&s, cases[i].bytes[j]), cases[i].keys[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_give_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "firmware/smbios_board.h"

#include "fake.h"

#define SYSTEM    1, 6, 0, 1, 1, 2, 'Q', 0, 'P', 'C', 0, 0
#define BOARD     2, 6, 0, 2, 1, 2, 'A', 'S', 0, 'X', '1', 0, 0
#define NO_NAME   2, 6, 0, 2, 0, 0, 0, 0
#define ONE_NAME  2, 6, 0, 2, 0, 1, 'X', '1', 0, 0
#define TOO_SHORT 2, 5, 0, 2, 1, 'A', 0, 0
#define END       127, 4, 0, 3, 0, 0

struct list {
    uint8_t bytes[64];
    size_t length;
    const char *name;
};

#define LIST(name, ...)                                                                            \
    {                                                                                              \
        { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), name                                  \
    }

static const struct list lists[] = {
    LIST("AS X1", SYSTEM, BOARD, END),
    LIST("AS X1", BOARD, SYSTEM, END),
    LIST("Q PC", SYSTEM, END),
    LIST("Q PC", SYSTEM, NO_NAME, END),
    LIST("X1", SYSTEM, ONE_NAME, END),
    LIST("AS X1", NO_NAME, BOARD, END),
    LIST("Q PC", TOO_SHORT, SYSTEM, END),
    LIST("", NO_NAME, END),
    LIST("", END),
    LIST("", 1, 6, 0, 1, 1, 2, 'Q'), /* it does not end */
};

static void the_board_or_else_the_system(void **state)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        uint8_t *copy = malloc(lists[i].length); /* ASan sees its end */
        struct smbios s = {
            .structures = copy, .length = lists[i].length, .n_structures = UINT32_MAX, .major = 3
        };
        char name[64] = "?";

        assert_non_null(copy);
        memcpy(copy, lists[i].bytes, lists[i].length);
        smbios_board_read(&s, name, sizeof(name));
        assert_string_equal(name, lists[i].name);
        smbios_board_read(&s, name, 3);
        assert_in_range(strlen(name), 0, 2);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_board_or_else_the_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

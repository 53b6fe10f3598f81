// SPDX-License-Identifier: MIT
#include "firmware/smbios_names.h"

#include "fake.h"

#define FIRMWARE 0, 9, 0, 0, 1, 2, 0, 0, 3, 'V', 0, '1', '.', '2', 0, 'D', 0, 0
#define CUT      0, 8, 0, 0, 1, 2, 0, 0, 'V', 0, 'W', 0, 0
#define SYSTEM   1, 7, 0, 1, 1, 2, 0, 'Q', 0, 'P', 'C', 0, 0
#define BOARD    2, 7, 0, 2, 2, 1, 3, 'X', '1', 0, 'A', 'S', 0, '3', 0, 0
#define NO_NAMES 2, 7, 0, 2, 0, 0, 0, 0, 0
#define BEYOND   2, 7, 0, 2, 4, 5, 6, 'A', 0, 0
#define END      127, 4, 0, 3, 0, 0

struct list {
    uint8_t bytes[80];
    size_t length;
    const char *firmware, *system, *board;
};

#define LIST(firmware, system, board, ...)                                                         \
    {                                                                                              \
        { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), firmware, system, board               \
    }

static const struct list lists[] = {
    LIST("V/1.2/D", "Q/PC/", "AS/X1/3", FIRMWARE, SYSTEM, BOARD, END),
    LIST("//", "Q/PC/", "AS/X1/3", NO_NAMES, BOARD, BOARD, SYSTEM, END),
    LIST("//", "//", "//", CUT, NO_NAMES, BEYOND, END),
    LIST("V/1.2/D", "//", "//", FIRMWARE, CUT, END),
    LIST("//", "//", "//", END),
    LIST("//", "Q/P/", "//", 1, 7, 0, 1, 1, 2, 0, 'Q', 0, 'P', 0), /* it does not end */
};

static void the_first_names_of_each(void **state)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        uint8_t *copy = malloc(lists[i].length); /* ASan sees its end */
        struct smbios s = { copy, lists[i].length, UINT32_MAX, 3, 7 };
        struct smbios_names n;
        char text[256];

        assert_non_null(copy);
        memcpy(copy, lists[i].bytes, lists[i].length);
        smbios_names_read(&s, &n);
        assert_int_equal(n.major, 3);
        assert_int_equal(n.minor, 7);
        snprintf(text, sizeof(text), "%s/%s/%s", n.firmware.vendor, n.firmware.version,
                 n.firmware.date);
        assert_string_equal(text, lists[i].firmware);
        snprintf(text, sizeof(text), "%s/%s/%s", n.board.maker, n.board.product, n.board.version);
        assert_string_equal(text, lists[i].board);
        if (i + 1 < sizeof(lists) / sizeof(lists[0])) {
            snprintf(text, sizeof(text), "%s/%s/%s", n.system.maker, n.system.product,
                     n.system.version);
            assert_string_equal(text, lists[i].system);
        }
        free(copy);
    }
}

/* Of the least bytes that have both strings. */
#define SHORT_SYSTEM   1, 6, 0, 1, 1, 2, 'Q', 0, 'P', 'C', 0, 0
#define SHORT_BOARD    2, 6, 0, 2, 1, 2, 'A', 'S', 0, 'X', '1', 0, 0
#define SHORT_NO_NAME  2, 6, 0, 2, 0, 0, 0, 0
#define SHORT_ONE_NAME 2, 6, 0, 2, 0, 1, 'X', '1', 0, 0
#define TOO_SHORT      2, 5, 0, 2, 1, 'A', 0, 0

struct board_list {
    uint8_t bytes[64];
    size_t length;
    const char *name;
};

#define BOARD_LIST(name, ...)                                                                      \
    {                                                                                              \
        { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), name                                  \
    }

static const struct board_list board_lists[] = {
    BOARD_LIST("AS X1", SHORT_SYSTEM, SHORT_BOARD, END),
    BOARD_LIST("AS X1", SHORT_BOARD, SHORT_SYSTEM, END),
    BOARD_LIST("Q PC", SHORT_SYSTEM, END),
    BOARD_LIST("Q PC", SHORT_SYSTEM, SHORT_NO_NAME, END),
    BOARD_LIST("X1", SHORT_SYSTEM, SHORT_ONE_NAME, END),
    BOARD_LIST("AS X1", SHORT_NO_NAME, SHORT_BOARD, END),
    BOARD_LIST("Q PC", TOO_SHORT, SHORT_SYSTEM, END),
    BOARD_LIST("", SHORT_NO_NAME, END),
    BOARD_LIST("", END),
    BOARD_LIST("", 1, 6, 0, 1, 1, 2, 'Q'), /* it does not end */
};

static void the_board_or_else_the_system(void **state)
{
    for (size_t i = 0; i < sizeof(board_lists) / sizeof(board_lists[0]); i++) {
        uint8_t *copy = malloc(board_lists[i].length); /* ASan sees its end */
        struct smbios s = { .structures = copy,
                            .length = board_lists[i].length,
                            .n_structures = UINT32_MAX,
                            .major = 3 };
        struct smbios_names names;
        char name[64] = "?";

        assert_non_null(copy);
        memcpy(copy, board_lists[i].bytes, board_lists[i].length);
        smbios_names_read(&s, &names);
        smbios_names_board(&names, name, sizeof(name));
        assert_string_equal(name, board_lists[i].name);
        smbios_names_board(&names, name, 3);
        assert_in_range(strlen(name), 0, 2);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_names_of_each),
        cmocka_unit_test(the_board_or_else_the_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

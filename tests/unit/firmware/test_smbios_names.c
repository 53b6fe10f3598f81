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

TEST(the_first_names_of_each)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        uint8_t *copy = malloc(lists[i].length); /* ASan sees its end */
        struct smbios s = { .structures = copy,
                            .length = lists[i].length,
                            .n_structures = UINT32_MAX,
                            .major = 3,
                            .minor = 7 };
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

TEST(the_board_or_else_the_system)
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

#define SERIALS  1, 8, 0, 1, 1, 2, 0, 3, 'Q', 0, 'P', 0, 'S', '1', 0, 0
#define SERIAL_2 2, 8, 0, 2, 1, 0, 0, 2, 'A', 0, 'S', '2', 0, 0

#define SYSTEM_ID(...) 1, 24, 0, 1, 0, 0, 0, 0, __VA_ARGS__, 0, 0
#define UUID_BYTES                                                                                 \
    0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
#define TIMES_15(n) n, n, n, n, n, n, n, n, n, n, n, n, n, n, n

/* The example of 7.2.1, and what is not a UUID. */
static const struct {
    uint8_t bytes[64];
    size_t length;
    uint8_t major, minor;
    const char *uuid, *serials;
} ids[] = {
#define IDS(major, minor, uuid, serials, ...)                                                      \
    {                                                                                              \
        { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), major, minor, uuid, serials           \
    }
    IDS(2, 6, "00112233-4455-6677-8899-aabbccddeeff", "/", SYSTEM_ID(UUID_BYTES), END),
    IDS(3, 0, "00112233-4455-6677-8899-aabbccddeeff", "/", SYSTEM_ID(UUID_BYTES), END),
    IDS(2, 5, "33221100-5544-7766-8899-aabbccddeeff", "/", SYSTEM_ID(UUID_BYTES), END),
    IDS(3, 7, "", "/", SYSTEM_ID(0, TIMES_15(0)), END),
    IDS(3, 7, "", "/", SYSTEM_ID(0xff, TIMES_15(0xff)), END),
    IDS(3, 7, "00000001-0000-0000-0000-000000000000", "/", SYSTEM_ID(1, TIMES_15(0)), END),
    IDS(3, 7, "fffffffe-ffff-ffff-ffff-ffffffffffff", "/", SYSTEM_ID(0xfe, TIMES_15(0xff)), END),
    IDS(3, 7, "", "/", 1, 23, 0, 1, 0, 0, 0, 0, TIMES_15(7), 0, 0, END), /* a byte too short */
    IDS(3, 7, "", "S1/S2", SERIALS, SERIAL_2, END),
    IDS(3, 7, "", "/", SYSTEM, BOARD, END), /* of the least bytes with a version */
};

TEST(which_machine_it_is)
{
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        uint8_t *copy = malloc(ids[i].length); /* ASan sees its end */
        struct smbios s = { .structures = copy,
                            .length = ids[i].length,
                            .n_structures = UINT32_MAX,
                            .major = ids[i].major,
                            .minor = ids[i].minor };
        struct smbios_names n;
        char text[128];

        assert_non_null(copy);
        memcpy(copy, ids[i].bytes, ids[i].length);
        smbios_names_read(&s, &n);
        assert_string_equal(n.uuid, ids[i].uuid);
        snprintf(text, sizeof(text), "%s/%s", n.system.serial, n.board.serial);
        assert_string_equal(text, ids[i].serials);
        free(copy);
    }
}

static const struct {
    const char *name;
    bool is_filler;
} fillers[] = {
    { "", true },
    { "To Be Filled By O.E.M.", true },
    { "To be filled by O.E.M.", true },
    { "To be filled by O.E.M", false },
    { "To be filled by O.E.M. x", false },
    { "Default string", true },
    { "System Product Name", true },
    { "Not Specified", true },
    { "None", true },
    { "00000000", true },
    { "FFFFFFFF", true },
    { "..........", true },
    { "00000001", false },
    { "0", false }, /* may be a version */
    { "11", false },
    { "X13DDW-A", false },
    { "OEMX", false },
};

TEST(names_that_say_nothing)
{
    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
        assert_int_equal(smbios_name_is_filler(fillers[i].name), fillers[i].is_filler);
}

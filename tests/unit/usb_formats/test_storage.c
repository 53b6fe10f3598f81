// SPDX-License-Identifier: MIT
#include "usb_formats/storage.h"

#include "tests/unit/unit.h"

TEST(commands)
{
    static const uint8_t read[STORAGE_WRAPPER_BYTES] = { 'U', 'S',  'B', 'C', 4,    3, 2,  1,
                                                         0,   0x10, 0,   0,   0x80, 0, 10, 0x28,
                                                         0,   1,    2,   3,   4,    0, 0,  8 };
    static const uint8_t write[STORAGE_WRAPPER_BYTES] = { 'U', 'S', 'B', 'C', 1, 0, 0,  0,
                                                          0,   2,   0,   0,   0, 0, 10, 0x2a,
                                                          0,   0,   0,   0,   9, 0, 0,  1 };
    static const uint8_t ready[STORAGE_WRAPPER_BYTES] = { 'U', 'S', 'B', 'C', 2, 0, 0, 0,
                                                          0,   0,   0,   0,   0, 0, 6 };
    struct storage_command c = storage_read(0x01020304, 8);
    uint8_t wrapper[STORAGE_WRAPPER_BYTES];

    storage_wrap(&c, 0x01020304, wrapper);
    assert_memory_equal(wrapper, read, sizeof(read));
    c = storage_write(9, 1);
    storage_wrap(&c, 1, wrapper);
    assert_memory_equal(wrapper, write, sizeof(write));
    storage_wrap(&storage_test_ready, 2, wrapper);
    assert_memory_equal(wrapper, ready, sizeof(ready));
    assert_int_equal(storage_inquiry.data, 36);
    assert_int_equal(storage_request_sense.data, 18);
    assert_int_equal(storage_read_capacity.data, 8);
    assert_int_equal(storage_synchronize.data, 0);
}

TEST(how_it_went)
{
    static const struct {
        uint8_t bytes[13];
        size_t n;
        enum status status;
        enum storage_result result;
    } cases[] = {
        { { 'U', 'S', 'B', 'S', 7 }, 13, STATUS_OK, STORAGE_GOOD },
        { { 'U', 'S', 'B', 'S', 7, 0, 0, 0, 0, 2, 0, 0, 1 }, 13, STATUS_OK, STORAGE_REFUSED },
        { { 'U', 'S', 'B', 'S', 7, 0, 0, 0, 0, 0, 0, 0, 2 }, 13, STATUS_INVALID, 0 },
        { { 'U', 'S', 'B', 'S', 8 }, 13, STATUS_INVALID, 0 },
        { { 'U', 'S', 'B', 'C', 7 }, 13, STATUS_INVALID, 0 },
        { { 'U', 'S', 'B', 'S', 7 }, 12, STATUS_INVALID, 0 },
        { { 0 }, 0, STATUS_INVALID, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum storage_result result = STORAGE_GOOD;

        assert_int_equal(storage_status_read(cases[i].bytes, cases[i].n, 7, &result),
                         cases[i].status);
        assert_int_equal(result, cases[i].result);
    }
}

TEST(capacities)
{
    static const struct {
        uint8_t bytes[8];
        uint64_t n; /* 0: refused */
    } cases[] = {
        { { 0, 0, 0, 63, 0, 0, 2, 0 }, 64 },
        { { 0xff, 0xff, 0xff, 0xfe, 0, 0, 2, 0 }, UINT32_MAX },
        { { 0xff, 0xff, 0xff, 0xff, 0, 0, 2 }, 0 },
        { { 0, 0, 0, 63, 0, 0, 1, 0 }, 0 },
        { { 0, 0, 0, 63, 0, 0, 16, 0 }, 0 },
        { { 0, 0, 0, 63, 0, 1, 2, 0 }, 0 },
        { { 0, 0, 0, 63 }, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t n = 0;

        storage_capacity_read(cases[i].bytes, 8, &n);
        assert_int_equal(n, cases[i].n);
        assert_int_equal(storage_capacity_read(cases[i].bytes, 7, &n), STATUS_INVALID);
    }
}

TEST(answers)
{
    static const uint8_t sense[] = { 0x70, 0, 0x27 }, old[] = { 0x00, 0, 7 };
    static const uint8_t disk[5] = { 0 }, tape[5] = { 1 }, none[5] = { 0x20 };

    assert_int_equal(storage_sense_key(sense, 3), STORAGE_SENSE_PROTECTED);
    assert_int_equal(storage_sense_key(sense, 2), 0);
    assert_int_equal(storage_sense_key(old, 3), 0);
    assert_true(storage_is_disk(disk, 5));
    assert_false(storage_is_disk(disk, 4) || storage_is_disk(tape, 5) || storage_is_disk(none, 5));
}

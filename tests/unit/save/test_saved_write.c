// SPDX-License-Identifier: MIT
#include "save/saved_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/crc32c.h"

static void a_state_is_sealed(void **state)
{
    struct saved_state s = { .run_id = 7, .phase = SAVED_TESTING, .test = "address", .crc = 99 };
    uint32_t crc;

    saved_seal_state(&s);
    assert_memory_equal(s.magic, "okramSAV", 8);
    assert_int_equal(s.version, 1);
    assert_int_equal(s.bytes, sizeof(s));
    assert_int_equal(s.run_id, 7);
    crc = s.crc;
    s.crc = 0;
    assert_int_equal(crc, crc32c(&s, sizeof(s)));
    s.crc = crc;
    saved_seal_state(&s); /* the old CRC is no part of the new one */
    assert_int_equal(s.crc, crc);
}

static void parts_have_names(void **state)
{
    char name[SAVED_NAME_MAX];

    saved_part_name(0, name);
    assert_string_equal(name, "OkramReport0");
    saved_part_name(15, name);
    assert_string_equal(name, "OkramReportF");
}

static void parts_are_counted(void **state)
{
    static const struct {
        size_t bytes;
        unsigned parts;
    } cases[] = {
        { 0, 0 }, { 1, 1 }, { 992, 1 }, { 993, 2 }, { 16 * 992, 16 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(saved_parts_of(cases[i].bytes), cases[i].parts);
}

/* The parts' bytes one after the other are the report, whatever its length. */
static void parts_make_up_the_report(void **state)
{
    static const size_t lengths[] = { 1, 991, 992, 993, 1984, 15872 };
    static char report[15872], joined[15872];
    uint8_t data[SAVED_VARIABLE_MAX];

    for (size_t i = 0; i < sizeof(report); i++)
        report[i] = (char)(i * 31);
    for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
        size_t length = lengths[k], at = 0;
        unsigned n = saved_parts_of(length);

        for (unsigned i = 0; i < n; i++) {
            size_t bytes = saved_make_part(5, i, report, length, data);
            struct saved_part part;
            uint32_t crc;

            memcpy(&part, data, sizeof(part));
            assert_in_range(bytes, sizeof(part) + 1, SAVED_VARIABLE_MAX);
            assert_memory_equal(part.magic, "okramPRT", 8);
            assert_int_equal(part.run_id, 5);
            assert_int_equal(part.index, i);
            assert_int_equal(part.n, n);
            assert_int_equal(part.bytes, bytes - sizeof(part));
            assert_int_equal(part.reserved, 0);
            crc = part.crc;
            part.crc = 0;
            memcpy(data, &part, sizeof(part));
            assert_int_equal(crc, crc32c(data, bytes));
            memcpy(joined + at, data + sizeof(part), part.bytes);
            at += part.bytes;
        }
        assert_int_equal(at, length);
        assert_memory_equal(joined, report, length);
    }
    assert_int_equal(saved_report_crc(report, 9), crc32c(report, 9));
}

static void others_variables_are_known(void **state)
{
    assert_true(saved_is_own("okramSAV", 8, SAVED_STATE_MAGIC));
    assert_false(saved_is_own("okramSAV", 7, SAVED_STATE_MAGIC));
    assert_false(saved_is_own("okramPRT", 8, SAVED_STATE_MAGIC));
    assert_false(saved_is_own("", 0, SAVED_PART_MAGIC));
}

static void five_kib_stay_free(void **state)
{
    assert_true(saved_fits(5 * 1024 + 128 + 224, 224));
    assert_false(saved_fits(5 * 1024 + 128 + 223, 224));
    assert_false(saved_fits(0, 0));
    assert_int_equal(saved_parts_that_fit(0), 0);
    assert_int_equal(saved_parts_that_fit(UINT64_MAX), 16);
    for (unsigned n = 0; n < 16; n++) {
        uint64_t least = 5 * 1024 + (n + 2) * (1024 + 128);

        assert_int_equal(saved_parts_that_fit(least), n);
        assert_int_equal(saved_parts_that_fit(least - 1), n ? n - 1 : 0);
    }
}

/* After a state is written, there is room for as much report as ever. */
static void states_leave_room_for_the_report(void **state)
{
    uint64_t least = 5 * 1024 + 128 + 224 + 18 * (1024 + 128);

    assert_true(saved_leaves_room(least));
    assert_false(saved_leaves_room(least - 1));
    assert_int_equal(saved_parts_that_fit(least - 128 - 224), 16);
}

static void one_write_a_minute(void **state)
{
    struct saved_pace pace = { 0 };

    assert_true(saved_is_due(&pace, 0.5));
    assert_false(saved_is_due(&pace, 0.6));
    assert_false(saved_is_due(&pace, 60.4));
    assert_true(saved_is_due(&pace, 60.5));
    assert_false(saved_is_due(&pace, 61));
    assert_true(saved_is_due(&pace, 1e6));
    assert_false(saved_is_due(&pace, 1e6 + 59));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_sealed),
        cmocka_unit_test(parts_have_names),
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(parts_make_up_the_report),
        cmocka_unit_test(others_variables_are_known),
        cmocka_unit_test(five_kib_stay_free),
        cmocka_unit_test(states_leave_room_for_the_report),
        cmocka_unit_test(one_write_a_minute),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "bandwidth/redundant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isas.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define LINE      64
#define WORDS     (LINE / sizeof(double))
#define LINES_MAX 1001
#define GUARD     UINT64_C(0x5a5a5a5a5a5a5a5a)

/* Whole groups, and each rest that a group may leave. */
static const size_t line_counts[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, LINES_MAX };

/* Lines between two that nothing may touch. */
struct area {
    uint64_t before[WORDS];
    union {
        double value[LINES_MAX + 1][WORDS];
        uint64_t bits[LINES_MAX + 1][WORDS];
    };
};

static struct area *make_area(void)
{
    struct area *area = aligned_alloc(LINE, sizeof(*area));

    assert_non_null(area);
    memset(area, 0x5a, sizeof(*area));
    return area;
}

static void assert_untouched(const struct area *area, size_t lines)
{
    for (size_t w = 0; w < WORDS; w++) {
        assert_int_equal(area->before[w], GUARD);
        for (size_t line = lines; line <= LINES_MAX; line++)
            assert_int_equal(area->bits[line][w], GUARD);
    }
}

/* Line i of the data holds value + i, whatever is kept besides. */
static void assert_data(const struct area *data, size_t lines, double value)
{
    for (size_t line = 0; line < lines; line++)
        for (size_t w = 0; w < WORDS; w++)
            assert_true(data->value[line][w] == value + (double)line);
    assert_untouched(data, lines);
}

/* Any line of a group is the XOR of its parity and of the group's other lines. */
static void assert_rebuilt(const struct area *data, const struct area *parity, size_t lines)
{
    for (size_t lost = 0; lost < lines; lost++) {
        size_t group = lost / REDUNDANCY_GROUP, first = group * REDUNDANCY_GROUP;

        for (size_t w = 0; w < WORDS; w++) {
            uint64_t rebuilt = parity->bits[group][w];

            for (size_t i = first; i < first + REDUNDANCY_GROUP && i < lines; i++)
                if (i != lost)
                    rebuilt ^= data->bits[i][w];
            assert_int_equal(rebuilt, data->bits[lost][w]);
        }
    }
}

static void check_write(const struct stream_ops *ops, enum redundancy kind, size_t lines,
                        double value)
{
    struct area *data = make_area(), *other = make_area();
    uint64_t other_bytes = redundancy_other_bytes(kind, lines * LINE);

    redundant_write(ops, kind, data->value[0], other->value[0], lines * LINE, value);
    assert_data(data, lines, value);
    assert_untouched(other, other_bytes / LINE);
    if (kind == REDUNDANCY_MIRROR)
        assert_memory_equal(data->bits, other->bits, lines * LINE);
    if (kind == REDUNDANCY_PARITY)
        assert_rebuilt(data, other, lines);
    free(data);
    free(other);
}

static void test_write(void **state)
{
    static const double values[] = { 1.0, 0.0, -7.0, 0.5, 1e6 };

    for (size_t isa = 0; isa < n_isas; isa++)
        for (enum redundancy kind = 0; kind < REDUNDANCY_KINDS; kind++)
            for (size_t l = 0; l < COUNT(line_counts); l++)
                for (size_t v = 0; v < COUNT(values); v++)
                    check_write(isas[isa], kind, line_counts[l], values[v]);
}

/* A second write with another value leaves nothing of the first. */
static void test_overwrite(void **state)
{
    for (size_t isa = 0; isa < n_isas; isa++) {
        struct area *data = make_area(), *other = make_area();

        redundant_write(isas[isa], REDUNDANCY_PARITY, data->value[0], other->value[0], 10 * LINE,
                        1.0);
        redundant_write(isas[isa], REDUNDANCY_PARITY, data->value[0], other->value[0], 10 * LINE,
                        1000.0);
        assert_data(data, 10, 1000.0);
        assert_rebuilt(data, other, 10);
        free(data);
        free(other);
    }
}

static void test_plain_needs_no_other(void **state)
{
    for (size_t isa = 0; isa < n_isas; isa++) {
        struct area *data = make_area();

        redundant_write(isas[isa], REDUNDANCY_NONE, data->value[0], NULL, 9 * LINE, 3.0);
        assert_data(data, 9, 3.0);
        free(data);
    }
}

static void test_other_bytes(void **state)
{
    static const struct {
        uint64_t data, parity;
    } rows[] = {
        { 0, 0 },
        { 1 * LINE, LINE },
        { 3 * LINE, LINE },
        { 4 * LINE, LINE },
        { 5 * LINE, 2 * LINE },
        { 8 * LINE, 2 * LINE },
        { UINT64_C(1) << 40, UINT64_C(1) << 38 },
        { UINT64_MAX - 63, (UINT64_MAX / LINE / 4 + 1) * LINE },
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_NONE, rows[r].data), 0);
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_MIRROR, rows[r].data), rows[r].data);
        assert_int_equal(redundancy_other_bytes(REDUNDANCY_PARITY, rows[r].data), rows[r].parity);
    }
}

static void test_names(void **state)
{
    assert_string_equal(redundancy_name(REDUNDANCY_NONE), "plain");
    assert_string_equal(redundancy_name(REDUNDANCY_MIRROR), "mirror");
    assert_string_equal(redundancy_name(REDUNDANCY_PARITY), "parity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_overwrite),
        cmocka_unit_test(test_plain_needs_no_other),
        cmocka_unit_test(test_other_bytes),
        cmocka_unit_test(test_names),
    };

    find_isas();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

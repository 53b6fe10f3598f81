// SPDX-License-Identifier: MIT
#include "acpi/slit.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

#include <stdbool.h>

static struct warning_log log_;

/* The table of n localities is kept by *ret_table, for the caller to free. */
static enum status read_matrix(uint64_t n, const uint8_t *distance, size_t n_distances,
                               struct slit *ret_slit, uint8_t **ret_table)
{
    struct warnings warnings = warnings_to(&log_);
    size_t length = 44 + n_distances;
    uint8_t *table = malloc(length);

    memset(&log_, 0, sizeof(log_));
    make_header((void *)table, "SLIT", 1);
    memcpy(table + 36, &n, 8);
    memcpy(table + 44, distance, n_distances);
    seal_table(table, length);
    *ret_table = table;
    return slit_read((void *)table, &warnings, ret_slit);
}

static void reads_row_by_row(void **state)
{
    static const uint8_t matrix[] = { 10, 21, 31, 22, 10, 255, 10, 33, 10 };
    struct slit slit;
    uint8_t *table;

    assert_int_equal(read_matrix(3, matrix, sizeof(matrix), &slit, &table), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(slit.n_localities, 3);
    for (uint32_t from = 0; from < 3; from++) {
        for (uint32_t to = 0; to < 3; to++)
            assert_int_equal(slit_distance(&slit, from, to), matrix[from * 3 + to]);
    }
    assert_int_equal(slit_distance(&slit, 2, 3), SLIT_REMOTE);
    assert_int_equal(slit_distance(&slit, 3, 0), SLIT_REMOTE);
    assert_int_equal(slit_distance(&slit, 3, 3), SLIT_LOCAL);
    free(table);
}

static void answers_without_a_table(void **state)
{
    struct slit slit = { 0 };

    assert_int_equal(slit_distance(&slit, 0, 0), SLIT_LOCAL);
    assert_int_equal(slit_distance(&slit, 0, 1), SLIT_REMOTE);
}

static void refuses_too_short_a_table(void **state)
{
    static const struct {
        uint64_t n;
        uint8_t distance[5];
        size_t length;
        bool ok;
    } cases[] = {
        { 0, { 0 }, 0, true },
        { 1, { 10 }, 1, true },
        { 2, { 10, 20, 20, 10, 0 }, 5, true }, /* longer than it needs */
        { 2, { 10, 20, 20, 10 }, 4, true },
        { 2, { 10, 20, 20 }, 3, false },
        { UINT64_C(1) << 32, { 10 }, 1, false }, /* its square is 0 modulo 2^64 */
        { UINT64_MAX, { 10 }, 1, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slit slit = { .n_localities = 77 };
        uint8_t *table;
        enum status status =
            read_matrix(cases[i].n, cases[i].distance, cases[i].length, &slit, &table);

        if (cases[i].ok) {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(slit.n_localities, cases[i].n);
            assert_int_equal(log_.n, 0);
        } else {
            assert_int_equal(status, STATUS_INVALID);
            assert_int_equal(slit.n_localities, 77);
            assert_warned(&log_, 1, "do not fit");
        }
        free(table);
    }
}

/* One distance that cannot be costs a warning, and only itself. */
static void replaces_wrong_distances(void **state)
{
    static const struct {
        uint8_t distance[4], taken[4];
        const char *text; /* NULL: good */
    } cases[] = {
        { { 10, 10, 255, 10 }, { 10, 10, 255, 10 }, NULL },
        { { 10, 9, 33, 10 }, { 10, 20, 33, 10 }, "1, the first 9 from node 0 to 1" },
        { { 10, 33, 0, 10 }, { 10, 33, 20, 10 }, "1, the first 0 from node 1 to 0" },
        { { 10, 33, 34, 11 }, { 10, 33, 34, 10 }, "1, the first 11 from node 1 to 1" },
        { { 0, 0, 0, 0 }, { 10, 20, 20, 10 }, "4, the first 0 from node 0 to 0" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slit slit;
        uint8_t *table;

        assert_int_equal(read_matrix(2, cases[i].distance, 4, &slit, &table), STATUS_OK);
        if (cases[i].text)
            assert_warned(&log_, 1, cases[i].text);
        else
            assert_int_equal(log_.n, 0);
        for (uint32_t cell = 0; cell < 4; cell++)
            assert_int_equal(slit_distance(&slit, cell / 2, cell % 2), cases[i].taken[cell]);
        free(table);
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    struct slit slit;

    if (slit_read(table, warnings, &slit) != STATUS_OK)
        return;
    for (uint32_t from = 0; from <= slit.n_localities; from++) {
        for (uint32_t to = 0; to <= slit.n_localities; to++)
            assert_true(slit_distance(&slit, from, to) >= SLIT_LOCAL);
    }
}

static void reads_a_real_machine(void **state)
{
    struct q35 q;
    struct slit slit;

    q35_open(&q, "SLIT");
    assert_int_equal(slit_read(q.table, &q.warnings, &slit), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(slit.n_localities, 2);
    assert_int_equal(slit_distance(&slit, 0, 1), 21);
    assert_int_equal(slit_distance(&slit, 1, 0), 21);
    assert_int_equal(slit_distance(&slit, 1, 1), 10);
    damage_table(q.table, q.table->length, "SLIT", read_any);
    fake_free(&q.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_row_by_row),          cmocka_unit_test(answers_without_a_table),
        cmocka_unit_test(refuses_too_short_a_table), cmocka_unit_test(replaces_wrong_distances),
        cmocka_unit_test(reads_a_real_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

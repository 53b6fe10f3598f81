// SPDX-License-Identifier: MIT
#include "rows/row_search.h"

#include "tests/host/row_machine.h"
#include "tests/unit/unit.h"

#define MANY 1000000

static struct row_memory memory;
static struct row_work work;
static struct row_result result;

static const struct row_noise quiet = { 0.05, 0.01, 0 }, noisy = { 0.5, 0.05, 0 };

static enum row_answer search(struct row_machine *m, unsigned without, uint64_t n_max)
{
    struct row_question question = {
        .memory = &memory,
        .hole = m->addresses_shift ? m->hole : 0,
        .seed = 7,
        .n_measurements_max = n_max,
        .latency = row_machine_latency,
        .ctx = m,
    };

    row_machine_memory(m, without, &memory);
    row_search(&question, &work, &result);
    assert_true(result.n_measurements <= n_max);
    if (result.answer)
        assert_true(!result.map.row && !result.map.column);
    if (result.answer && result.answer != ROWS_UNCLEAR)
        assert_int_equal(result.map.n_functions, 0);
    return result.answer;
}

static struct row_machine machine(const char *name, struct row_noise noise)
{
    return (struct row_machine){
        .map = dram_map_find(name),
        .hole = 1024 * MIB,
        .addresses_shift = strncmp(name, "zen", 3) == 0,
        .noise = noise,
        .random = 1,
    };
}

/* Of all published maps banks and rows are found: in a whole memory, and in one with holes. */
TEST(finds_published_maps)
{
    for (size_t i = 0; i < dram_n_maps * 3; i++) {
        static const unsigned without[] = { 0, 2, 5 };
        struct row_machine m = machine(dram_maps[i / 3].name, without[i % 3] == 5 ? noisy : quiet);

        assert_int_equal(search(&m, without[i % 3], MANY), ROWS_FOUND);
        assert_true(row_machine_has_banks(&m, &result.map));
        assert_true(row_machine_has_rows(&m, &result.map));
        assert_string_equal(row_answer_text(result.answer), "");
    }
}

/* A row's neighbour in the found map is in the published one the next row of the same bank. */
TEST(neighbours_are_neighbours)
{
    for (size_t i = 0; i < dram_n_maps; i++) {
        struct row_machine m = machine(dram_maps[i].name, quiet);
        uint64_t random = 3;

        assert_int_equal(search(&m, 0, MANY), ROWS_FOUND);
        for (unsigned k = 0; k < 1000; k++) {
            uint64_t pair[2];
            struct published_place a, b;
            int64_t distance = (int64_t)(k % 9) - 4;

            assert_true(row_memory_pair(&memory, result.map.hole, 63, 0, &random, pair));
            if (!row_map_neighbour(&result.map, pair[0], distance, &pair[1]))
                continue;
            a = dram_place_of(m.map, row_map_linear(result.map.hole, pair[0]));
            b = dram_place_of(m.map, row_map_linear(result.map.hole, pair[1]));
            assert_memory_equal(a.field, b.field, sizeof(a.field));
            assert_int_equal(a.row + distance, b.row);
            assert_int_equal(row_map_bank(&result.map, pair[0]),
                             row_map_bank(&result.map, pair[1]));
            assert_int_equal(row_map_row(&result.map, pair[0]), a.row);
        }
    }
}

TEST(says_why_there_is_no_answer)
{
    struct row_machine m = machine("skylake", quiet);

    m.has_no_conflicts = true;
    assert_int_equal(search(&m, 0, MANY), ROWS_ONE_MODE);

    m = machine("skylake", quiet);
    m.is_random = true;
    assert_in_range(search(&m, 0, MANY), ROWS_ONE_MODE, ROWS_NOT_LINEAR);

    m = machine("skylake", (struct row_noise){ 0.2, 0.1, 0.5 });
    assert_in_range(search(&m, 0, MANY), ROWS_ONE_MODE, ROWS_NOT_CONFIRMED);

    m = machine("skylake", quiet);
    for (int i = ROWS_FOUND + 1; i < ROW_ANSWERS; i++)
        assert_true(strlen(row_answer_text((enum row_answer)i)) > 0);
}

/* Whatever it is about when time is up, nothing half found is left. */
TEST(time_may_end_at_any_measurement)
{
    struct row_machine m = machine("skylake", quiet);
    uint64_t all;

    assert_int_equal(search(&m, 0, MANY), ROWS_FOUND);
    all = result.n_measurements;
    for (uint64_t n = 0; n < all; n += n + 50 < all ? all / 101 + 1 : 1) {
        m = machine("skylake", quiet);
        assert_int_equal(search(&m, 0, n), ROWS_OUT_OF_TIME);
        assert_int_equal(result.n_measurements, n);
    }
    m = machine("skylake", quiet);
    assert_int_equal(search(&m, 0, all), ROWS_FOUND);
}

/* Banks are found, but a row that is closed at once has no hits. */
TEST(a_controller_that_closes_rows)
{
    struct row_machine m = machine("coffee-lake", quiet);

    m.closes_rows = true;
    assert_int_equal(search(&m, 0, MANY), ROWS_UNCLEAR);
    assert_true(row_machine_has_banks(&m, &result.map));
    assert_int_equal(result.map.row, 0);
}

TEST(memory_that_is_too_small)
{
    struct row_machine m = machine("skylake", quiet);
    struct row_question question = {
        .memory = &memory, .n_measurements_max = MANY, .latency = row_machine_latency, .ctx = &m
    };

    memory = (struct row_memory){ 0 };
    row_search(&question, &work, &result);
    assert_int_equal(result.answer, ROWS_TOO_LITTLE_MEMORY);
    row_memory_add(&memory, (struct span){ 64 * MIB, 64 });
    row_search(&question, &work, &result);
    assert_int_equal(result.answer, ROWS_TOO_LITTLE_MEMORY);
}

static uint32_t no_time(void *ctx, uint64_t phys, uint64_t other)
{
    unsigned *left = ctx;

    return *left ? (*left)--, 100 : 0;
}

TEST(ends_when_told)
{
    struct row_machine m = machine("skylake", quiet);
    unsigned left = 100;
    struct row_question question = {
        .memory = &memory, .n_measurements_max = MANY, .latency = no_time, .ctx = &left
    };

    row_machine_memory(&m, 0, &memory);
    row_search(&question, &work, &result);
    assert_int_equal(result.answer, ROWS_OUT_OF_TIME);
    assert_int_equal(result.n_measurements, 101);
}

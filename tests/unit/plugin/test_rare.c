// SPDX-License-Identifier: MIT
#include "tools/plugin/rare.h"

#include "tests/unit/unit.h"

#define LINES 4096
#define OTHER (RARE_ROW_BYTES * RARE_BANKS) /* the next row of the same bank */

static _Alignas(64) uint64_t memory[LINES][8];
static struct rare rare;

static void begin(enum rare_when when, uint64_t one_in)
{
    rare = (struct rare){ .size = sizeof(memory), .one_in = one_in, .seed = 1, .when = when };
    rare_begin(&rare);
}

static void load_at(uint64_t now_ns, unsigned cpu, uint64_t line)
{
    rare_after(&rare, (uint8_t *)memory,
               &(struct rare_access){ 64 * line, 64, now_ns, cpu, false });
}

static void load(unsigned cpu, uint64_t line)
{
    load_at(0, cpu, line);
}

/* Whether the line is wrong afterwards, in one bit. */
static bool store_at(uint64_t now_ns, unsigned cpu, uint64_t line, uint64_t even, uint64_t odd)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < 8; i++) {
        memory[line][i] = i % 2 ? odd : even;
        rare_after(&rare, (uint8_t *)memory,
                   &(struct rare_access){ 64 * line + 8 * i, 8, now_ns, cpu, true });
    }
    for (unsigned i = 0; i < 8; i++)
        wrong += (unsigned)__builtin_popcountll(memory[line][i] ^ (i % 2 ? odd : even));
    assert_true(wrong <= 1);
    return wrong;
}

static bool store(unsigned cpu, uint64_t line)
{
    return store_at(0, cpu, line, 0, 0);
}

TEST(one_in_so_many)
{
    unsigned wrong = 0;

    begin(RARE_ALWAYS, 16);
    for (unsigned i = 0; i < LINES; i++)
        wrong += store(0, i);
    assert_in_range(wrong, LINES / 16 - 48, LINES / 16 + 48);
    rare.offset = 64;
    rare.size = 64;
    rare.one_in = 1;
    assert_false(store(0, 0));
    assert_true(store(0, 1));
    assert_false(store(0, 2));
}

TEST(of_a_cpu_or_beside_another)
{
    begin(RARE_CPU, 1);
    assert_false(store(0, 0));
    assert_true(store(1, 0));
    begin(RARE_LOAD, 1);
    assert_false(store_at(RARE_QUIET_NS, 0, 0, 0, 0));
    assert_false(store_at(RARE_QUIET_NS, 0, 1, 0, 0));
    assert_true(store_at(2 * RARE_QUIET_NS - 1, 1, 1, 0, 0));
    assert_false(store_at(3 * RARE_QUIET_NS - 1, 0, 2, 0, 0));
    load_at(3 * RARE_QUIET_NS, 3, 7);
    assert_true(store_at(3 * RARE_QUIET_NS, 0, 3, 0, 0));
}

TEST(after_a_load)
{
    begin(RARE_TURN, 1);
    assert_false(store(0, 0));
    load(0, 0);
    assert_true(store(0, 0));
    assert_false(store(0, 1));
}

TEST(in_another_row)
{
    begin(RARE_ROW, 1);
    assert_true(store(0, 0));
    assert_false(store(0, 1));
    assert_true(store(0, OTHER / 64));
    load(0, 1);
    assert_false(store(0, 2));
    assert_true(store(0, RARE_ROW_BYTES / 64));
    assert_false(store(0, 3));
}

TEST(after_quiet)
{
    uint64_t now = RARE_QUIET_NS;

    begin(RARE_STEP, 1);
    for (unsigned n = 0; n < 2; n++, now += RARE_QUIET_NS) {
        for (unsigned i = 0; i < RARE_STEP_LINES; i++)
            assert_true(store_at(now, 0, i, 0, 0));
        now += RARE_QUIET_NS - 1;
        assert_false(store_at(now, 0, 0, 0, 0));
    }
}

TEST(by_what_is_stored)
{
    begin(RARE_TOGGLE, 1);
    assert_true(store_at(0, 0, 0, 0, ~UINT64_C(0)));
    assert_true(store_at(0, 0, 0, 0xff, ~UINT64_C(0)));
    assert_false(store_at(0, 0, 0, 0x1ff, ~UINT64_C(0)));
    for (enum rare_when when = RARE_PATTERN; when <= RARE_LANES; when++) {
        uint64_t x = 0;
        unsigned wrong = 0;

        begin(when, 1);
        for (unsigned i = 0; i < 1 << 16; i++) {
            x += UINT64_C(0x9e3779b97f4a7c15);
            wrong += store_at(0, 0, 0, x ^ x >> 31, ~(x ^ x >> 31));
        }
        assert_in_range(wrong, 256 - 128, 256 + 128); /* one of 2^8 */
    }
    assert_false(store_at(0, 0, 0, rare.value[0], rare.value[0])); /* lanes, but no toggles */
    assert_true(store_at(0, 0, 0, rare.value[0], ~rare.value[0]));
}

TEST(words)
{
    for (enum rare_when when = 0; when < RARE_WHENS; when++)
        assert_non_null(rare_word(when));
    assert_null(rare_word(RARE_WHENS));
    begin(RARE_TURN, 1);
    assert_true(rare_sees_loads(&rare));
    begin(RARE_TOGGLE, 1);
    assert_false(rare_sees_loads(&rare));
}

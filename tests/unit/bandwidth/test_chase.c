// SPDX-License-Identifier: MIT
#include "bandwidth/chase.h"

#include "tests/unit/unit.h"

#define LINE      64
#define LINES_MAX 4097

struct buffer {
    char guard_before[LINE];
    char line[LINES_MAX][LINE];
    char guard_after[LINE];
};

static struct buffer *make_buffer(void)
{
    struct buffer *b = aligned_alloc(LINE, sizeof(*b));

    assert_non_null(b);
    memset(b, 0x5a, sizeof(*b));
    return b;
}

static size_t next_of(const struct buffer *b, size_t line)
{
    const char *next;

    memcpy(&next, b->line[line], sizeof(next));
    assert_true(next >= b->line[0]);
    assert_int_equal((next - b->line[0]) % LINE, 0);
    return (size_t)(next - b->line[0]) / LINE;
}

/* One cycle through every line, and nothing written outside of it. */
static void check_chain(const struct buffer *b, size_t n)
{
    static char seen[LINES_MAX];
    size_t line = 0;

    memset(seen, 0, sizeof(seen));
    for (size_t i = 0; i < n; i++) {
        size_t next = next_of(b, line);

        assert_true(next < n);
        assert_false(seen[next]);
        seen[next] = 1;
        line = next;
    }
    assert_int_equal(line, 0);

    for (size_t i = 0; i < LINE; i++)
        assert_int_equal(b->guard_before[i], 0x5a);
    for (const char *p = b->line[n]; p < (const char *)(b + 1); p++)
        assert_int_equal(*p, 0x5a);
}

TEST(test_one_cycle)
{
    static const size_t lines[] = { 1, 2, 3, 4, 15, 16, 17, 64, 65, 127, 1000, 4096, LINES_MAX };

    for (size_t l = 0; l < COUNT(lines); l++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct buffer *b = make_buffer();

            chase_build(b->line, lines[l] * LINE, CHASE_EVERY_LINE, seed);
            check_chain(b, lines[l]);
            free(b);
        }
}

/* Neighbours in the chain are neighbours in memory about as often as by chance, which is 2. */
TEST(test_random)
{
    struct buffer *b = make_buffer();
    size_t near = 0;

    chase_build(b->line, LINES_MAX * LINE, CHASE_EVERY_LINE, 42);
    for (size_t i = 0; i < LINES_MAX; i++) {
        size_t next = next_of(b, i);

        near += next == i + 1 || next + 1 == i;
    }
    assert_in_range(near, 0, 12);
    free(b);
}

#define PAGE_LINES 64
#define PAGES      (LINES_MAX / PAGE_LINES)

/* Each page once, in one cycle from the first line; places in the pages are evenly spread. */
TEST(a_line_of_each_page)
{
    struct buffer *b = make_buffer();
    size_t line = 0, places = 0;
    bool seen[PAGES] = { false }, has[PAGE_LINES] = { false };

    chase_build(b->line, PAGES * PAGE_LINES * LINE, CHASE_LINE_A_PAGE, 7);
    assert_int_equal(chase_count(PAGES * PAGE_LINES * LINE, CHASE_LINE_A_PAGE), PAGES);
    for (size_t i = 0; i < PAGES; i++) {
        line = next_of(b, line);
        assert_false(seen[line / PAGE_LINES]);
        seen[line / PAGE_LINES] = true;
        places += !has[line % PAGE_LINES];
        has[line % PAGE_LINES] = true;
    }
    assert_int_equal(line, 0);
    assert_in_range(places, 32, 64); /* by chance 40 of 64 */
    free(b);
}

/* The links stay, and nothing but the word beside them is written. */
TEST(lines_are_held)
{
    static const size_t bytes = PAGES * PAGE_LINES * LINE;
    struct buffer *b = make_buffer(), *before = make_buffer();
    size_t changed = 0;

    chase_build(b->line, bytes, CHASE_LINE_A_PAGE, 7);
    memcpy(before, b, sizeof(*b));
    chase_hold(b->line, bytes, false);
    assert_memory_equal(b, before, sizeof(*b));
    chase_hold(b->line, bytes, true);
    assert_true(chase_is_sound(b->line, bytes, CHASE_LINE_A_PAGE));
    for (size_t i = 0; i < LINES_MAX; i++) {
        bool is_written = memcmp(b->line[i] + 8, before->line[i] + 8, 8) != 0;

        assert_memory_equal(b->line[i], before->line[i], 8);
        assert_memory_equal(b->line[i] + 16, before->line[i] + 16, LINE - 16);
        changed += is_written;
    }
    assert_int_equal(changed, PAGES);
    free(before);
    free(b);
}

TEST(test_seed)
{
    struct buffer *b = make_buffer();
    size_t first[100], same = 0;

    chase_build(b->line, sizeof(first) / sizeof(first[0]) * LINE, CHASE_EVERY_LINE, 7);
    for (size_t i = 0; i < COUNT(first); i++)
        first[i] = next_of(b, i);
    chase_build(b->line, COUNT(first) * LINE, CHASE_EVERY_LINE, 7);
    for (size_t i = 0; i < COUNT(first); i++)
        assert_int_equal(next_of(b, i), first[i]);
    chase_build(b->line, COUNT(first) * LINE, CHASE_EVERY_LINE, 8);
    for (size_t i = 0; i < COUNT(first); i++)
        same += next_of(b, i) == first[i];
    assert_in_range(same, 0, 10);
    free(b);
}

TEST(test_run)
{
    static const struct {
        uint64_t steps, done;
    } rows[] = { { 0, 0 }, { 1, 16 }, { 15, 16 }, { 16, 16 }, { 17, 32 }, { 1000, 1008 } };
    struct buffer *b = make_buffer();
    void *cursor = b->line;
    size_t line = 0;

    chase_build(b->line, 129 * LINE, CHASE_EVERY_LINE, 1);
    for (size_t r = 0; r < COUNT(rows); r++) {
        assert_int_equal(chase_run(&cursor, rows[r].steps), rows[r].done);
        for (uint64_t i = 0; i < rows[r].done; i++)
            line = next_of(b, line);
        assert_ptr_equal(cursor, b->line[line]);
    }
    free(b);
}

/* A bit of a link turned over: out of the chain, or between two lines. */
TEST(test_broken)
{
    static const unsigned bits[] = { 0, 5, 6, 11, 13, 30, 47, 63 };
    static const size_t bytes = PAGES * PAGE_LINES * LINE;

    for (enum chase_lines lines = CHASE_EVERY_LINE; lines <= CHASE_LINE_A_PAGE; lines++) {
        struct buffer *b = make_buffer();
        void *cursor = b->line;

        chase_build(b->line, bytes, lines, 1);
        assert_true(chase_is_sound(b->line, bytes, lines));
        for (size_t i = 0; i < COUNT(bits); i++) {
            bool between_lines = lines == CHASE_LINE_A_PAGE || bits[i] < 6 || bits[i] > 13;
            uint64_t *link = cursor;

            *link ^= UINT64_C(1) << bits[i];
            assert_int_equal(chase_is_sound(b->line, bytes, lines), !between_lines);
            *link ^= UINT64_C(1) << bits[i];
            cursor = *(void **)cursor;
        }
        assert_true(chase_is_sound(b->line, bytes, lines));
        free(b);
    }
}

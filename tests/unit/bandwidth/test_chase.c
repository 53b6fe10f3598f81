// SPDX-License-Identifier: MIT
#include "bandwidth/chase.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
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

/* One cycle through every line, window by window, and nothing written outside of it. */
static void check_chain(const struct buffer *b, size_t n, size_t window)
{
    static char seen[LINES_MAX];
    size_t line = 0, changes = 0, windows = (n + window - 1) / window;

    memset(seen, 0, sizeof(seen));
    for (size_t i = 0; i < n; i++) {
        size_t next = next_of(b, line);

        assert_true(next < n);
        assert_false(seen[next]);
        seen[next] = 1;
        changes += next / window != line / window;
        line = next;
    }
    assert_int_equal(line, 0);
    assert_int_equal(changes, windows > 1 ? windows : 0);

    for (size_t i = 0; i < LINE; i++)
        assert_int_equal(b->guard_before[i], 0x5a);
    for (const char *p = b->line[n]; p < (const char *)(b + 1); p++)
        assert_int_equal(*p, 0x5a);
}

TEST(test_one_cycle)
{
    static const size_t lines[] = { 1, 2, 3, 4, 15, 16, 17, 64, 65, 127, 1000, 4096, LINES_MAX };
    static const size_t windows[] = { 1, 2, 3, 16, 64, 4096, LINES_MAX + 1 };

    for (size_t l = 0; l < COUNT(lines); l++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct buffer *b = make_buffer();

            chase_build(b->line, lines[l] * LINE, CHASE_ANYWHERE, seed);
            check_chain(b, lines[l], lines[l]);
            for (size_t w = 0; w < COUNT(windows); w++) {
                chase_build(b->line, lines[l] * LINE, windows[w] * LINE, seed);
                check_chain(b, lines[l], windows[w]);
            }
            free(b);
        }
}

/* Neighbours in the chain are neighbours in memory about as often as by chance. */
TEST(test_random)
{
    static const size_t windows[] = { CHASE_ANYWHERE, 64 };
    struct buffer *b = make_buffer();

    for (size_t w = 0; w < COUNT(windows); w++) {
        size_t near = 0;

        chase_build(b->line, LINES_MAX * LINE, windows[w] * LINE, 42);
        for (size_t i = 0; i < LINES_MAX; i++) {
            size_t next = next_of(b, i);

            near += next == i + 1 || next + 1 == i;
        }
        /* by chance 2 in all and 2 in 64 */
        assert_in_range(near, 0, windows[w] ? 200 : 12);
    }
    free(b);
}

TEST(test_seed)
{
    struct buffer *b = make_buffer();
    size_t first[100], same = 0;

    chase_build(b->line, sizeof(first) / sizeof(first[0]) * LINE, CHASE_ANYWHERE, 7);
    for (size_t i = 0; i < COUNT(first); i++)
        first[i] = next_of(b, i);
    chase_build(b->line, COUNT(first) * LINE, CHASE_ANYWHERE, 7);
    for (size_t i = 0; i < COUNT(first); i++)
        assert_int_equal(next_of(b, i), first[i]);
    chase_build(b->line, COUNT(first) * LINE, CHASE_ANYWHERE, 8);
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

    chase_build(b->line, 129 * LINE, CHASE_ANYWHERE, 1);
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
    struct buffer *b = make_buffer();
    static const unsigned bits[] = { 0, 5, 13, 30, 47, 63 };

    chase_build(b->line, 100 * LINE, CHASE_ANYWHERE, 1);
    assert_true(chase_is_sound(b->line, 100 * LINE));
    for (size_t i = 0; i < COUNT(bits); i++) {
        b->line[i * 19][bits[i] / 8] ^= (char)(1 << bits[i] % 8);
        assert_false(chase_is_sound(b->line, 100 * LINE));
        b->line[i * 19][bits[i] / 8] ^= (char)(1 << bits[i] % 8);
    }
    assert_true(chase_is_sound(b->line, 100 * LINE));
    free(b);
}

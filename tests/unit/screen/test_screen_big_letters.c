// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/screen_big_letters.h"

#define BACK COLOUR(WHITE, RED)
#define FULL COLOUR(BLACK, WHITE)

/* A row of the word, # for what is filled. */
static const char *row_of(const char *word, unsigned columns, unsigned rows, unsigned row)
{
    static struct grid g;
    static char text[GRID_COLUMNS_MAX + 1];
    unsigned n = screen_word_units(word) * columns;

    grid_resize(&g, 80, 24);
    grid_clear(&g, BACK);
    screen_paint_word(&g, 2, 1, word, columns, rows, FULL);
    for (unsigned x = 0; x < n; x++)
        text[x] = grid_at(&g, 2 + x, 1 + row)->colour == FULL ? '#' : '.';
    text[n] = 0;
    assert_int_equal(grid_at(&g, 2 + n, 1 + row)->colour, BACK);
    return text;
}

static void a_word_looks_like_itself(void **state)
{
    assert_string_equal(row_of("FAIL", 1, 1, 0), "####..##..###.#...");
    assert_string_equal(row_of("FAIL", 1, 1, 1), "#....#..#..#..#...");
    assert_string_equal(row_of("FAIL", 1, 1, 2), "###..####..#..#...");
    assert_string_equal(row_of("FAIL", 1, 1, 3), "#....#..#..#..#...");
    assert_string_equal(row_of("FAIL", 1, 1, 4), "#....#..#.###.####");
    assert_string_equal(row_of("PASS", 1, 1, 2), "###..####..##...##.");
}

static void units_are_rectangles(void **state)
{
    for (unsigned row = 0; row < 10; row++) {
        char small[32];
        const char *wide;

        strcpy(small, row_of("TO", 1, 1, row / 2));
        wide = row_of("TO", 3, 2, row);
        assert_int_equal(strlen(wide), 3 * strlen(small));
        for (size_t i = 0; wide[i]; i++)
            assert_int_equal(wide[i], small[i / 3]);
    }
}

/* The longest, with units of two columns. */
static void all_words_fit(void **state)
{
    static const char *const words[] = { "PASS", "FAIL", "STOPPED", "PARTIAL", "ERROR" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_true(2 * screen_word_units(words[i]) <= 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_looks_like_itself),
        cmocka_unit_test(units_are_rectangles),
        cmocka_unit_test(all_words_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/screen_big_letters.h"

#define BACK COLOUR(WHITE, RED)
#define WORD COLOUR(WHITE, GREEN)

static struct grid g;

/* Whether a pixel of the word is set: two are in a cell. */
static char pixel(unsigned x, unsigned y)
{
    const struct cell *cell = grid_at(&g, 2 + x, 1 + y / 2);
    uint8_t half = y % 2 ? GLYPH_LOWER : GLYPH_UPPER;

    assert_int_equal(cell->colour, WORD);
    return cell->code == GLYPH_FULL || cell->code == half ? '#' : '.';
}

static const char *pixels(unsigned columns, unsigned y)
{
    static char text[GRID_COLUMNS_MAX + 1];

    for (unsigned x = 0; x < columns; x++)
        text[x] = pixel(x, y);
    text[columns] = 0;
    return text;
}

static struct word_size paint(const char *word, unsigned columns, unsigned rows)
{
    struct word_size size = screen_word_size(word, columns, rows);

    grid_resize(&g, 80, 24);
    grid_clear(&g, BACK);
    screen_paint_word(&g, 2, 1, word, size, WORD);
    return size;
}

static void a_letter_looks_like_itself(void **state)
{
    static const char *const f[] = { "#######.", "##......", "##......", "##......", "#####...",
                                     "##......", "##......", "##......", "##......", "##......" };
    struct word_size size = paint("F", 78, 5);

    assert_int_equal(size.columns, 8);
    assert_int_equal(size.rows, 5);
    for (unsigned y = 0; y < 10; y++)
        assert_string_equal(pixels(8, y), f[y]);
    assert_int_equal(grid_at(&g, 10, 1)->colour, BACK);
    assert_int_equal(grid_at(&g, 2, 6)->colour, BACK);
}

/* In each font: a bar above, a stem below, both sides alike. */
static void a_t_in_each_size(void **state)
{
    static const struct word_size sizes[] = { { 8, 5 }, { 10, 7 }, { 12, 8 }, { 16, 10 } };

    for (size_t i = 0; i < 4; i++) {
        struct word_size size = paint("T", 78, sizes[i].rows);
        unsigned top = 0, foot = 0;

        assert_memory_equal(&size, &sizes[i], sizeof(size));
        for (unsigned x = 0; x < size.columns; x++) {
            top += pixel(x, 0) == '#';
            foot += pixel(x, 2 * size.rows - 3) == '#';
        }
        assert_true(top > size.columns / 2 && foot && foot < top / 2);
    }
}

static void the_largest_that_fits(void **state)
{
    assert_int_equal(screen_word_size("PASS", 78, 10).rows, 10);
    assert_int_equal(screen_word_size("PASS", 78, 9).rows, 8);
    assert_int_equal(screen_word_size("PASS", 63, 10).rows, 8);
    assert_int_equal(screen_word_size("ERROR", 78, 10).rows, 8);
    assert_int_equal(screen_word_size("CORRECTED", 78, 10).rows, 5);
    assert_int_equal(screen_word_size("CORRECTED", 71, 10).rows, 0);
    assert_int_equal(screen_word_size("PASS", 78, 4).rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_looks_like_itself),
        cmocka_unit_test(a_t_in_each_size),
        cmocka_unit_test(the_largest_that_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

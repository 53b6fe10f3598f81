// SPDX-License-Identifier: MIT
#include "screen/shown.h"

#include "screen/screen_result.c" /* the large letters, which it keeps to itself */

#define BACK COLOUR(WHITE, RED)
#define WORD COLOUR(WHITE, GREEN)

static struct grid g;

/* Whether a pixel of the word is set: two are in a cell. */
static char pixel_of_word(unsigned x, unsigned y)
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
        text[x] = pixel_of_word(x, y);
    text[columns] = 0;
    return text;
}

static struct word_size paint(const char *word, unsigned columns, unsigned rows)
{
    struct word_size size = screen_word_size(word, columns, rows);

    grid_resize(&g, 80, 24);
    grid_clear(&g, BACK);
    screen_paint_word(&g, AT(2, 1), word, size, WORD);
    return size;
}

TEST(a_letter_looks_like_itself)
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
TEST(a_t_in_each_size)
{
    static const struct word_size sizes[] = {
        { 8, 5, 5, false }, { 10, 7, 7, false }, { 12, 8, 8, false }, { 16, 10, 10, false }
    };

    for (size_t i = 0; i < 4; i++) {
        struct word_size size = paint("T", 78, sizes[i].rows);
        unsigned top = 0, foot = 0;

        assert_int_equal(size.columns, sizes[i].columns);
        assert_int_equal(size.rows, sizes[i].rows);
        for (unsigned x = 0; x < size.columns; x++) {
            top += pixel_of_word(x, 0) == '#';
            foot += pixel_of_word(x, 2 * size.rows - 3) == '#';
        }
        assert_true(top > size.columns / 2 && foot && foot < top / 2);
    }
}

TEST(the_largest_that_fits)
{
    assert_int_equal(screen_word_size("PASS", 78, 10).rows, 10);
    assert_int_equal(screen_word_size("PASS", 78, 9).rows, 8);
    assert_int_equal(screen_word_size("PASS", 63, 10).rows, 8);
    assert_int_equal(screen_word_size("ERROR", 78, 10).rows, 8);
    assert_int_equal(screen_word_size("CORRECTED", 78, 10).rows, 5);
    assert_int_equal(screen_word_size("CORRECTED", 71, 10).rows, 0);
    assert_int_equal(screen_word_size("PASS", 78, 4).rows, 0);
}

static void assert_size(const char *text, unsigned rows, struct word_size wanted)
{
    struct word_size size = screen_word_size(text, 78, rows);

    assert_int_equal(size.columns, wanted.columns);
    assert_int_equal(size.rows, wanted.rows);
    assert_int_equal(size.letter_rows, wanted.letter_rows);
    assert_int_equal(size.is_cut, wanted.is_cut);
}

/* A line for as many words as it holds; without room for all lines the longest of them. */
TEST(several_words)
{
    assert_size("NEXT STEP", 5, (struct word_size){ 68, 5, 5, false });
    assert_size("NEXT STEP", 21, (struct word_size){ 64, 21, 10, false });
    assert_size("BAD MODULE FOUND", 16, (struct word_size){ 76, 11, 5, false });
    assert_size("BAD MODULE FOUND", 10, (struct word_size){ 76, 5, 5, true });
    assert_size("ERRORS CORRECTED", 10, (struct word_size){ 72, 5, 5, true });
    assert_size("ERRORS CORRECTED", 4, (struct word_size){ 0 });

    paint("TI TO", 24, 11); /* the lower line begins as the upper one does */
    for (unsigned y = 0; y < 10; y++) {
        char upper[9];

        snprintf(upper, sizeof(upper), "%.8s", pixels(8, y));
        assert_memory_equal(pixels(8, y + 12), upper, 8);
    }
    assert_int_equal(grid_at(&g, 2, 6)->colour, BACK); /* between the lines */
    paint("I TOO", 24, 5);                             /* TOO alone, the longer line */
    assert_int_equal(grid_at(&g, 2 + 23, 1)->colour, WORD);
    paint("TO", 78, 5);
    paint("T O", 78, 5);
    assert_int_equal(grid_at(&g, 2 + 8, 1)->colour, BACK);
    assert_int_equal(grid_at(&g, 2 + 12, 1)->colour, WORD);
}

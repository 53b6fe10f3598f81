// SPDX-License-Identifier: MIT
#include "display/grid.h"
#include "tests/unit/unit.h"

#define COLUMNS 90
#define ROWS    30

static struct grid g;

static int start(void **state)
{
    grid_resize(&g, COLUMNS, ROWS);
    grid_clear(&g, 7);
    return 0;
}

/* Row `row` as text: drawing characters as themselves in Latin-1. */
static const char *row_text(unsigned row)
{
    static char text[COLUMNS + 1];

    for (unsigned i = 0; i < COLUMNS; i++)
        text[i] = (char)grid_at(&g, i, row)->code;
    for (unsigned i = COLUMNS; i > 0 && (text[i] = 0, text[i - 1] == ' '); i--)
        text[i - 1] = 0;
    return text;
}

TEST(text_keeps_to_its_width, start)
{
    static const struct {
        const char *text;
        unsigned width, used;
        const char *row;
    } cases[] = {
        { "abc", 4, 3, "abc" },          { "abcd", 4, 4, "abcd" }, { "abcde", 4, 4, "abc\xaf" },
        { "abc", 1, 1, "\xaf" },         { "abc", 0, 0, "" },      { "", 5, 0, "" },
        { "a\xe9\n\x7f", 9, 4, "a???" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        start(NULL);
        assert_int_equal(grid_text(&g, AT(0, 3), cases[i].width, 15, cases[i].text), cases[i].used);
        assert_string_equal(row_text(3), cases[i].row);
    }
}

TEST(nothing_is_drawn_outside, start)
{
    struct grid before = g;

    grid_put(&g, AT(COLUMNS, 0), 1, "x", 1);
    grid_put(&g, AT(0, ROWS), 1, "x", 1);
    grid_fill(&g, AREA(COLUMNS, 0, 1, 1), CELL('x', 1));
    grid_fill(&g, AREA(0, ROWS, 1, 1), CELL('x', 1));
    grid_print(&g, AT(COLUMNS, 0), 1, "x");
    assert_memory_equal(&before, &g, sizeof(g));

    grid_put(&g, AT(COLUMNS - 1, ROWS - 1), 1, "xy", 2);
    grid_fill(&g, AREA(COLUMNS - 2, 0, UINT32_MAX, 1), CELL('z', 1));
    assert_int_equal(grid_at(&g, COLUMNS - 1, ROWS - 1)->code, 'x');
    assert_int_equal(grid_at(&g, COLUMNS - 1, 0)->code, 'z');
    assert_int_equal(grid_at(&g, 0, 1)->code, ' ');
}

TEST(a_large_letter_is_four_cells, start)
{
    grid_put_large(&g, (struct at){ 3, 2 }, 5, "ABC", 2);
    assert_string_equal(row_text(2), "   AABB");
    assert_string_equal(row_text(3), "   AABB");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(grid_at(&g, 3 + i / 4 * 2 + i % 2, 2 + i / 2 % 2)->quarter, i % 4 + 1);
}

TEST(print_goes_to_the_edges, start)
{
    assert_int_equal(grid_print(&g, AT(COLUMNS - 10, 0), 1, "%s", "0123456789"), 10);
    assert_int_equal(grid_print(&g, AT(COLUMNS - 10, 1), 1, "%s", "0123456789a"), 10);
    assert_int_equal(grid_at(&g, COLUMNS - 1, 0)->code, '9');
    assert_int_equal(grid_at(&g, COLUMNS - 1, 1)->code, GLYPH_CUT);
    grid_print_right(&g, AT(10, 2), 1, "%d", 42);
    assert_string_equal(row_text(2), "        42");
    grid_print_right(&g, AT(2, 3), 1, "%d", 12345);
    assert_string_equal(row_text(3), "1\xaf");
}

TEST(a_bar_is_full_only_at_the_end, start)
{
    static const struct {
        double part;
        unsigned full;
    } cases[] = {
        { -1, 0 },    { 0, 0 },  { 0.099, 0 }, { 0.1, 1 },
        { 0.999, 9 }, { 1, 10 }, { 7, 10 },    { __builtin_nan(""), 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned full = 0;

        grid_bar(&g, AREA(5, 0, 10, 1), cases[i].part, 1, 2);
        for (unsigned x = 0; x < COLUMNS; x++)
            full += grid_at(&g, x, 0)->code == GLYPH_SQUARE;
        assert_int_equal(full, cases[i].full);
        assert_int_equal(grid_at(&g, 14, 0)->code, full == 10 ? GLYPH_SQUARE : GLYPH_DOT);
        assert_int_equal(grid_at(&g, 15, 0)->code, ' ');
    }
}

TEST(wrap_breaks_after_words, start)
{
    static const struct {
        const char *text;
        size_t width, n;
    } cases[] = {
        { "", 5, 0 },
        { "abcde", 5, 5 },
        { "abcdef", 5, 5 },
        { "ab cdef", 5, 3 },
        { "ab,cd,ef", 5, 3 },
        { "ab,cd,ef", 6, 6 },
        { "ab cd", 5, 5 },
        { "abcd efg", 5, 5 },
        { "at once, and then", 8, 3 }, /* not "at once,": the next row would begin blank */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(grid_wrap(cases[i].text, cases[i].width), cases[i].n);
}

struct recorder {
    struct grid screen;
    unsigned draws;
};

static void record(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    struct recorder *r = ctx;

    *grid_at(&r->screen, column, row) = cell;
    r->draws++;
}

TEST(a_view_draws_only_what_changed, start)
{
    static struct recorder r;
    static struct grid_view v;

    memset(&r, 0, sizeof(r));
    grid_resize(&r.screen, COLUMNS, ROWS);
    grid_view_init(&v, (struct console_backend){ .draw = record, .ctx = &r }, 0);
    assert_true(grid_refresh(&g, &v, false));
    assert_int_equal(r.draws, COLUMNS * ROWS);
    assert_true(grid_refresh(&g, &v, false));
    assert_int_equal(r.draws, COLUMNS * ROWS);
    grid_put(&g, AT(3, 4), 7, "x", 1);
    grid_fill(&g, AREA(9, 9, 1, 1), CELL(' ', 8)); /* the same character in another colour */
    assert_true(grid_refresh(&g, &v, false));
    assert_int_equal(r.draws, COLUMNS * ROWS + 2);
    assert_memory_equal(&r.screen, &g, sizeof(g));
    grid_view_forget(&v);
    grid_refresh(&g, &v, false);
    assert_int_equal(r.draws, 2 * COLUMNS * ROWS + 2);
}

TEST(a_budget_is_kept_and_all_get_their_turn, start)
{
    static struct recorder r;
    static struct grid_view v;

    memset(&r, 0, sizeof(r));
    grid_resize(&r.screen, COLUMNS, ROWS);
    grid_view_init(&v, (struct console_backend){ .draw = record, .ctx = &r }, 300);
    grid_put(&g, AT(0, ROWS - 1), 7, "bottom", 6);
    for (unsigned i = 1; i <= 10; i++) {
        /* More than the budget changes at the top each time; the bottom must not starve. */
        grid_fill(&g, AREA(0, 0, COLUMNS, 5), CELL((uint8_t)('a' + i), 7));
        assert_false(grid_refresh(&g, &v, false));
        assert_int_equal(r.draws, i * 300);
    }
    assert_int_equal(grid_at(&r.screen, 5, ROWS - 1)->code, 'm');
    grid_clear(&g, 1);
    assert_true(grid_refresh(&g, &v, true));
    assert_memory_equal(&r.screen, &g, sizeof(g));
}

/* A cell has two squares across and four down, bit 2 y + x of its code. */
TEST(squares_are_parts_of_cells, start)
{
    static const uint8_t halves[4] = { ' ', GLYPH_UPPER, GLYPH_LOWER, GLYPH_FULL };
    struct grid before;

    for (unsigned bit = 0; bit < 8; bit++) {
        grid_fill(&g, AREA(0, 0, COLUMNS, ROWS), CELL(0, SQUARES));
        grid_blacken(&g, 2 * 5 + bit % 2, 4 * 3 + bit / 2);
        assert_int_equal(grid_at(&g, 5, 3)->code, 1 << bit);
        grid_blacken(&g, 2 * 5, 4 * 3);
        assert_int_equal(grid_at(&g, 5, 3)->code, 1 << bit | 1);
    }
    before = g;
    grid_blacken(&g, 2 * COLUMNS, 0);
    grid_blacken(&g, 0, 4 * ROWS);
    assert_memory_equal(&before, &g, sizeof(g));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(
            grid_half_blocks(CELL((i & 1 ? 0x0f : 0) | (i & 2 ? 0xf0 : 0), SQUARES)).code,
            halves[i]);
}

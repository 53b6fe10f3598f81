// SPDX-License-Identifier: MIT
#include "picture/ram_picture.c" /* runs of cells, which it joins */

#include "tests/unit/unit.h"

static struct ram_view view;

/* One bad cell of four is bad, one untested cell of tested ones is untested. */
TEST(narrow)
{
    static const struct ram_picture_node node = { 100, 256 };
    uint8_t cell[64];

    memset(view.cell, RAM_CELL_LEFT_OUT, sizeof(view.cell));
    memset(view.cell + 100, RAM_CELL_UNTESTED, 64);
    memset(view.cell + 108, RAM_CELL_TESTED, 5);
    view.cell[100] = RAM_CELL_SWEPT;
    view.cell[105] = RAM_CELL_BAD;
    assert_int_equal(ram_view_narrow(&view, node, 64, cell), 64);
    assert_int_equal(cell[0], RAM_CELL_SWEPT);
    assert_int_equal(cell[1], RAM_CELL_BAD);
    assert_int_equal(cell[2], RAM_CELL_TESTED);
    assert_int_equal(cell[3], RAM_CELL_UNTESTED);
    assert_int_equal(cell[63], RAM_CELL_LEFT_OUT);
    assert_int_equal(ram_view_narrow(&view, node, 50, cell), 43); /* of 6 each */
    assert_int_equal(ram_view_narrow(&view, (struct ram_picture_node){ 0, 3 }, 50, cell), 3);
}

TEST(rows)
{
    assert_int_equal(ram_rows(0, 64), 0);
    assert_int_equal(ram_rows(64, 64), 1);
    assert_int_equal(ram_rows(65, 64), 2);
}

TEST(runs)
{
    static const uint8_t cells[] = { RAM_CELL_BAD, RAM_CELL_BAD, RAM_CELL_OKRAM };

    assert_int_equal(ram_run(cells, 3), 2);
    assert_int_equal(ram_run(cells, 1), 1);
    assert_int_equal(ram_run(cells + 2, 1), 1);
}

static char text[RAM_CELLS_TEXT_SIZE];

static const char *text_of(uint32_t first, uint32_t n)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    ram_cells_append(&b, &view, (struct ram_picture_node){ first, n });
    assert_false(b.cut);
    return text;
}

static int start(void **state)
{
    memset(&view, 0, sizeof(view));
    return 0;
}

TEST(runs_are_counted, start)
{
    memset(view.cell, RAM_CELL_TESTED, 300);
    memset(view.cell + 300, RAM_CELL_OKRAM, 4);
    view.cell[304] = RAM_CELL_BAD;
    view.cell[305] = RAM_CELL_LEFT_OUT;
    view.cell[306] = RAM_CELL_SWEPT;
    assert_string_equal(text_of(0, 309), "300t4oX-s2.");
    assert_string_equal(text_of(303, 2), "oX"); /* another node begins there */
    assert_string_equal(text_of(0, 0), "");
}

TEST(the_longest_fits, start)
{
    for (uint32_t i = 0; i < RAM_PICTURE_CELLS_MAX; i++)
        view.cell[i] = i % 2 ? RAM_CELL_BAD : RAM_CELL_TESTED;
    assert_int_equal(strlen(text_of(0, RAM_PICTURE_CELLS_MAX)), RAM_PICTURE_CELLS_MAX);
    memset(view.cell, RAM_CELL_TESTED, sizeof(view.cell));
    assert_string_equal(text_of(0, RAM_PICTURE_CELLS_MAX), "512t");
}

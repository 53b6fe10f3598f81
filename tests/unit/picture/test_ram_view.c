// SPDX-License-Identifier: MIT
#include "picture/ram_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct ram_view view;

/* One bad cell of four is bad, one untested cell of tested ones is untested. */
static void narrow(void **state)
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

static void rows(void **state)
{
    assert_int_equal(ram_rows(0, 64), 0);
    assert_int_equal(ram_rows(64, 64), 1);
    assert_int_equal(ram_rows(65, 64), 2);
}

static void runs(void **state)
{
    static const uint8_t cells[] = { RAM_CELL_BAD, RAM_CELL_BAD, RAM_CELL_OKRAM };

    assert_int_equal(ram_run(cells, 3), 2);
    assert_int_equal(ram_run(cells, 1), 1);
    assert_int_equal(ram_run(cells + 2, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow),
        cmocka_unit_test(rows),
        cmocka_unit_test(runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

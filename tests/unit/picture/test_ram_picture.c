// SPDX-License-Identifier: MIT
#include "picture/ram_picture.h"
#include "tests/unit/unit.h"

static struct ram_picture p;

/* The machine of the header's example. */
static struct ram_picture_span spans[] = {
    { .span = { 0, 3 * GIB }, .node = 0 },
    { .span = { 4 * GIB, GIB }, .node = 0 },
    { .span = { 5 * GIB, 4 * GIB }, .node = 1 },
};

static int start(void **state)
{
    ram_picture_init(&p, spans, 3);
    return 0;
}

static uint32_t count(enum ram_cell what)
{
    uint32_t n = 0;

    ram_picture_look(&p);
    for (uint32_t i = 0; i < p.view.n_cells; i++)
        n += p.view.cell[i] == what;
    return n;
}

TEST(cells_of_the_example, start)
{
    assert_int_equal(p.view.cell_bytes, 16 * MIB);
    assert_int_equal(p.view.n_cells, 512);
    assert_int_equal(p.view.n_nodes, 2);
    assert_int_equal(p.view.node[1].first_cell, 256);
    ram_picture_mark_bad(&p, (struct span){ 4 * GIB, 4096 });
    ram_picture_mark_bad(&p, (struct span){ 5 * GIB, 4096 });
    assert_int_equal(count(RAM_CELL_BAD), 2);
    assert_int_equal(p.view.cell[192], RAM_CELL_BAD);
    assert_int_equal(p.view.cell[256], RAM_CELL_BAD);
}

TEST(at_the_end_nothing_is_swept, start)
{
    ram_picture_test(&p, (struct span){ 0, 3 * GIB });
    ram_picture_swept(&p, (struct span){ 0, 32 * MIB });
    assert_int_equal(count(RAM_CELL_SWEPT), 2);
    assert_int_equal(count(RAM_CELL_SWEPT), 2);                /* nothing new: they stay */
    ram_picture_swept(&p, (struct span){ 32 * MIB, 8 * MIB }); /* half of a cell */
    ram_picture_finish(&p);
    assert_int_equal(p.view.cell[0], RAM_CELL_TESTED);
    assert_int_equal(p.view.cell[1], RAM_CELL_TESTED);
    assert_int_equal(p.view.cell[2], RAM_CELL_UNTESTED);
    assert_int_equal(p.view.cell[511], RAM_CELL_LEFT_OUT);
}

TEST(a_little_more_needs_larger_cells, start)
{
    struct ram_picture_span more[] = { { .span = { 0, 512 * MIB + 1 } } };

    ram_picture_init(&p, more, 1);
    assert_int_equal(p.view.cell_bytes, 2 * MIB);
    assert_int_equal(p.view.n_cells, 257);
    more[0].span.size--;
    ram_picture_init(&p, more, 1);
    assert_int_equal(p.view.cell_bytes, MIB);
    assert_int_equal(p.view.n_cells, 512);
}

TEST(what_is_not_tested_is_left_out, start)
{
    assert_int_equal(count(RAM_CELL_LEFT_OUT), 512);
    ram_picture_test(&p, (struct span){ 2 * GIB, 4 * GIB }); /* 1 GiB of it is not RAM */
    assert_int_equal(count(RAM_CELL_UNTESTED), 3 * 64);
    assert_int_equal(count(RAM_CELL_LEFT_OUT), 512 - 3 * 64);
}

/* Swept cells are swept for as long as nothing else is, and then tested if they are whole. */
TEST(sweeps, start)
{
    ram_picture_test(&p, (struct span){ 0, 64 * MIB });
    ram_picture_swept(&p, (struct span){ 0, 24 * MIB });
    assert_int_equal(count(RAM_CELL_SWEPT), 2);
    assert_int_equal(count(RAM_CELL_SWEPT), 2);
    ram_picture_swept(&p, (struct span){ 32 * MIB, 16 * MIB });
    assert_int_equal(count(RAM_CELL_SWEPT), 1);
    assert_int_equal(p.view.cell[0], RAM_CELL_TESTED);
    assert_int_equal(p.view.cell[1], RAM_CELL_UNTESTED); /* half of it */
    assert_int_equal(p.view.cell[2], RAM_CELL_SWEPT);
    assert_int_equal(p.view.cell[3], RAM_CELL_UNTESTED);
    ram_picture_swept(&p, (struct span){ 24 * MIB, 8 * MIB });
    ram_picture_swept(&p, (struct span){ 48 * MIB, 16 * MIB });
    ram_picture_look(&p);
    ram_picture_swept(&p, (struct span){ 0, 1 });
    assert_int_equal(count(RAM_CELL_TESTED), 3);
}

TEST(marks_are_taken_back, start)
{
    ram_picture_test(&p, (struct span){ 0, 64 * MIB });
    ram_picture_mark_okram(&p, (struct span){ 15 * MIB, 2 * MIB });
    assert_int_equal(count(RAM_CELL_OKRAM), 2);
    ram_picture_mark_bad(&p, (struct span){ 16 * MIB, 4096 });
    assert_int_equal(count(RAM_CELL_OKRAM), 1);
    ram_picture_unmark_okram(&p);
    assert_int_equal(count(RAM_CELL_UNTESTED), 3);
    assert_int_equal(count(RAM_CELL_BAD), 1);
}

TEST(what_is_not_ram_does_not_count, start)
{
    ram_picture_swept(&p, (struct span){ 3 * GIB, GIB });
    ram_picture_swept(&p, (struct span){ 64 * GIB, GIB });
    ram_picture_mark_bad(&p, (struct span){ UINT64_MAX - 4095, 4096 });
    assert_int_equal(count(RAM_CELL_LEFT_OUT), 512);
}

TEST(up_to_the_end_of_addresses, start)
{
    struct ram_picture_span last[] = { { .span = { UINT64_MAX - MIB + 1, MIB } } };

    ram_picture_init(&p, last, 1);
    ram_picture_mark_bad(&p, (struct span){ UINT64_MAX - 4095, 4096 });
    assert_int_equal(count(RAM_CELL_BAD), 1);
}

TEST(no_ram, start)
{
    ram_picture_init(&p, spans, 0);
    ram_picture_swept(&p, (struct span){ 0, GIB });
    assert_int_equal(count(RAM_CELL_SWEPT), 0);
    assert_int_equal(p.view.n_cells, 0);
}

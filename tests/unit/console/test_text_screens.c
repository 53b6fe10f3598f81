// SPDX-License-Identifier: MIT
#include "console/text_screens.h"
#include "report/capture.h"
#include "tests/unit/unit.h"

static struct ansi a;
static struct capture c;

static int start(void **state)
{
    ansi_init(&a, capture_writer(&c));
    capture_free(&c);
    return 0;
}

static void draw(unsigned column, unsigned row, uint8_t code, uint8_t colour)
{
    ansi_backend(&a).draw(&a, column, row, CELL(code, colour));
}

TEST(neighbours_cost_a_byte, start)
{
    draw(0, 0, 'a', COLOUR(LIGHT_GREY, BLACK));
    draw(1, 0, 'b', COLOUR(LIGHT_GREY, BLACK));
    draw(3, 0, 'd', COLOUR(LIGHT_GREY, BLACK));
    draw(4, 0, 'e', COLOUR(WHITE, RED));
    draw(4, 1, 'f', COLOUR(WHITE, RED));
    assert_string_equal(c.text, "\x1b[1;1H\x1b[37;40mab\x1b[1;4Hd\x1b[97;41me\x1b[2;5Hf");
    capture_free(&c);
}

TEST(colours_are_the_terminals, start)
{
    static const struct {
        uint8_t colour;
        const char *code;
    } cases[] = {
        { COLOUR(BLUE, BLACK), "\x1b[34;40m" },        { COLOUR(RED, BLACK), "\x1b[31;40m" },
        { COLOUR(GREEN, BLUE), "\x1b[32;44m" },        { COLOUR(LIGHT_CYAN, RED), "\x1b[96;41m" },
        { COLOUR(YELLOW, BLACK), "\x1b[93;40m" },      { COLOUR(BROWN, BLACK), "\x1b[33;40m" },
        { COLOUR(BLACK, LIGHT_BLUE), "\x1b[30;104m" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        start(NULL);
        draw(0, 0, 'x', cases[i].colour);
        assert_non_null(strstr(c.text, cases[i].code));
        capture_free(&c);
    }
}

TEST(drawing_characters_are_utf8, start)
{
    draw(0, 0, GLYPH_RULE, 7);
    draw(1, 0, GLYPH_DOT, 7);
    draw(2, 0, GLYPH_SQUARE, 7);
    draw(3, 0, GLYPH_CUT, 7);
    draw(4, 0, 0x1b, 7); /* never a control character */
    assert_string_equal(c.text, "\x1b[1;1H\x1b[37;40m─·■»?");
    capture_free(&c);
}

TEST(the_cursor_is_unknown_after_the_last_column, start)
{
    draw(79, 0, 'x', 7);
    capture_free(&c);
    draw(0, 1, 'y', 7);
    assert_string_equal(c.text, "\x1b[2;1H\x1b[37;40my");
    capture_free(&c);
}

TEST(squares_are_half_blocks, start)
{
    draw(0, 0, 0x00, SQUARES);
    draw(1, 0, 0x0f, SQUARES);
    draw(2, 0, 0xf0, SQUARES);
    draw(3, 0, 0xff, SQUARES);
    assert_string_equal(c.text, "\x1b[1;1H\x1b[30;107m ▀▄█");
    capture_free(&c);
}

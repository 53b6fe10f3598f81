// SPDX-License-Identifier: MIT
/*
 * The picture that a screen shows: cells, each a character and a colour. How many columns and rows
 * there are is the device's: a text screen has 80x25, a terminal at least 80x24, a framebuffer as
 * many as are readable.
 *
 * A character is a code page 437 code: ASCII, and the few drawing characters below. They are the
 * ones that VGA's ROM font and Debian's console fonts hold at the same places. A page is painted as
 * a whole struct grid; a struct grid_view brings a device up to date with it by drawing the cells
 * that changed since, and never reads the device.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every page fits in, and the most there is room for. */
#define GRID_COLUMNS_MIN 80
#define GRID_ROWS_MIN    24
#define GRID_COLUMNS_MAX 144
#define GRID_CELLS_MAX   (GRID_COLUMNS_MAX * 50)

enum glyph {
    GLYPH_CUT = 0xaf,    /* »: there is more of this text */
    GLYPH_RULE = 0xc4,   /* ─ */
    GLYPH_FULL = 0xdb,   /* █, and its halves: a framebuffer draws them itself */
    GLYPH_LOWER = 0xdc,  /* ▄ */
    GLYPH_UPPER = 0xdf,  /* ▀ */
    GLYPH_DOT = 0xfa,    /* · */
    GLYPH_SQUARE = 0xfe, /* ■ */
};

/* The VGA text colours; a cell's colour byte is background << 4 | foreground. */
enum colour {
    BLACK,
    BLUE,
    GREEN,
    CYAN,
    RED,
    MAGENTA,
    BROWN,
    LIGHT_GREY,
    DARK_GREY,
    LIGHT_BLUE,
    LIGHT_GREEN,
    LIGHT_CYAN,
    LIGHT_RED,
    LIGHT_MAGENTA,
    YELLOW,
    WHITE,
};

#define COLOUR(foreground, background) ((uint8_t)((background) << 4 | (foreground)))

/*
 * How they look, red, green, blue: VGA's, changed so that text is readable on its background (WCAG
 * 2.1's contrast of 4.5 and more), and that the backgrounds of results differ for people who
 * confuse red and green. A result is never told by its colour alone.
 */
extern const uint8_t palette_rgb[16][3];

struct cell {
    uint8_t code;
    uint8_t colour;
    uint8_t quarter; /* 0; or it shows this quarter of the character, twice as large */
};

enum { QUARTER_LEFT_UPPER = 1, QUARTER_RIGHT_UPPER, QUARTER_LEFT_LOWER, QUARTER_RIGHT_LOWER };

/* Where a text begins, and a rectangle of cells. */
struct at {
    unsigned column, row;
};

struct area {
    unsigned column, row, columns, rows;
};

#define CELL(character, colours) ((struct cell){ .code = (character), .colour = (colours) })
#define AT(...)                  ((struct at){ __VA_ARGS__ })
#define AREA(...)                ((struct area){ __VA_ARGS__ })

/*
 * A cell of this colour is not a character: it is 2x4 squares, black on white, and the code's bit
 * 2 * y + x is set where one is black. A device of characters shows its upper and its lower half,
 * each with all squares alike.
 */
#define SQUARES        COLOUR(WHITE, WHITE)
#define SQUARES_ACROSS 2
#define SQUARES_DOWN   4

struct grid {
    unsigned columns, rows;
    bool has_quarters; /* the device shows quarters of characters; set by who resizes it */
    struct cell cell[GRID_CELLS_MAX]; /* row by row */
};

static inline struct cell *grid_at(struct grid *g, unsigned column, unsigned row)
{
    return &g->cell[row * g->columns + column];
}

/* Sets the size, within the limits above; what is in the cells is undefined. */
void grid_resize(struct grid *g, unsigned columns, unsigned rows);

/* Everything becomes a space. */
void grid_clear(struct grid *g, uint8_t colour);

/* A rectangle of one character. What lies outside the grid is left out, here and below. */
void grid_fill(struct grid *g, struct area area, struct cell cell);

/* At most n characters of text, those outside the printable ones as '?'. */
void grid_put(struct grid *g, struct at at, uint8_t colour, const char *text, size_t n);

/* Twice as large: each character on 2x2 cells. Only where has_quarters. */
void grid_put_large(struct grid *g, struct at at, uint8_t colour, const char *text, size_t n);

/* text in at most width cells; a longer one ends in GLYPH_CUT. Returns the cells used. */
unsigned grid_text(struct grid *g, struct at at, unsigned width, uint8_t colour, const char *text);

/* printf's way (lib/fmt.h), up to the right edge. Returns the cells used. */
unsigned grid_print(struct grid *g, struct at at, uint8_t colour, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Like grid_print, ending before the column of `end`. */
void grid_print_right(struct grid *g, struct at end, uint8_t colour, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A bar of the area, `part` (0 to 1) of it full; full only when all is done. */
void grid_bar(struct grid *g, struct area area, double part, uint8_t full_colour,
              uint8_t rest_colour);

/* Blackens a square of a cell that has the colour SQUARES; counted from the grid's corner. */
void grid_blacken(struct grid *g, unsigned x, unsigned y);

/* For a device of characters: a cell of squares as one of GLYPH_FULL, its halves, or a space. */
struct cell grid_half_blocks(struct cell squares);

/*
 * How many characters of text to put on a row of width cells: all, or up to the last space or comma
 * that fits (the whole width when there is none), but not between a comma and its space. At least
 * 1, unless text is empty.
 */
size_t grid_wrap(const char *text, size_t width);

/* The rows that text takes so. */
size_t grid_wrapped_rows(const char *text, size_t width);

/* A device that can show a cell. */
struct console_backend {
    void (*draw)(void *ctx, unsigned column, unsigned row, struct cell cell);
    void *ctx;
    unsigned columns, rows;
    bool has_squares; /* it shows each square of SQUARES, and quarters of characters */
};

struct grid_view {
    struct console_backend backend;
    unsigned budget; /* most cells a refresh draws: 0 for any number. For slow devices */
    unsigned next;   /* the cell with which the next refresh begins: in the end all are drawn */
    struct cell shown[GRID_CELLS_MAX];
};

/* A view on a device whose content is unknown: the first refreshes draw every cell. */
void grid_view_init(struct grid_view *v, struct console_backend backend, unsigned budget);

/* Forgets what the device shows, so that all of it is drawn again. */
void grid_view_forget(struct grid_view *v);

/*
 * Draws what differs, within the budget unless `all`. g has the device's size. Returns whether the
 * device now shows g.
 */
bool grid_refresh(const struct grid *g, struct grid_view *v, bool all);

// SPDX-License-Identifier: MIT
/*
 * The grid on a linear framebuffer: 16, 24 or 32 bits a pixel, any masks. The framebuffer is
 * only written.
 *
 * How many cells there are: letters are to be readable from two metres. Where 120 columns or more
 * fit with cells of at least 1/44 of the screen's height, they are the smallest of such cells: on a
 * laptop of 14 inches a capital is then 3 mm high, which a normal eye resolves at two metres (5
 * minutes of arc). Columns beyond 80 show more than what a text screen shows. On other screens,
 * of 4:3 or upright, cells are the largest with which 80 columns and 24 rows fit. The picture is
 * centred.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "display/font.h"
#include "firmware/memory_map.h"
#include "lib/status.h"
#include "display/grid.h"

/* By how much the picture is turned clockwise, for a panel that is mounted turned. */
enum framebuffer_turn {
    FRAMEBUFFER_TURN_0,
    FRAMEBUFFER_TURN_90,
    FRAMEBUFFER_TURN_180,
    FRAMEBUFFER_TURN_270,
};

struct framebuffer {
    uint8_t *base;
    uint32_t panel_width, panel_height; /* pixels */
    uint32_t pitch;                     /* bytes a row of pixels */
    uint32_t pixel_bytes;
    enum framebuffer_turn turn;
    uint32_t width, height; /* of the picture, as a person sees it */
    struct font font;
    uint32_t scale;         /* pixels of the screen a font's pixel takes, each way */
    uint32_t columns, rows; /* of the grid */
    uint32_t left, top;
    uint32_t palette[16];
};

#define FRAMEBUFFER_BYTES_MAX (UINT64_C(1) << 30) /* more is not a screen */

/*
 * Whether it is not larger than a screen can be, and ends at `limit` at most: as far as the CPU's
 * physical addresses and okram's page tables reach.
 */
bool framebuffer_is_possible(const struct boot_framebuffer *mode, uint64_t limit);

/*
 * Whether any of it is in memory that okram tests or must never write to. Broken firmware may
 * report that; drawing there would look like a fault.
 */
bool framebuffer_is_in_memory(const struct boot_framebuffer *mode, const struct memory_map *map);

/*
 * base is where mode->base is mapped (write-combining is best). Blackens the screen.
 * STATUS_INVALID when the mode contradicts itself, STATUS_UNSUPPORTED for a pixel format that is
 * none of the above or a screen that, turned so, is too small for the smallest font (640x384).
 */
enum status framebuffer_init(struct framebuffer *f, const struct boot_framebuffer *mode, void *base,
                             enum framebuffer_turn turn);

struct console_backend framebuffer_backend(struct framebuffer *f);

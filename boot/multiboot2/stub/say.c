// SPDX-License-Identifier: MIT
#include "boot/multiboot2/stub/say.h"

#include "arch/io.h"

#define VGA_TEXT         ((volatile uint16_t *)0xb8000u)
#define VGA_CELLS        (80 * 25)
#define VGA_WHITE_ON_RED 0x4f00u

#define COM1_DATA   0x3f8
#define COM1_STATUS 0x3fd
#define COM1_READY  0x20
#define COM1_WAITS  100000

static void say_char(struct said *said, char c)
{
    if (c != '\n' && said->cells < VGA_CELLS)
        VGA_TEXT[said->cells++] = (uint16_t)(VGA_WHITE_ON_RED | (uint8_t)c);
    for (int i = 0; i < COM1_WAITS && !(io_in8(COM1_STATUS) & COM1_READY); i++)
        ;
    io_out8(COM1_DATA, (uint8_t)c);
}

static void say_hex(struct said *said, uint32_t value)
{
    say_char(said, '0');
    say_char(said, 'x');
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = value >> shift & 15;

        say_char(said, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
}

void say(struct said *said, const char *text, const uint32_t *values)
{
    for (; *text; text++) {
        if (*text == '#')
            say_hex(said, *values++);
        else
            say_char(said, *text);
    }
}

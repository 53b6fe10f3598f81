// SPDX-License-Identifier: MIT
#include "boot/multiboot2/stub/print.h"

#include "boot/multiboot2/tag.h"
#include "boot/stop/stop.h"
#include "io/ports.h"

#define VGA_TEXT         ((volatile uint16_t *)0xb8000u)
#define VGA_CELLS        (80 * 25)
#define VGA_WHITE_ON_RED 0x4f00u

#define COM1_DATA    0x3f8
#define COM1_DIVISOR 0x3f8 /* 16 bits, while COM1_LINE's DLAB is set */
#define COM1_LINE    0x3fb
#define COM1_STATUS  0x3fd
#define LINE_DLAB    0x80
#define LINE_8N1     0x03
#define COM1_READY   0x20
#define COM1_WAITS   100000

/* 115200 8N1: after a reset a character has 5 bits, and not every BIOS sets the port up. */
static void set_line(void)
{
    io_out8(COM1_LINE, LINE_DLAB);
    io_out8(COM1_DIVISOR, 1);
    io_out8(COM1_DIVISOR + 1, 0);
    io_out8(COM1_LINE, LINE_8N1);
}

static void print_char(struct printed *printed, char c)
{
    if (c != '\n' && printed->cells < VGA_CELLS)
        VGA_TEXT[printed->cells++] = (uint16_t)(VGA_WHITE_ON_RED | (uint8_t)c);
    for (int i = 0; i < COM1_WAITS && !(io_in8(COM1_STATUS) & COM1_READY); i++)
        ;
    io_out8(COM1_DATA, (uint8_t)c);
}

static void print_hex(struct printed *printed, uint32_t value)
{
    print_char(printed, '0');
    print_char(printed, 'x');
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = value >> shift & 15;

        print_char(printed, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
}

void print(struct printed *printed, const char *text, const uint32_t *values)
{
    if (!printed->cells)
        set_line();
    for (; *text; text++) {
        if (*text == '#')
            print_hex(printed, *values++);
        else
            print_char(printed, *text);
    }
}

/* The command line, empty where there is none, or none that ends. */
static const char *command_line(const uint32_t *info)
{
    size_t at = TAGS_START;
    const struct tag *t;

    while ((t = tag_next(info, info[0], &at)) && t->type != TAG_END) {
        const char *text = (const char *)(t + 1);

        if (t->type == TAG_CMDLINE && t->size > sizeof(*t) && !text[t->size - sizeof(*t) - 1])
            return text;
    }
    return "";
}

_Noreturn void refuse_end(const uint32_t *info);

_Noreturn __attribute__((used)) void refuse_end(const uint32_t *info)
{
    stop("", command_line(info));
}

_Noreturn void refuse(const uint32_t *info, const char *why, const uint32_t *values)
{
    struct printed printed = { 0 };

    print(&printed, why, values);
    print(&printed, "\n", NULL);
    /* Does not return: the options are read with all of the work area, a page, as stack. */
    __asm__ volatile("or $0xfff, %%esp\n\t"
                     "and $-16, %%esp\n\t"
                     "push %0\n\t"
                     "call refuse_end"
                     :
                     : "r"(info)
                     : "memory");
    __builtin_unreachable();
}

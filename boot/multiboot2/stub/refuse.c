#include "boot/multiboot2/stub/refuse.h"

#include "arch/fw_cfg.h"
#include "arch/io.h"
#include "boot/boot_info.h"
#include "boot/multiboot2/stub/exit_asked.h"
#include "boot/multiboot2/tag.h"

#define VGA_TEXT         0xb8000u
#define VGA_WHITE_ON_RED 0x4f00u

#define COM1_DATA   0x3f8
#define COM1_STATUS 0x3fd
#define COM1_READY  0x20
#define COM1_WAITS  100000

#define EXIT_PORT   0xf4
#define EXIT_FAILED 2

struct place {
    volatile uint16_t *vga;
};

static void say(struct place *p, char c)
{
    if (c != '\n')
        *p->vga++ = (uint16_t)(VGA_WHITE_ON_RED | (uint8_t)c);
    for (int i = 0; i < COM1_WAITS && !(io_in8(COM1_STATUS) & COM1_READY); i++)
        ;
    io_out8(COM1_DATA, (uint8_t)c);
}

static void say_hex(struct place *p, uint32_t addr)
{
    say(p, '0');
    say(p, 'x');
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = addr >> shift & 15;

        say(p, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
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

/* By the sources that there are without okram.efi, the later one wins. */
static bool is_exit_asked(const uint32_t *info)
{
    char qemu[BOOT_CMDLINE_MAX];
    bool asked = exit_asked(command_line(info), false);

    if (fw_cfg_read_string("opt/okram/cmdline", qemu, sizeof(qemu)) == STATUS_NOT_FOUND)
        return asked;
    return exit_asked(qemu, asked);
}

_Noreturn void refuse(const uint32_t *info, const char *why, uint32_t addr)
{
    struct place p = { (volatile uint16_t *)VGA_TEXT };

    for (; *why; why++) {
        if (*why == '#')
            say_hex(&p, addr);
        else
            say(&p, *why);
    }
    say(&p, '\n');
    if (is_exit_asked(info))
        io_out8(EXIT_PORT, EXIT_FAILED);
    for (;;)
        __asm__ volatile("cli; hlt");
}

#include "boot/multiboot2/stub/refuse.h"

#include "arch/io.h"

#define VGA_TEXT         0xb8000u
#define VGA_WHITE_ON_RED 0x4f00u

#define COM1_DATA   0x3f8
#define COM1_STATUS 0x3fd
#define COM1_READY  0x20
#define COM1_WAITS  100000

#define FW_CFG_SELECT 0x510
#define FW_CFG_DATA   0x511
#define EXIT_PORT     0xf4
#define EXIT_FAILED   2

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

/* Elsewhere the port of isa-debug-exit may be anything's. */
static void exit_if_qemu(void)
{
    io_out16(FW_CFG_SELECT, 0);
    for (const char *c = "QEMU"; *c; c++) {
        if (io_in8(FW_CFG_DATA) != (uint8_t)*c)
            return;
    }
    io_out8(EXIT_PORT, EXIT_FAILED);
}

_Noreturn void refuse(const char *why, uint32_t addr)
{
    struct place p = { (volatile uint16_t *)VGA_TEXT };

    for (; *why; why++) {
        if (*why == '#')
            say_hex(&p, addr);
        else
            say(&p, *why);
    }
    say(&p, '\n');
    exit_if_qemu();
    for (;;)
        __asm__ volatile("cli; hlt");
}

// SPDX-License-Identifier: MIT
#include "start/open_console.h"

#include "arch/paging.h"
#include "console/console.h"
#include "console/framebuffer.h"
#include "console/text_screens.h"
#include "event/notices.h"
#include "event/trace.h"
#include "lib/minmax.h"
#include "machine/machine.h"

/* NULL: there is no framebuffer that can be used. */
static void *map_framebuffer(const struct boot_framebuffer *fb)
{
    uint64_t bytes = (uint64_t)fb->pitch * fb->height;
    uint64_t limit = min_u64(DIRECT_SIZE, UINT64_C(1) << min_u64(machine.cpu.physical_bits, 63));

    if (!fb->base)
        return NULL;
    if (!framebuffer_is_possible(fb, limit)) {
        warn_print(
            &notices,
            "a framebuffer of %lu MiB at 0x%lx is impossible: it is not used, and the screen "
            "shows nothing",
            (unsigned long)(bytes >> 20), (unsigned long)fb->base);
        return NULL;
    }
    if (framebuffer_is_in_memory(fb, &machine.map)) {
        notice("the framebuffer at 0x%lx-0x%lx is in memory under test: it is not used, and "
               "the screen shows nothing",
               (unsigned long)fb->base, (unsigned long)(fb->base + bytes - 1));
        return NULL;
    }
    return paging_map_direct(fb->base, bytes, PAGING_WRITE | PAGING_WRITE_COMBINING);
}

void open_console(const struct boot_info *boot, const struct options *options)
{
    static const enum console_serial serial[] = {
        [OPTION_SERIAL_TEXT] = CONSOLE_SERIAL_TEXT,
        [OPTION_SERIAL_UI] = CONSOLE_SERIAL_UI,
        [OPTION_SERIAL_JSONL] = CONSOLE_SERIAL_JSONL,
        [OPTION_SERIAL_OFF] = CONSOLE_SERIAL_OFF,
    };
    static const enum framebuffer_turn turn[] = {
        [OPTION_ROTATE_0] = FRAMEBUFFER_TURN_0,
        [OPTION_ROTATE_90] = FRAMEBUFFER_TURN_90,
        [OPTION_ROTATE_180] = FRAMEBUFFER_TURN_180,
        [OPTION_ROTATE_270] = FRAMEBUFFER_TURN_270,
    };
    const struct boot_framebuffer *fb = &boot->framebuffer;
    void *pixels = map_framebuffer(fb), *vga = NULL;

    if (boot->vga_text)
        vga = paging_map_direct(VGA_TEXT_PHYS, PAGE_SIZE, PAGING_WRITE | PAGING_UNCACHED);
    if (console_init(fb, pixels, turn[options->rotate], vga) != STATUS_OK)
        notice("the framebuffer (%ux%u, %u bits a pixel) cannot be drawn on", fb->width, fb->height,
               fb->bits_per_pixel);
    console_start(serial[options->serial]);
    events_send_to(console_receive, NULL);
    trace_begin(options->trace);
}

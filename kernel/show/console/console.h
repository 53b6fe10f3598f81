// SPDX-License-Identifier: MIT
/*
 * The screens, the serial port and the keys, put together. The boot CPU alone calls this; in a
 * panic, the CPU that panics. A map of the folder, whose files are devices:
 *
 *   framebuffer  the screen as pixels, by UEFI; font, font_data: its characters
 *   text_screens the screen as text, by BIOS, and on a terminal at the serial port (io/serial.h)
 *   keyboard     PS/2
 *
 * What the screens show is made in screen/, what the report says in report/.
 */
#pragma once

#include "boot/boot_info.h"
#include "display/framebuffer.h"
#include "console/keyboard.h"
#include "event/events.h"
#include "lib/status.h"

/* What the serial port carries: the option serial=. */
enum console_serial {
    CONSOLE_SERIAL_TEXT, /* log lines; also for a panic before console_start */
    CONSOLE_SERIAL_UI,   /* the screen, for a terminal */
    CONSOLE_SERIAL_JSONL,
    CONSOLE_SERIAL_OFF,
};

/*
 * Before console_init: finds COM1, and notes the screens that firmware or a loader has left on.
 * They are drawn on if there is a panic, as far as the direct map has them then. From now on a
 * panic can be seen.
 */
void console_begin(const struct boot_info *boot);

/*
 * Takes the serial port that was set up (io/serial.h) and the screens: the framebuffer mapped at
 * framebuffer_base, the VGA text screen mapped at vga_base; NULL for what is not there. The picture
 * on the framebuffer is turned so. Returns STATUS_OK, or why the framebuffer cannot be used
 * (framebuffer_init).
 */
enum status console_init(const struct boot_framebuffer *mode, void *framebuffer_base,
                         enum framebuffer_turn turn, void *vga_base);

/* From now on events are shown. Once, after console_init and before the first event. */
void console_start(enum console_serial serial);

/*
 * The user asked for the report so far. To be called before sending a progress and a badram event:
 * they are then written to the serial port even if the last ones are recent. A terminal is redrawn.
 */
void console_ask_report(void);

/*
 * Sets up the PS/2 keyboard, or what firmware makes look like one: once, after the clocks have been
 * compared. Returns whether one answers. One that does not is heard all the same, unless firmware
 * says that there is none (is_denied).
 */
bool console_find_keyboard(bool is_denied);

/* Another keyboard: `read` is called at each poll, and returns a key (lib/keys.h), or KEY_NONE. */
void console_add_keyboard(int (*read)(void));

/*
 * A key from a keyboard or the serial port: 'q', 'n', 'r', 'l', 'x', KEY_ENTER, KEY_ESCAPE, or
 * KEY_NONE. Does not wait. Keys of the screen are handled here: 'b', 'c' and 's', which switch to
 * the pages of bandwidth, of the QR code and of details, and back; and the space bar, which shows
 * the next page or part of a long badram line.
 */
int console_poll_key(void);

/*
 * Shows a text, of lines separated by \n, on all screens and the serial port. For a panic
 * (arch/panic.h): uses no memory but its own.
 */
void console_panic(enum reason reason, const char *text);

enum console_beep {
    CONSOLE_BEEP_PASS,  /* one long tone */
    CONSOLE_BEEP_FAIL,  /* three short ones */
    CONSOLE_BEEP_OTHER, /* two short ones */
};

/* On the PC speaker, for at most 1 s. Harmless without one. */
void console_beep(enum console_beep what);

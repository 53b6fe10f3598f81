// SPDX-License-Identifier: MIT
#include "console/console.h"

#include "arch/paging.h"
#include "arch/panic.h"
#include "arch/tsc.h"
#include "console/keyboard.h"
#include "console/text_screens.h"
#include "io/ports.h"
#include "io/serial.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "report/report.h"
#include "screen/screen.h"

#define SCREENS_MAX 2

/* A refresh on a terminal: about 300 bytes at 115200 baud, a fortieth of a second at any speed. */
#define TERMINAL_CELLS_MAX 200
#define TERMINAL_CELLS_MIN 10

static struct {
    enum console_serial serial;
    int (*read_other)(void); /* NULL: there is no other keyboard */
    bool started;
    bool support_reported, ended;

    struct console_backend screens[SCREENS_MAX];
    size_t n_screens;
    struct framebuffer framebuffer;

    struct screen screen;
    struct ansi ansi;
    struct report report;
} console;

/* What there may be before console_init: bounds of a screen that is believed. */
#define EARLY_BYTES_MAX (UINT64_C(1) << 30)

static struct {
    struct boot_framebuffer mode;
    bool vga_text;
} early;

static void write_serial(void *ctx, const char *text, size_t n)
{
    serial_write(text, n);
}

static const struct writer serial_writer = { write_serial, NULL };

/* The status is the framebuffer's. */
static enum status take_screens(const struct boot_framebuffer *mode, void *framebuffer_base,
                                enum framebuffer_turn turn, void *vga_base)
{
    enum status s = STATUS_OK;

    console.n_screens = 0;
    if (framebuffer_base) {
        s = framebuffer_init(&console.framebuffer, mode, framebuffer_base, turn);
        if (s == STATUS_OK)
            console.screens[console.n_screens++] = framebuffer_backend(&console.framebuffer);
    }
    if (vga_base) {
        vga_text_init();
        console.screens[console.n_screens++] = vga_text_backend(vga_base);
    }
    return s;
}

enum status console_init(const struct boot_framebuffer *mode, void *framebuffer_base,
                         enum framebuffer_turn turn, void *vga_base)
{
    serial_set_carriage_return(true);
    return take_screens(mode, framebuffer_base, turn, vga_base);
}

void console_begin(const struct boot_info *boot)
{
    early.mode = boot->framebuffer;
    early.vga_text = boot->vga_text;
    serial_init();
    console_init(NULL, NULL, FRAMEBUFFER_TURN_0, NULL);
}

static unsigned terminal_cells(void)
{
    uint64_t cells = (uint64_t)TERMINAL_CELLS_MAX * serial_baud() / SERIAL_BAUD;

    return (unsigned)max_u64(min_u64(cells, TERMINAL_CELLS_MAX), TERMINAL_CELLS_MIN);
}

/* A panic may interrupt a line. */
static void begin_line(void)
{
    if (!serial_at_line_start())
        fmt_write(serial_writer, "\n");
}

static void receive(void *ctx, const struct event *e)
{
    if (panic_in_progress() && console.report.form)
        begin_line();
    console.support_reported |= e->type == EVENT_SUPPORT && e->support.asked;
    console.ended |= e->type == EVENT_RESULT;
    report_receive(&console.report, e);
}

void console_start(enum console_serial serial)
{
    static const enum report_form forms[] = {
        [CONSOLE_SERIAL_TEXT] = REPORT_TEXT,
        [CONSOLE_SERIAL_UI] = REPORT_NONE,
        [CONSOLE_SERIAL_JSONL] = REPORT_JSONL,
        [CONSOLE_SERIAL_OFF] = REPORT_NONE,
    };
    enum report_form form = forms[serial];

    console.serial = serial;
    serial_set_carriage_return(form != REPORT_JSONL);
    report_init(&console.report, form, serial_writer);
    report_set_speed(&console.report, serial_baud());
    screen_init(&console.screen, form && serial_is_present() ? "on the serial port" : NULL);
    for (size_t i = 0; i < console.n_screens; i++)
        screen_add_view(&console.screen, console.screens[i], 0);
    if (serial == CONSOLE_SERIAL_UI) {
        ansi_init(&console.ansi, serial_writer);
        screen_add_view(&console.screen, ansi_backend(&console.ansi), terminal_cells());
    }
    events_send_to(receive, NULL, true);
    events_send_to(screen_receive, &console.screen, false);
    console.started = true;
}

void console_ask_report(void)
{
    report_ask(&console.report);
    if (console.serial == CONSOLE_SERIAL_UI)
        screen_redraw(&console.screen);
}

static int serial_key(void)
{
    int c = serial_read();

    if (c == '\n')
        return KEY_ENTER;
    if (c >= 'A' && c <= 'Z')
        c += 'a' - 'A';
    return c == KEY_ENTER || c == KEY_ESCAPE || (c > 0 && strchr("qnrlbcxsh ", c)) ? c : KEY_NONE;
}

bool console_find_keyboard(bool is_denied)
{
    return keyboard_init(is_denied) == STATUS_OK && keyboard_answers();
}

void console_add_keyboard(int (*read)(void))
{
    console.read_other = read;
}

/* The page; and the report has it from then on. */
static void show_support(void)
{
    struct event e = { .type = EVENT_SUPPORT, .t = (double)tsc_elapsed_us() / 1e6 };

    screen_turn(&console.screen, SCREEN_DETAILS);
    e.support = (struct event_support){ console.screen.state.support, true };
    if (e.support.support && !console.support_reported && !console.ended)
        report_receive(&console.report, &e);
    console.support_reported = true;
}

int console_poll_key(void)
{
    int key = keyboard_read();
    enum key_from from = KEY_FROM_KEYBOARD;

    if (key == KEY_NONE && console.read_other)
        key = console.read_other();
    if (key == KEY_NONE) {
        key = serial_key();
        from = console.serial == CONSOLE_SERIAL_UI ? KEY_FROM_TERMINAL : KEY_FROM_PROGRAM;
    }
    if (!console.started)
        return key;
    if (key != KEY_NONE)
        screen_key_pressed(&console.screen);
    key = screen_confirm(&console.screen, key, from, tsc_elapsed_us());
    screen_tick(&console.screen, tsc_elapsed_us());
    if (key == ' ')
        screen_next_part(&console.screen);
    else if (key == 'b')
        screen_turn(&console.screen, SCREEN_BANDWIDTH);
    else if (key == 'c')
        screen_turn(&console.screen, SCREEN_CODE);
    else if (key == 'h')
        screen_turn(&console.screen, SCREEN_HELP);
    else if (key == 's')
        show_support();
    else
        return key;
    return KEY_NONE;
}

static void panic_on_serial(enum reason reason, const char *text)
{
    if ((!serial_is_present() && serial_init() != STATUS_OK) ||
        console.serial == CONSOLE_SERIAL_OFF)
        return;
    if (console.serial == CONSOLE_SERIAL_UI)
        ansi_leave(&console.ansi);
    if (!console.report.form) /* a terminal, or before console_start */
        report_init(&console.report, REPORT_TEXT, serial_writer);
    serial_set_carriage_return(console.report.form != REPORT_JSONL);
    begin_line();
    report_panic(&console.report, reason, text);
}

static void panic_on_screen(const struct console_backend *b, const char *text)
{
    const uint8_t colour = COLOUR(WHITE, RED);
    struct grid *g = &console.screen.grid; /* what it was painted for is over */

    grid_resize(g, b->columns, b->rows);
    grid_clear(g, colour);
    for (unsigned row = 1; *text && row < g->rows; row++) {
        size_t line = 0, n;

        while (text[line] && text[line] != '\n')
            line++;
        n = line <= g->columns - 2 ? line : grid_wrap(text, g->columns - 2);
        grid_put(g, AT(1, row), colour, text, n);
        text += n;
        if (*text == '\n')
            text++;
    }
    for (unsigned row = 0; row < g->rows; row++)
        for (unsigned column = 0; column < g->columns; column++)
            b->draw(b->ctx, column, row, *grid_at(g, column, row));
}

/* Once the run shows its screens, these are them. */
static void take_early_screens(void)
{
    const uint64_t bytes = (uint64_t)early.mode.pitch * early.mode.height;
    bool has_pixels =
        early.mode.base && bytes <= EARLY_BYTES_MAX && paging_is_mapped(early.mode.base, bytes);
    bool has_text = early.vga_text && paging_is_mapped(VGA_TEXT_PHYS, PAGE_SIZE);

    take_screens(&early.mode, has_pixels ? direct(early.mode.base) : NULL, FRAMEBUFFER_TURN_0,
                 has_text ? direct(VGA_TEXT_PHYS) : NULL);
}

void console_panic(enum reason reason, const char *text)
{
    panic_on_serial(reason, text);
    if (!console.n_screens && !console.started)
        take_early_screens();
    for (size_t i = 0; i < console.n_screens; i++)
        panic_on_screen(&console.screens[i], text);
}

/* IBM PC/AT Technical Reference, "Speaker": tones of the PIT's channel 2, gated by port 0x61. */
#define PIT_CHANNEL_2    0x42
#define PIT_MODE         0x43
#define MODE_SQUARE_WAVE 0xb6 /* channel 2, low byte then high byte, mode 3 */
#define PIT_HZ           1193182
#define TONE_HZ          1000

#define SYSTEM_CONTROL   0x61
#define SPEAKER_ON       0x03 /* the channel's gate, and its way to the speaker */
#define SYSTEM_WRITEABLE 0x0f /* the other bits are a state: they are written as 0 */

#define LONG_US  1000000
#define SHORT_US 150000

static void tone(uint64_t us)
{
    uint16_t divisor = PIT_HZ / TONE_HZ;
    uint8_t before = io_in8(SYSTEM_CONTROL) & SYSTEM_WRITEABLE;

    io_out8(PIT_MODE, MODE_SQUARE_WAVE);
    io_out8(PIT_CHANNEL_2, (uint8_t)divisor);
    io_out8(PIT_CHANNEL_2, (uint8_t)(divisor >> 8));
    io_out8(SYSTEM_CONTROL, before | SPEAKER_ON);
    tsc_wait_us(us);
    io_out8(SYSTEM_CONTROL, before & (uint8_t)~SPEAKER_ON);
}

void console_beep(enum console_beep what)
{
    if (what == CONSOLE_BEEP_PASS) {
        tone(LONG_US);
        return;
    }
    for (int i = what == CONSOLE_BEEP_FAIL ? 3 : 2; i > 0; i--) {
        tone(SHORT_US);
        tsc_wait_us(SHORT_US);
    }
}

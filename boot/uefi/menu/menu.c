// SPDX-License-Identifier: MIT
#include "menu.h"

#include <efi.h>
#include <efilib.h>

#include "display/framebuffer.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "menu_view.h"

/*
 * What the menu is shown on: the screen's pixels, in the cells of the kernel's screens, and the
 * consoles on serial ports. Firmware's own text is 8x19 pixels whatever the screen is: it is used
 * where there are no pixels.
 */

#define MENU_TEXTS_MAX 4

/* Only lines that change are written, because some firmware is slow at that. */
struct menu_text_screen {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    UINTN columns, rows;
    struct menu_line line[MENU_ROWS_MIN];
};

struct menu_pixels {
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop; /* NULL: there are none */
    EFI_PHYSICAL_ADDRESS picture;      /* in memory: firmware copies what changes to the screen */
    UINTN pages;
    struct framebuffer framebuffer; /* of the picture */
    struct console_backend cells;   /* of that */
    struct grid grid;
    struct grid_view view;
    unsigned first, end; /* rows of cells that have changed */
};

struct menu_screens {
    struct menu_pixels pixels;
    unsigned n_texts;
    struct menu_text_screen text[MENU_TEXTS_MAX];
};

#define PIXELS_MAX 32768u /* each way: more is not a screen */
#define NODES_MAX  64     /* of a device path */

static UINTN attribute(enum menu_look look)
{
    switch (look) {
    case MENU_LOOK_TITLE: return EFI_TEXT_ATTR(EFI_WHITE, EFI_BLACK);
    case MENU_LOOK_CHOSEN: return EFI_TEXT_ATTR(EFI_BLACK, EFI_LIGHTGRAY);
    case MENU_LOOK_NOTICE: return EFI_TEXT_ATTR(EFI_YELLOW, EFI_BLACK);
    default: return EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK);
    }
}

/* A line of the menu, cut so that the cursor does not leave it. */
static void write_line(const struct menu_text_screen *t, UINTN row)
{
    const struct menu_line *line = &t->line[row];
    CHAR16 text[MENU_COLUMNS_MIN + 1];
    UINTN n = 0;

    for (; n < MENU_COLUMNS_MIN && n + 1 < t->columns; n++)
        text[n] = (CHAR16)line->text[n];
    text[n] = 0;
    t->out->SetAttribute(t->out, attribute(line->look));
    t->out->SetCursorPosition(t->out, 0, row);
    t->out->OutputString(t->out, text);
}

static void show_text(struct menu_text_screen *t, const struct menu *menu)
{
    static struct menu_view view;

    view.columns = MENU_COLUMNS_MIN;
    view.rows = MENU_ROWS_MIN;
    menu_draw(menu, &view);
    for (UINTN i = 0; i < MENU_ROWS_MIN && i < t->rows; i++) {
        if (CompareMem(&view.line[i], &t->line[i], sizeof(view.line[i])) == 0)
            continue;
        t->line[i] = view.line[i];
        write_line(t, i);
    }
}

/* False: there are too many, or it is not in a mode. */
static bool add_text(struct menu_screens *s, SIMPLE_TEXT_OUTPUT_INTERFACE *out)
{
    struct menu_text_screen *t = &s->text[s->n_texts];

    if (!out || s->n_texts == MENU_TEXTS_MAX)
        return false;
    *t = (struct menu_text_screen){ .out = out };
    if (EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &t->columns, &t->rows)))
        return false;
    s->n_texts++;
    return true;
}

/* By its device path (UEFI 2.10, 10.3.4.13). */
static bool is_serial(EFI_HANDLE handle)
{
    EFI_DEVICE_PATH *node;

    if (EFI_ERROR(BS->HandleProtocol(handle, &DevicePathProtocol, (void **)&node)))
        return false;
    for (int i = 0; i < NODES_MAX && !IsDevicePathEndType(node); i++) {
        if (DevicePathType(node) == MESSAGING_DEVICE_PATH && DevicePathSubType(node) == MSG_UART_DP)
            return true;
        if (DevicePathNodeLength(node) < (int)sizeof(*node))
            return false;
        node = NextDevicePathNode(node);
    }
    return false;
}

/* Firmware's console writes to these and to the screen; here they are written alone. */
static void add_serial_ports(struct menu_screens *s)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &TextOutProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++) {
        if (is_serial(handle[i]) &&
            !EFI_ERROR(BS->HandleProtocol(handle[i], &TextOutProtocol, (void **)&out)))
            add_text(s, out);
    }
    BS->FreePool(handle);
}

/* Of firmware's console: where that is on several screens, all show it. Else any. */
static EFI_GRAPHICS_OUTPUT_PROTOCOL *find_gop(void)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;
    void **found = (void **)&gop;

    if ((!ST->ConsoleOutHandle ||
         EFI_ERROR(BS->HandleProtocol(ST->ConsoleOutHandle, &GraphicsOutputProtocol, found))) &&
        EFI_ERROR(BS->LocateProtocol(&GraphicsOutputProtocol, NULL, found)))
        return NULL;
    return gop->Mode && gop->Mode->Info && gop->Blt ? gop : NULL;
}

/* As Blt takes it (UEFI 2.10, 12.9.2.3). */
static struct boot_framebuffer picture_of(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode)
{
    return (struct boot_framebuffer){
        .width = mode->HorizontalResolution,
        .height = mode->VerticalResolution,
        .pitch = mode->HorizontalResolution * 4,
        .bits_per_pixel = 32,
        .red_mask = 0xff0000,
        .green_mask = 0xff00,
        .blue_mask = 0xff,
    };
}

/* Rows of pixels of the picture, to the screen. */
static void copy_rows(struct menu_pixels *p, UINTN first, UINTN n)
{
    UINTN width = p->framebuffer.panel_width;

    p->gop->Blt(p->gop, (void *)(UINTN)p->picture, EfiBltBufferToVideo, 0, first, 0, first, width,
                n, width * 4);
}

static void draw(void *ctx, unsigned column, unsigned row, struct cell cell)
{
    struct menu_pixels *p = ctx;

    p->cells.draw(p->cells.ctx, column, row, cell);
    p->first = (unsigned)min_u64(p->first, row);
    p->end = (unsigned)max_u64(p->end, row + 1);
}

/* False: there are no pixels, too few, or no memory for the picture. */
static bool open_pixels(struct menu_pixels *p, enum framebuffer_turn turn)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = find_gop();
    struct boot_framebuffer mode;
    struct console_backend backend;

    p->gop = NULL;
    if (!gop || gop->Mode->Info->HorizontalResolution > PIXELS_MAX ||
        gop->Mode->Info->VerticalResolution > PIXELS_MAX)
        return false;
    mode = picture_of(gop->Mode->Info);
    p->pages = EFI_SIZE_TO_PAGES((UINTN)mode.pitch * mode.height);
    if (!p->pages || !framebuffer_is_possible(&mode, FRAMEBUFFER_BYTES_MAX) ||
        EFI_ERROR(BS->AllocatePages(AllocateAnyPages, EfiLoaderData, p->pages, &p->picture)))
        return false;
    if (framebuffer_init(&p->framebuffer, &mode, (void *)(UINTN)p->picture, turn) != STATUS_OK) {
        BS->FreePages(p->picture, p->pages);
        return false;
    }
    p->gop = gop;
    backend = p->cells = framebuffer_backend(&p->framebuffer);
    backend.draw = draw;
    backend.ctx = p;
    grid_resize(&p->grid, backend.columns, backend.rows);
    grid_view_init(&p->view, backend, 0);
    return true;
}

static uint8_t colour(enum menu_look look)
{
    switch (look) {
    case MENU_LOOK_TITLE: return COLOUR(WHITE, BLACK);
    case MENU_LOOK_CHOSEN: return COLOUR(BLACK, LIGHT_GREY);
    case MENU_LOOK_NOTICE: return COLOUR(YELLOW, BLACK);
    default: return COLOUR(LIGHT_GREY, BLACK);
    }
}

static void paint(const struct menu_view *v, struct grid *g)
{
    for (unsigned row = 0; row < g->rows; row++) {
        uint8_t c = row ? colour(v->line[row].look) : COLOUR(WHITE, BLUE);

        grid_fill(g, AREA(0, row, g->columns, 1), CELL(' ', c));
        grid_put(g, AT(0, row), c, v->line[row].text, v->columns);
    }
}

static void show_pixels(struct menu_pixels *p, const struct menu *menu)
{
    const struct framebuffer *f = &p->framebuffer;
    const unsigned height = f->font.height * f->scale;
    static struct menu_view view;

    view.columns = p->grid.columns;
    view.rows = p->grid.rows;
    menu_draw(menu, &view);
    paint(&view, &p->grid);
    p->first = p->grid.rows;
    p->end = 0;
    grid_refresh(&p->grid, &p->view, true);
    if (p->first >= p->end)
        return;
    if (f->turn == FRAMEBUFFER_TURN_0)
        copy_rows(p, f->top + p->first * height, (p->end - p->first) * height);
    else
        copy_rows(p, 0, f->panel_height);
}

static void clear(void)
{
    ST->ConOut->SetAttribute(ST->ConOut, attribute(MENU_LOOK_PLAIN));
    ST->ConOut->ClearScreen(ST->ConOut);
}

/* Clears the screens. False: there is none. */
static bool menu_screens_open(struct menu_screens *screens, enum framebuffer_turn turn)
{
    screens->n_texts = 0;
    if (!ST->ConOut)
        return false;
    if (open_pixels(&screens->pixels, turn))
        add_serial_ports(screens);
    else if (!add_text(screens, ST->ConOut))
        return false;
    ST->ConOut->EnableCursor(ST->ConOut, FALSE);
    clear();
    if (screens->pixels.gop)
        copy_rows(&screens->pixels, 0, screens->pixels.framebuffer.panel_height);
    return true;
}

static void menu_screens_show(struct menu_screens *screens, const struct menu *menu)
{
    if (screens->pixels.gop)
        show_pixels(&screens->pixels, menu);
    for (unsigned i = 0; i < screens->n_texts; i++)
        show_text(&screens->text[i], menu);
}

/* Clears them, and gives back memory. */
static void menu_screens_close(struct menu_screens *screens)
{
    clear();
    if (screens->pixels.gop)
        BS->FreePages(screens->pixels.picture, screens->pixels.pages);
}

#define TICKS_A_SECOND 10
#define TICK_100_NS    (10000000 / TICKS_A_SECOND)
#define STALE_KEYS_MAX 100

struct menu_console {
    EFI_EVENT tick;
    struct menu_screens screens;
};

static unsigned key_of(EFI_INPUT_KEY key)
{
    switch (key.ScanCode) {
    case SCAN_UP: return MENU_KEY_UP;
    case SCAN_DOWN: return MENU_KEY_DOWN;
    case SCAN_ESC: return MENU_KEY_ESC;
    case SCAN_F1: return MENU_KEY_HELP;
    default: break;
    }
    switch (key.UnicodeChar) {
    case CHAR_CARRIAGE_RETURN:
    case CHAR_LINEFEED: return MENU_KEY_ENTER;
    case CHAR_BACKSPACE:
    case 0x7f: /* as terminals send it */ return MENU_KEY_BACKSPACE;
    case 0x1b: return MENU_KEY_ESC;
    default:
        return key.UnicodeChar >= ' ' && key.UnicodeChar <= '~' ? key.UnicodeChar : MENU_KEY_OTHER;
    }
}

static bool read_key(unsigned *ret_key)
{
    EFI_INPUT_KEY key;

    if (EFI_ERROR(ST->ConIn->ReadKeyStroke(ST->ConIn, &key)))
        return false;
    *ret_key = key_of(key);
    return true;
}

/*
 * EDK2's console input is always there. A keyboard is on a handle of its own, which, other than the
 * console's, has a device path.
 */
static bool has_keyboard(void)
{
    EFI_HANDLE *handle;
    UINTN n;
    bool found = false;

    if (!ST->ConIn ||
        EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &TextInProtocol, NULL, &n, &handle)))
        return false;
    for (UINTN i = 0; i < n; i++) {
        void *path;

        found |= !EFI_ERROR(BS->HandleProtocol(handle[i], &DevicePathProtocol, &path));
    }
    BS->FreePool(handle);
    return found;
}

/* Starts the menu's timer. False: firmware has none. */
static bool open_tick(EFI_EVENT *ret_tick)
{
    if (EFI_ERROR(BS->CreateEvent(EVT_TIMER, TPL_APPLICATION, NULL, NULL, ret_tick)))
        return false;
    if (!EFI_ERROR(BS->SetTimer(*ret_tick, TimerPeriodic, TICK_100_NS)))
        return true;
    BS->CloseEvent(*ret_tick);
    return false;
}

/* False: firmware has no screen, or no timer. */
static bool open_console(struct menu_console *c, enum framebuffer_turn turn)
{
    unsigned stale;

    if (!ST->ConOut || !open_tick(&c->tick))
        return false;
    if (!menu_screens_open(&c->screens, turn)) {
        BS->CloseEvent(c->tick);
        return false;
    }
    /* Keys that were meant for another program, such as a boot menu. */
    for (int i = 0; i < STALE_KEYS_MAX && read_key(&stale); i++) {
    }
    return true;
}

static void close_console(struct menu_console *c)
{
    BS->CloseEvent(c->tick);
    menu_screens_close(&c->screens);
}

/* Before it, as some firmware hangs then, there is a notice of what to do. */
static void try_all_cpus(struct menu_console *c, struct menu *menu)
{
    char notice[WARNING_TEXT_MAX];

    if (!menu->texts.machine || !menu->texts.machine->try_all)
        return;
    string_copy(notice, menu->notice, sizeof(notice));
    string_copy(menu->notice,
                "Timing all CPUs. If this stays, firmware hangs: restart; it is not tried again.",
                sizeof(menu->notice));
    menu_screens_show(&c->screens, menu);
    menu->texts.machine->try_all();
    string_copy(menu->notice, notice, sizeof(menu->notice));
}

/* The next key, or a second. Keys are read at each tick, too: some firmware signals none. */
static enum menu_action wait(const struct menu_console *c, struct menu *menu, bool *ret_is_key)
{
    EFI_EVENT events[] = { c->tick, ST->ConIn->WaitForKey };
    unsigned ticks = 0, key;

    *ret_is_key = false;
    while (!read_key(&key)) {
        UINTN which = 0;

        if (EFI_ERROR(BS->WaitForEvent(2, events, &which)))
            BS->Stall(TICK_100_NS / 10);
        if (which == 0 && ++ticks == TICKS_A_SECOND)
            return menu_second(menu);
    }
    *ret_is_key = true;
    return menu_key(menu, key);
}

static void save(struct menu *menu, const struct menu_saver *saver)
{
    char words[2048], notice[WARNING_TEXT_MAX];
    struct fmt_buffer w = fmt_buffer_make(words, sizeof(words));
    struct fmt_buffer n = fmt_buffer_make(notice, sizeof(notice));

    menu_words(menu, &w);
    saver->save(saver->ctx, words, &n);
    menu_saved(menu, notice);
}

static void write_report(struct menu *menu, const struct menu_saver *saver)
{
    char notice[WARNING_TEXT_MAX];
    struct fmt_buffer n = fmt_buffer_make(notice, sizeof(notice));

    saver->write_report(saver->ctx, menu->row, &n);
    menu_written(menu, notice);
}

static void guard(struct menu *menu, enum menu_action action, const struct menu_saver *saver)
{
    char notice[WARNING_TEXT_MAX] = "";
    struct fmt_buffer n = fmt_buffer_make(notice, sizeof(notice));

    saver->guard(saver->ctx, action, menu->guard_choice, &n);
    menu_guard_done(menu, notice);
}

static enum menu_action diagnose(struct menu *menu, enum menu_action action,
                                 const struct menu_saver *saver)
{
    char notice[WARNING_TEXT_MAX] = "";
    struct fmt_buffer n = fmt_buffer_make(notice, sizeof(notice));

    saver->diagnose(saver->ctx, action, menu->diagnosis_choice, &n);
    return menu_diagnosis_done(menu, notice);
}

/* What the screen itself cannot do. Returns what follows from it. */
static enum menu_action act(struct menu *menu, enum menu_action action,
                            const struct menu_saver *saver)
{
    switch (action) {
    case MENU_SAVES: save(menu, saver); break;
    case MENU_WRITES: write_report(menu, saver); break;
    case MENU_OPENS_GUARD:
    case MENU_ASKS_GUARD:
    case MENU_CHANGES_GUARD: guard(menu, action, saver); break;
    case MENU_OPENS_DIAGNOSIS:
    case MENU_DIAGNOSES: return diagnose(menu, action, saver);
    default: return action;
    }
    return MENU_CONTINUES;
}

struct menu_end menu_run(const struct menu_texts *texts, const struct menu_saver *saver,
                         struct fmt_buffer *out)
{
    static struct menu_console console;
    static struct menu menu;
    unsigned seconds = menu_seconds(texts);
    enum menu_action action = MENU_CONTINUES;
    bool is_key;

    if (!seconds || !has_keyboard() || !open_console(&console, menu_turn(texts)))
        return (struct menu_end){ false, false };
    menu_begin(&menu, texts, seconds);
    while (action == MENU_CONTINUES) {
        menu_screens_show(&console.screens, &menu);
        action = act(&menu, wait(&console, &menu, &is_key), saver);
        if (is_key && action == MENU_CONTINUES)
            try_all_cpus(&console, &menu);
    }
    close_console(&console);
    if (action == MENU_RESTARTS)
        RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
    if (action == MENU_POWERS_OFF)
        RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    menu_words(&menu, out);
    return (struct menu_end){ .leaves = action != MENU_STARTS, .wrong_is_shown = menu.shows_wrong };
}

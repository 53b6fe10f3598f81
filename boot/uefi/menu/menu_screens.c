// SPDX-License-Identifier: MIT
#include "menu_screens.h"

#include <efilib.h>

#include "lib/minmax.h"
#include "lib/string.h"

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

bool menu_screens_open(struct menu_screens *screens, enum framebuffer_turn turn)
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

void menu_screens_show(struct menu_screens *screens, const struct menu *menu)
{
    if (screens->pixels.gop)
        show_pixels(&screens->pixels, menu);
    for (unsigned i = 0; i < screens->n_texts; i++)
        show_text(&screens->text[i], menu);
}

void menu_screens_close(struct menu_screens *screens)
{
    clear();
    if (screens->pixels.gop)
        BS->FreePages(screens->pixels.picture, screens->pixels.pages);
}

// SPDX-License-Identifier: MIT
#include "menu.h"

#include <efi.h>
#include <efilib.h>

#include "lib/string.h"
#include "menu_screens.h"

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

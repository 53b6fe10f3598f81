// SPDX-License-Identifier: MIT
#include "boot/uefi/menu/menu.h"

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

EFI_GUID TextInProtocol = { .Data1 = 1 };
EFI_GUID DevicePathProtocol = { .Data1 = 2 };
EFI_GUID TextOutProtocol = { .Data1 = 3 };
EFI_GUID GraphicsOutputProtocol = { .Data1 = 4 };

static EFI_SYSTEM_TABLE table;

#define ROWS_MAX    60
#define COLUMNS_MAX 200

/* Firmware with a console; time passes while the menu waits. */
static struct {
    unsigned n_input_handles; /* the first is the console's own, without a device path */
    const EFI_INPUT_KEY *stale, *keys;
    unsigned n_stale, n_keys;
    unsigned tick_of_keys; /* when the keys come */
    unsigned ticks, events;
    bool has_timer;
    UINTN columns, rows, x, y;
    char text[ROWS_MAX][COLUMNS_MAX];
    unsigned written, cleared;
    bool has_gop;
    UINT32 width, height;                /* of its screen */
    EFI_GRAPHICS_OUTPUT_BLT_PIXEL *seen; /* on it */
    unsigned copies, allocated;
    UINTN copied_rows;
    EFI_RESET_TYPE reset;
} firmware;

INTN CompareMem(IN CONST VOID *a, IN CONST VOID *b, IN UINTN n)
{
    return memcmp(a, b, n);
}

/* Of the handles 1 and 2 for text output the second is on a serial port. */
static EFI_STATUS EFIAPI locate(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key,
                                UINTN *n, EFI_HANDLE **handles)
{
    assert_true(protocol->Data1 == 1 || protocol->Data1 == 3);
    *n = protocol->Data1 == 3 ? 2 : firmware.n_input_handles;
    if (!*n)
        return EFI_NOT_FOUND;
    *handles = calloc(*n, sizeof(EFI_HANDLE));
    for (UINTN i = 0; i < *n; i++)
        (*handles)[i] = (EFI_HANDLE)(i + 1);
    return EFI_SUCCESS;
}

static UART_DEVICE_PATH uart_path[2] = {
    { .Header = { MESSAGING_DEVICE_PATH, MSG_UART_DP, { sizeof(UART_DEVICE_PATH), 0 } } },
    { .Header = { END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, { 4, 0 } } },
};

static EFI_STATUS EFIAPI locate_one(EFI_GUID *protocol, VOID *registration, VOID **interface);

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, VOID **interface)
{
    if (protocol->Data1 == 4)
        return locate_one(protocol, NULL, interface);
    if (handle == (EFI_HANDLE)1)
        return EFI_UNSUPPORTED;
    *interface = protocol->Data1 == 2 ? (void *)uart_path : (void *)table.ConOut;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *block)
{
    free(block);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL tpl, EFI_EVENT_NOTIFY notify,
                                      VOID *context, EFI_EVENT *event)
{
    if (!firmware.has_timer)
        return EFI_OUT_OF_RESOURCES;
    firmware.events++;
    *event = &firmware;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
    assert_int_equal(time, 1000000); /* 100 ms */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    firmware.events--;
    return EFI_SUCCESS;
}

/* Of firmware that never signals a key. */
static EFI_STATUS EFIAPI wait_for_event(UINTN n, EFI_EVENT *event, UINTN *which)
{
    *which = 0;
    assert_true(++firmware.ticks < 100000);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_key(SIMPLE_INPUT_INTERFACE *in, EFI_INPUT_KEY *key)
{
    if (firmware.n_stale) {
        firmware.n_stale--;
        *key = *firmware.stale++;
        return EFI_SUCCESS;
    }
    if (!firmware.n_keys || firmware.ticks < firmware.tick_of_keys)
        return EFI_NOT_READY;
    firmware.n_keys--;
    *key = *firmware.keys++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN mode, UINTN *columns,
                                    UINTN *rows)
{
    *columns = firmware.columns;
    *rows = firmware.rows;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_attribute(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN attribute)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN x, UINTN y)
{
    assert_true(x < firmware.columns && y < firmware.rows);
    firmware.x = x;
    firmware.y = y;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI output(SIMPLE_TEXT_OUTPUT_INTERFACE *out, CHAR16 *text)
{
    for (; *text; text++) {
        assert_true(firmware.x + 1 < firmware.columns); /* no line is full: that would scroll */
        firmware.text[firmware.y][firmware.x++] = (char)*text;
    }
    firmware.written++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI clear(SIMPLE_TEXT_OUTPUT_INTERFACE *out)
{
    memset(firmware.text, 0, sizeof(firmware.text));
    firmware.cleared++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI enable_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *out, BOOLEAN on)
{
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI blt(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, EFI_GRAPHICS_OUTPUT_BLT_PIXEL *from,
                             EFI_GRAPHICS_OUTPUT_BLT_OPERATION operation, UINTN from_x,
                             UINTN from_y, UINTN x, UINTN y, UINTN width, UINTN height, UINTN delta)
{
    assert_int_equal(operation, EfiBltBufferToVideo);
    assert_true(from_x == x && from_y == y && delta == firmware.width * 4);
    assert_true(x + width <= firmware.width && y + height <= firmware.height && height);
    for (UINTN row = y; row < y + height; row++)
        memcpy(firmware.seen + row * firmware.width + x, from + row * firmware.width + x,
               width * 4);
    firmware.copies++;
    firmware.copied_rows = height;
    return EFI_SUCCESS;
}

static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION graphics;
static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE graphics_mode = { .Info = &graphics };
static EFI_GRAPHICS_OUTPUT_PROTOCOL gop = { .Blt = blt, .Mode = &graphics_mode };

static EFI_STATUS EFIAPI locate_one(EFI_GUID *protocol, VOID *registration, VOID **interface)
{
    if (!firmware.has_gop)
        return EFI_NOT_FOUND;
    graphics.HorizontalResolution = firmware.width;
    graphics.VerticalResolution = firmware.height;
    *interface = &gop;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory, UINTN pages,
                                  EFI_PHYSICAL_ADDRESS *ret)
{
    firmware.allocated++;
    *ret = (UINTN)malloc(pages * 4096);
    return *ret ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
    firmware.allocated--;
    free((void *)(UINTN)at);
    return EFI_SUCCESS;
}

/* A machine that cannot. */
static EFI_STATUS EFIAPI reset(EFI_RESET_TYPE type, EFI_STATUS status, UINTN n, CHAR16 *data)
{
    firmware.reset = type;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .ResetSystem = reset };
EFI_RUNTIME_SERVICES *RT = &runtime;

static EFI_BOOT_SERVICES services = { .LocateProtocol = locate_one,
                                      .AllocatePages = allocate,
                                      .FreePages = free_pages,
                                      .LocateHandleBuffer = locate,
                                      .HandleProtocol = handle_protocol,
                                      .FreePool = free_pool,
                                      .CreateEvent = create_event,
                                      .SetTimer = set_timer,
                                      .CloseEvent = close_event,
                                      .WaitForEvent = wait_for_event };
static SIMPLE_INPUT_INTERFACE input = { .ReadKeyStroke = read_key };
static SIMPLE_TEXT_OUTPUT_MODE mode;
static SIMPLE_TEXT_OUTPUT_INTERFACE screen = { .OutputString = output,
                                               .QueryMode = query_mode,
                                               .SetAttribute = set_attribute,
                                               .SetCursorPosition = set_cursor,
                                               .ClearScreen = clear,
                                               .EnableCursor = enable_cursor,
                                               .Mode = &mode };
EFI_BOOT_SERVICES *BS = &services;
EFI_SYSTEM_TABLE *ST = &table;

static char saved[300], seen[ROWS_MAX][COLUMNS_MAX];

static void save(void *ctx, const char *words, struct fmt_buffer *message)
{
    strcpy(saved, words);
    fmt_append(message, "Saved.");
    memcpy(seen, firmware.text, sizeof(seen)); /* the screen before it */
}

static struct menu_report report;

static void write_report(void *ctx, unsigned volume, struct fmt_buffer *message)
{
    assert_int_equal(volume, 1);
    fmt_append(message, "It is on the second one.");
    report.n_volumes = 0;
}

static void make_firmware(void)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.n_input_handles = 2;
    firmware.has_timer = true;
    firmware.columns = 80;
    firmware.rows = 25;
    table.ConIn = &input;
    table.ConOut = &screen;
    saved[0] = 0;
}

static const char *run(const char *conf)
{
    static char chosen[300];
    struct fmt_buffer out = fmt_buffer_make(chosen, sizeof(chosen));

    menu_run(&(struct menu_texts){ .text = { conf, "", "" } }, &(struct menu_saver){ .save = save },
             &out);
    assert_int_equal(firmware.events, 0);
    return chosen;
}

TEST(counts_down_by_the_clock)
{
    make_firmware();
    assert_string_equal(run("menu=3"), "");
    assert_int_equal(firmware.ticks, 30);
    /* The whole screen once, then a line a second. */
    assert_in_range(firmware.written, 24, 24 + 3);
}

TEST(goes_on_at_once)
{
    make_firmware();
    run("menu=0");
    assert_int_equal(firmware.ticks + firmware.written, 0);

    for (int missing = 0; missing < 5; missing++) {
        make_firmware();
        if (missing < 2)
            firmware.n_input_handles = (unsigned)missing; /* 1: EDK2's console without a device */
        else if (missing == 2)
            table.ConIn = NULL;
        else if (missing == 3)
            table.ConOut = NULL;
        else
            firmware.has_timer = false;
        assert_string_equal(run(""), "");
        assert_int_equal(firmware.ticks + firmware.written, 0);
    }
}

TEST(takes_keys)
{
    static const EFI_INPUT_KEY keys[] = {
        { .ScanCode = 0x0c }, /* F2: any key */
        { .ScanCode = SCAN_DOWN }, { .ScanCode = SCAN_DOWN }, { .ScanCode = SCAN_UP },
        { .UnicodeChar = '8' },    { .UnicodeChar = '3' },    { .UnicodeChar = 0x08 },
        { .UnicodeChar = '7' },    { .UnicodeChar = 0x0d },   { .ScanCode = SCAN_ESC },
        { .UnicodeChar = '9' },    { .UnicodeChar = '3' }, /* save */
        { .ScanCode = SCAN_DOWN }, { .UnicodeChar = 0x0d },
    };
    static const EFI_INPUT_KEY stale[] = { { .UnicodeChar = '4' }, { .UnicodeChar = '4' } };

    make_firmware();
    firmware.stale = stale;
    firmware.n_stale = 2; /* pressed before the menu was there */
    firmware.keys = keys;
    firmware.n_keys = sizeof(keys) / sizeof(keys[0]);
    firmware.tick_of_keys = 25;
    assert_string_equal(run(""), "tests=standard bandwidth=quick passes=7");
    assert_string_equal(saved, "tests=quick bandwidth=quick passes=7");
    assert_int_equal(firmware.n_keys, 0);
    assert_non_null(strstr(seen[0], "save to okram.conf"));
}

static struct menu_machine machine;
static unsigned n_tries, lines_before;

static void try_all(void)
{
    n_tries++;
    machine.try_all = NULL;
    lines_before = 0;
    for (unsigned row = 0; row < firmware.rows; row++)
        lines_before += strstr(firmware.text[row], "Timing all CPUs") != NULL;
}

static double nothing(const struct test *test)
{
    return 0;
}

static void run_with_machine(const EFI_INPUT_KEY *keys, unsigned n_keys)
{
    struct menu_texts texts = { .text = { "menu=3", "", "" }, .machine = &machine };
    char chosen[300];
    struct fmt_buffer out = fmt_buffer_make(chosen, sizeof(chosen));

    make_firmware();
    machine = (struct menu_machine){ .n_cpus = 2, .seconds_a_byte = nothing, .try_all = try_all };
    n_tries = 0;
    firmware.keys = keys;
    firmware.n_keys = n_keys;
    firmware.tick_of_keys = 5;
    menu_run(&texts, &(struct menu_saver){ .save = save }, &out);
}

/* Where firmware hangs then, a count-down and the key of a test start it none the less. */
TEST(tries_all_cpus_for_a_person_alone)
{
    static const EFI_INPUT_KEY keys[] = { { .UnicodeChar = ' ' },
                                          { .ScanCode = SCAN_DOWN },
                                          { .UnicodeChar = '3' } };

    run_with_machine(NULL, 0);
    assert_int_equal(n_tries, 0);
    run_with_machine(keys + 2, 1);
    assert_int_equal(n_tries, 0);
    run_with_machine(keys, 3);
    assert_int_equal(n_tries, 1);
    assert_int_equal(lines_before, 1);
    for (unsigned row = 0; row < firmware.rows; row++)
        assert_null(strstr(firmware.text[row], "Timing all CPUs"));
}

TEST(writes_the_report)
{
    static const EFI_INPUT_KEY keys[] = {
        { .UnicodeChar = ' ' }, { .UnicodeChar = 'l' }, { .UnicodeChar = '2' },
        { .UnicodeChar = '1' }, /* back */
        { .UnicodeChar = '9' }, { .UnicodeChar = '3' }, { .UnicodeChar = '2' },
    };
    struct menu_texts texts = { .text = { "", "", "" }, .report = &report };
    char chosen[300];
    struct fmt_buffer out = fmt_buffer_make(chosen, sizeof(chosen));

    make_firmware();
    report = (struct menu_report){ .n_volumes = 2, .volume = { "A", "B" } };
    firmware.keys = keys;
    firmware.n_keys = sizeof(keys) / sizeof(keys[0]);
    firmware.tick_of_keys = 5;
    menu_run(&texts, &(struct menu_saver){ .save = save, .write_report = write_report }, &out);
    assert_int_equal(firmware.n_keys, 0);
    assert_int_equal(report.n_volumes, 0);
    assert_string_equal(saved, "tests=quick bandwidth=quick passes=1");
}

/* Nothing is written outside, and nothing scrolls. */
TEST(fits_every_text_mode)
{
    static const UINTN modes[][2] = {
        { 80, 25 }, { 80, 50 }, { 100, 31 }, { 160, 53 }, { 40, 10 }
    };

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        make_firmware();
        firmware.columns = modes[i][0];
        firmware.rows = modes[i][1];
        run("menu=1");
        assert_true(firmware.written > 0);
    }
}

/* The whole menu on the serial port, and in pixels; a second changes only a row of these. */
TEST(draws_on_pixels_of_every_size)
{
    static const UINT32 sizes[][2] = { { 640, 480 }, { 800, 600 }, { 1280, 800 }, { 3840, 2160 } };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = (size_t)sizes[i][0] * sizes[i][1], lit = 0;

        make_firmware();
        firmware.has_gop = true;
        firmware.width = sizes[i][0];
        firmware.height = sizes[i][1];
        firmware.seen = calloc(n, 4);
        run("menu=3");
        for (size_t p = 0; p < n; p++)
            lit += firmware.seen[p].Red > 100;
        assert_true(lit > n / 200 && lit < n / 4);
        assert_int_equal(firmware.copies, 4);
        assert_true(firmware.copied_rows <= firmware.height / 24);
        assert_int_equal(firmware.allocated, 0);
        assert_in_range(firmware.written, 24, 24 + 3);
        free(firmware.seen);
    }
}

/* What is no screen, or too small: text, as without pixels. */
TEST(falls_back_to_text)
{
    static const UINT32 sizes[][2] = {
        { 0, 0 }, { 320, 200 }, { UINT32_MAX, UINT32_MAX }, { 32768, 32768 }
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        make_firmware();
        firmware.has_gop = true;
        firmware.width = sizes[i][0];
        firmware.height = sizes[i][1];
        run("menu=3");
        assert_int_equal(firmware.copies + firmware.allocated, 0);
        assert_in_range(firmware.written, 24, 24 + 3);
    }
}

TEST(leaves_restarts_and_switches_off)
{
    static const struct {
        CHAR16 key;
        EFI_RESET_TYPE reset;
    } cases[] = { { 's', -1 }, { 'x', EfiResetCold }, { 'o', EfiResetShutdown } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const EFI_INPUT_KEY keys[] = { { .UnicodeChar = ' ' }, { .UnicodeChar = cases[i].key } };
        char chosen[300];
        struct fmt_buffer out = fmt_buffer_make(chosen, sizeof(chosen));

        make_firmware();
        firmware.reset = (EFI_RESET_TYPE)-1;
        firmware.keys = keys;
        firmware.n_keys = 2;
        firmware.tick_of_keys = 5;
        assert_true(menu_run(&(struct menu_texts){ .text = { "", "", "" } },
                             &(struct menu_saver){ .save = save }, &out)
                        .leaves);
        assert_int_equal(firmware.reset, cases[i].reset);
        assert_int_equal(firmware.events, 0);
    }
}

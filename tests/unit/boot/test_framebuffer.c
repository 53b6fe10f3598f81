// SPDX-License-Identifier: MIT
/* Which screen and which of its modes the loader takes, on firmware that the test plays. */
#define _GNU_SOURCE

#include <efi.h>
#include <efilib.h>

#include "../../../boot/uefi/framebuffer.h"
#include "tests/unit/unit.h"

#define SCREENS_MAX 3
#define MODES_SHOWN 4
#define BASE        UINT64_C(0xc0000000)
#define BGR         PixelBlueGreenRedReserved8BitPerColor

struct mode {
    UINT32 width, height, line;
    EFI_GRAPHICS_PIXEL_FORMAT format;
};

static struct screen {
    EFI_GRAPHICS_OUTPUT_PROTOCOL gop;
    EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE state;
    EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info;
    struct mode mode[MODES_SHOWN];
    bool has_console;
    unsigned refused; /* a bit for each mode that cannot be set */
    unsigned set;     /* calls of SetMode */
} screens[SCREENS_MAX];
static UINTN n_screens;
static int allocated;

EFI_GUID GraphicsOutputProtocol = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;

static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info_of(struct mode m)
{
    return (EFI_GRAPHICS_OUTPUT_MODE_INFORMATION){
        .HorizontalResolution = m.width,
        .VerticalResolution = m.height,
        .PixelFormat = m.format,
        .PixelsPerScanLine = m.line,
    };
}

static EFI_STATUS EFIAPI query_mode(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, UINT32 number, UINTN *size,
                                    EFI_GRAPHICS_OUTPUT_MODE_INFORMATION **info)
{
    struct screen *s = (struct screen *)gop;

    if (number >= MODES_SHOWN || !s->mode[number].width)
        return EFI_INVALID_PARAMETER;
    *info = malloc(sizeof(**info));
    **info = info_of(s->mode[number]);
    *size = sizeof(**info);
    allocated++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_mode(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, UINT32 number)
{
    struct screen *s = (struct screen *)gop;

    s->set++;
    if (s->refused & 1u << number)
        return EFI_DEVICE_ERROR;
    s->info = info_of(s->mode[number]);
    s->state.Mode = number;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, void **interface)
{
    struct screen *s = handle;

    if (memcmp(protocol, &GraphicsOutputProtocol, sizeof(EFI_GUID)) == 0)
        *interface = &s->gop;
    else if (!s->has_console)
        return EFI_UNSUPPORTED;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .HandleProtocol = handle_protocol };
EFI_BOOT_SERVICES *BS = &services;

EFI_STATUS LibLocateHandle(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *protocol, VOID *key, UINTN *n,
                           EFI_HANDLE **handles)
{
    if (!n_screens)
        return EFI_NOT_FOUND;
    *handles = malloc(n_screens * sizeof(**handles));
    allocated++;
    for (UINTN i = 0; i < n_screens; i++)
        (*handles)[i] = &screens[i];
    *n = n_screens;
    return EFI_SUCCESS;
}

VOID FreePool(VOID *p)
{
    allocated--;
    free(p);
}

static struct screen *add_screen(struct mode now, const struct mode *modes, UINT32 n)
{
    struct screen *s = &screens[n_screens++];

    s->gop = (EFI_GRAPHICS_OUTPUT_PROTOCOL){ .QueryMode = query_mode,
                                             .SetMode = set_mode,
                                             .Mode = &s->state };
    s->state.MaxMode = n;
    s->state.Info = &s->info;
    s->state.FrameBufferBase = BASE + (n_screens - 1) * 0x10000000;
    s->info = info_of(now);
    memcpy(s->mode, modes, n * sizeof(*modes));
    return s;
}

static int set_up(void **state)
{
    memset(screens, 0, sizeof(screens));
    n_screens = 0;
    allocated = 0;
    return 0;
}

static int tear_down(void **state)
{
    return allocated;
}

TEST(chooses_a_mode, set_up, tear_down)
{
    static const struct {
        struct mode now, mode[MODES_SHOWN];
        unsigned refused;
        uint32_t width, height, pitch;
        unsigned set;
    } cases[] = {
        /* Sound and large: stays, whatever else there is. */
        { { 1920, 1080, 1920, BGR }, { { 1024, 768, 1024, BGR } }, 0, 1920, 1080, 7680, 0 },
        { { 800, 600, 800, BGR }, { { 1024, 768, 1024, BGR } }, 0, 800, 600, 3200, 0 },
        { { 1366, 768, 1376, BGR }, { { 0 } }, 0, 1366, 768, 5504, 0 },
        /* Too small: the smallest that is not. */
        { { 640, 480, 640, BGR },
          { { 640, 480, 640, BGR }, { 1280, 800, 1280, BGR }, { 1024, 768, 1024, BGR } },
          0,
          1024,
          768,
          4096,
          1 },
        { { 799, 600, 800, BGR }, { { 800, 600, 800, BGR } }, 0, 800, 600, 3200, 1 },
        { { 640, 480, 640, BGR }, { { 800, 599, 800, BGR } }, 0, 800, 599, 3200, 1 },
        { { 640, 480, 640, BGR }, { { 640, 480, 640, BGR } }, 0, 640, 480, 2560, 0 },
        /* That cannot be set: the next one. */
        { { 640, 480, 640, BGR },
          { { 800, 600, 800, BGR }, { 1280, 800, 1280, BGR }, { 1024, 768, 1024, BGR } },
          1 | 4,
          1280,
          800,
          5120,
          3 },
        { { 640, 480, 640, BGR }, { { 800, 600, 800, BGR } }, 1, 640, 480, 2560, 1 },
        /* A row of memory is shorter than one of the screen: another mode. */
        { { 1280, 800, 1279, BGR },
          { { 1280, 800, 1279, BGR }, { 640, 480, 640, BGR }, { 1920, 1080, 1920, BGR } },
          0,
          1920,
          1080,
          7680,
          1 },
        { { 1280, 800, 0, BGR },
          { { 1280, 800, 0, BGR }, { 640, 480, 640, BGR } },
          0,
          640,
          480,
          2560,
          1 },
        /* The list is right about the same mode. */
        { { 1280, 800, 0, BGR }, { { 1280, 800, 1280, BGR } }, 0, 1280, 800, 5120, 1 },
        /* There is no other: as much of the width as can be; or the kernel refuses it. */
        { { 1280, 800, 800, BGR }, { { 1280, 800, 800, BGR } }, 0, 800, 800, 3200, 0 },
        { { 1280, 800, 799, BGR }, { { 1280, 800, 799, BGR } }, 0, 1280, 800, 3196, 0 },
        { { 1280, 800, 1024, BGR }, { { 1024, 768, 1024, BGR } }, 1, 1024, 800, 4096, 1 },
        /* Not linear: a linear one. */
        { { 1280, 800, 1280, PixelBltOnly },
          { { 1280, 800, 1280, PixelBltOnly }, { 800, 600, 800, BGR } },
          0,
          800,
          600,
          3200,
          1 },
        { { 1280, 800, 1280, PixelBltOnly }, { { 1280, 800, 1280, PixelBltOnly } }, 0, 0, 0, 0, 0 },
        /* Sizes that no screen has. */
        { { 800, 600, 0x40000200, BGR }, { { 1024, 768, 1024, BGR } }, 0, 1024, 768, 4096, 1 },
        { { 0, 0, 0, BGR }, { { 1024, 768, 1024, BGR } }, 0, 1024, 768, 4096, 1 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct boot_framebuffer fb;
        struct screen *s;

        set_up(state);
        s = add_screen(cases[i].now, cases[i].mode, MODES_SHOWN);
        s->refused = cases[i].refused;
        fb = framebuffer_set_up();
        if (fb.width != cases[i].width || s->set != cases[i].set)
            print_error("case %zu\n", i);
        assert_int_equal(fb.width, cases[i].width);
        assert_int_equal(fb.height, cases[i].height);
        assert_int_equal(fb.pitch, cases[i].pitch);
        assert_int_equal(fb.base, cases[i].width ? BASE : 0);
        assert_int_equal(fb.bits_per_pixel, cases[i].width ? 32 : 0);
        assert_int_equal(s->set, cases[i].set);
        assert_int_equal(allocated, 0);
    }
}

TEST(chooses_a_screen, set_up, tear_down)
{
    static const struct mode sound = { 1024, 768, 1024, BGR };
    static const struct mode blt = { 1024, 768, 1024, PixelBltOnly };
    static const struct mode none[1];

    assert_int_equal(framebuffer_set_up().base, 0);

    /* The one with the console. */
    add_screen(sound, none, 0);
    add_screen(sound, none, 0)->has_console = true;
    assert_int_equal(framebuffer_set_up().base, BASE + 0x10000000);

    /* It has another mode that can be used. */
    set_up(state);
    add_screen(sound, none, 0);
    add_screen(blt, &sound, 1)->has_console = true;
    assert_int_equal(framebuffer_set_up().base, BASE + 0x10000000);

    /* It has none. */
    set_up(state);
    add_screen(blt, &blt, 1)->has_console = true;
    add_screen(blt, &sound, 1);
    add_screen(sound, none, 0);
    assert_int_equal(framebuffer_set_up().base, BASE + 0x20000000);
}

/* Firmware that describes its modes by nothing, or by more than it has. */
TEST(survives_broken_firmware, set_up, tear_down)
{
    static const struct mode sound = { 1024, 768, 1024, BGR }, small = { 640, 480, 640, BGR };
    static const struct mode none[1];

    add_screen(sound, none, 0)->gop.Mode = NULL;
    add_screen(sound, none, 0)->state.Info = NULL;
    assert_int_equal(framebuffer_set_up().base, 0);

    set_up(state);
    add_screen(small, &sound, 1)->state.MaxMode = UINT32_MAX;
    assert_int_equal(framebuffer_set_up().width, 1024);

    set_up(state);
    add_screen(sound, none, 0)->state.FrameBufferBase = 0;
    assert_int_equal(framebuffer_set_up().base, 0);
}

// SPDX-License-Identifier: MIT
#include "framebuffer.h"

#include <stdbool.h>

#include <efi.h>
#include <efilib.h>

/* Less than this is not readable from a distance: the mode is changed if possible. */
#define WIDTH_MIN  800
#define HEIGHT_MIN 600

#define PIXELS_MAX 32768u /* each way: more is not a screen */
#define MODES_MAX  256    /* that are looked at */

/* The handles of firmware's console have it (EDK2, ConsoleOutDevice.h; not in gnu-efi). */
static EFI_GUID console_out_device_guid = {
    0xd3b36f2c, 0xd551, 0x11d4, { 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d }
};

typedef EFI_GRAPHICS_OUTPUT_PROTOCOL screen_protocol;
typedef EFI_GRAPHICS_OUTPUT_MODE_INFORMATION screen_mode;

static bool is_linear(const screen_mode *mode)
{
    return mode->PixelFormat < PixelBltOnly && mode->HorizontalResolution <= PIXELS_MAX &&
           mode->VerticalResolution <= PIXELS_MAX && mode->PixelsPerScanLine <= PIXELS_MAX;
}

/*
 * Firmware may report that a row of the screen is longer than a row of memory, which is impossible.
 */
static bool is_usable(const screen_mode *mode)
{
    return is_linear(mode) && mode->HorizontalResolution && mode->VerticalResolution &&
           mode->PixelsPerScanLine >= mode->HorizontalResolution;
}

static bool is_large(const screen_mode *mode)
{
    return mode->HorizontalResolution >= WIDTH_MIN && mode->VerticalResolution >= HEIGHT_MIN;
}

static bool is_on(const screen_protocol *gop)
{
    return is_usable(gop->Mode->Info) && gop->Mode->FrameBufferBase;
}

/* False: there is no such mode, or it cannot be used. */
static bool usable_mode(screen_protocol *gop, UINT32 number, screen_mode *ret_mode)
{
    screen_mode *mode = NULL;
    UINTN size = 0;

    if (EFI_ERROR(gop->QueryMode(gop, number, &size, &mode)) || !mode)
        return false;
    *ret_mode = *mode;
    FreePool(mode);
    return is_usable(ret_mode);
}

static UINT32 n_modes(const screen_protocol *gop)
{
    return gop->Mode->MaxMode < MODES_MAX ? gop->Mode->MaxMode : MODES_MAX;
}

static bool has_usable_mode(screen_protocol *gop)
{
    screen_mode mode;

    for (UINT32 i = 0; i < n_modes(gop); i++) {
        if (usable_mode(gop, i, &mode))
            return true;
    }
    return false;
}

/* 0: it cannot be used. A person looks at the console's screen. */
static unsigned rank_of(EFI_HANDLE handle, screen_protocol *gop)
{
    void *console;
    bool has_console = !EFI_ERROR(BS->HandleProtocol(handle, &console_out_device_guid, &console));

    if (is_on(gop))
        return has_console ? 4 : 2;
    if (has_usable_mode(gop))
        return has_console ? 3 : 1;
    return 0;
}

/* The best of all screens, or NULL. */
static screen_protocol *find_screen(void)
{
    screen_protocol *best = NULL;
    unsigned best_rank = 0;
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &GraphicsOutputProtocol, NULL, &n, &handle)))
        return NULL;
    for (UINTN i = 0; i < n; i++) {
        screen_protocol *gop = NULL;
        unsigned rank;

        if (EFI_ERROR(BS->HandleProtocol(handle[i], &GraphicsOutputProtocol, (void **)&gop)) ||
            !gop->Mode || !gop->Mode->Info)
            continue;
        rank = rank_of(handle[i], gop);
        /* The first is used even so: the kernel says what is wrong with it. */
        if (!best || rank > best_rank) {
            best = gop;
            best_rank = rank;
        }
    }
    FreePool(handle);
    return best;
}

/* Large ones before small ones; of large ones the smallest, of small ones the largest. */
static bool is_better(const screen_mode *a, const screen_mode *b)
{
    UINT64 a_pixels = (UINT64)a->HorizontalResolution * a->VerticalResolution;
    UINT64 b_pixels = (UINT64)b->HorizontalResolution * b->VerticalResolution;

    if (is_large(a) != is_large(b))
        return is_large(a);
    return is_large(a) ? a_pixels < b_pixels : a_pixels > b_pixels;
}

/* The best of the modes that have not been tried; MODES_MAX: there is none. */
static UINT32 best_mode(screen_protocol *gop, const bool *tried, screen_mode *ret_mode)
{
    UINT32 best = MODES_MAX;

    for (UINT32 i = 0; i < n_modes(gop); i++) {
        screen_mode mode;

        if (tried[i] || !usable_mode(gop, i, &mode))
            continue;
        if (best == MODES_MAX || is_better(&mode, ret_mode)) {
            best = i;
            *ret_mode = mode;
        }
    }
    return best;
}

/* Sets the best mode that firmware can set, unless the current one is as good. */
static void improve_mode(screen_protocol *gop)
{
    bool tried[MODES_MAX] = { false };

    for (;;) {
        screen_mode mode;
        UINT32 best = best_mode(gop, tried, &mode);

        if (best == MODES_MAX || (is_on(gop) && !is_better(&mode, gop->Mode->Info)))
            return;
        tried[best] = true;
        if (!EFI_ERROR(gop->SetMode(gop, best)) && is_on(gop))
            return;
    }
}

static EFI_PIXEL_BITMASK pixel_masks(const screen_mode *mode)
{
    switch (mode->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
        return (EFI_PIXEL_BITMASK){ 0x0000ff, 0x00ff00, 0xff0000, 0xff000000 };
    case PixelBlueGreenRedReserved8BitPerColor:
        return (EFI_PIXEL_BITMASK){ 0xff0000, 0x00ff00, 0x0000ff, 0xff000000 };
    default: return mode->PixelInformation;
    }
}

/* A pixel is as wide as its highest mask bit says (UEFI 2.10, 12.9.2), in whole bytes. */
static uint32_t bits_per_pixel(EFI_PIXEL_BITMASK m)
{
    uint32_t all = m.RedMask | m.GreenMask | m.BlueMask | m.ReservedMask;
    uint32_t bits = 0;

    while (bits < 32 && all >> bits)
        bits += 8;
    return bits;
}

/* If no mode is sound, only what fits in a row of memory is used. */
static uint32_t width_of(const screen_mode *mode)
{
    if (mode->PixelsPerScanLine >= WIDTH_MIN &&
        mode->PixelsPerScanLine < mode->HorizontalResolution)
        return mode->PixelsPerScanLine;
    return mode->HorizontalResolution;
}

struct boot_framebuffer framebuffer_set_up(void)
{
    screen_protocol *gop = find_screen();

    if (!gop)
        return (struct boot_framebuffer){ 0 };
    if (!is_on(gop) || !is_large(gop->Mode->Info))
        improve_mode(gop);
    const screen_mode *mode = gop->Mode->Info;
    if (!is_linear(mode))
        return (struct boot_framebuffer){ 0 };
    EFI_PIXEL_BITMASK masks = pixel_masks(mode);
    uint32_t bits = bits_per_pixel(masks);
    return (struct boot_framebuffer){
        .base = gop->Mode->FrameBufferBase,
        .width = width_of(mode),
        .height = mode->VerticalResolution,
        .pitch = mode->PixelsPerScanLine * (bits / 8),
        .bits_per_pixel = bits,
        .red_mask = masks.RedMask,
        .green_mask = masks.GreenMask,
        .blue_mask = masks.BlueMask,
    };
}

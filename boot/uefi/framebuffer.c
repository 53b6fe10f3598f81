// SPDX-License-Identifier: MIT
#include "framebuffer.h"

#include <efi.h>
#include <efilib.h>

#define WIDTH_MIN  800
#define HEIGHT_MIN 600

/* On whose handles the firmware's console is (EDK2, ConsoleOutDevice.h; not in gnu-efi). */
static EFI_GUID console_out_device_guid = {
    0xd3b36f2c, 0xd551, 0x11d4, { 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d }
};

static bool is_linear(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode)
{
    return mode->PixelFormat < PixelBltOnly;
}

static bool is_large(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode)
{
    return mode->HorizontalResolution >= WIDTH_MIN && mode->VerticalResolution >= HEIGHT_MIN;
}

/* The screen with a linear framebuffer that the console is on, else any with one, else NULL. */
static EFI_GRAPHICS_OUTPUT_PROTOCOL *find_screen(void)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *found = NULL;
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &GraphicsOutputProtocol, NULL, &n, &handle)))
        return NULL;
    for (UINTN i = 0; i < n; i++) {
        EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;
        void *console;

        if (EFI_ERROR(BS->HandleProtocol(handle[i], &GraphicsOutputProtocol, (void **)&gop)) ||
            !is_linear(gop->Mode->Info))
            continue;
        if (!found)
            found = gop;
        if (!EFI_ERROR(BS->HandleProtocol(handle[i], &console_out_device_guid, &console))) {
            found = gop;
            break;
        }
    }
    FreePool(handle);
    return found;
}

/* Goes to the smallest of the large modes, if there is one. */
static void enlarge(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop)
{
    UINT32 best = gop->Mode->MaxMode;
    UINT64 best_pixels = UINT64_MAX;

    for (UINT32 i = 0; i < gop->Mode->MaxMode; i++) {
        EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode;
        UINTN size;

        if (EFI_ERROR(gop->QueryMode(gop, i, &size, &mode)))
            continue;
        UINT64 pixels = (UINT64)mode->HorizontalResolution * mode->VerticalResolution;
        if (is_linear(mode) && is_large(mode) && pixels < best_pixels) {
            best = i;
            best_pixels = pixels;
        }
        FreePool(mode);
    }
    if (best < gop->Mode->MaxMode)
        gop->SetMode(gop, best);
}

static EFI_PIXEL_BITMASK pixel_masks(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode)
{
    switch (mode->PixelFormat) {
    case PixelRedGreenBlueReserved8BitPerColor:
        return (EFI_PIXEL_BITMASK){ 0x0000ff, 0x00ff00, 0xff0000, 0xff000000 };
    case PixelBlueGreenRedReserved8BitPerColor:
        return (EFI_PIXEL_BITMASK){ 0xff0000, 0x00ff00, 0x0000ff, 0xff000000 };
    default:
        return mode->PixelInformation;
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

struct boot_framebuffer framebuffer_set_up(void)
{
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = find_screen();

    if (!gop)
        return (struct boot_framebuffer){ 0 };
    if (!is_large(gop->Mode->Info))
        enlarge(gop);
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode = gop->Mode->Info;
    EFI_PIXEL_BITMASK masks = pixel_masks(mode);
    uint32_t bits = bits_per_pixel(masks);
    return (struct boot_framebuffer){
        .base = gop->Mode->FrameBufferBase,
        .width = mode->HorizontalResolution,
        .height = mode->VerticalResolution,
        .pitch = mode->PixelsPerScanLine * (bits / 8),
        .bits_per_pixel = bits,
        .red_mask = masks.RedMask,
        .green_mask = masks.GreenMask,
        .blue_mask = masks.BlueMask,
    };
}

// SPDX-License-Identifier: MIT
/* Starting \okram.efi of the volume that a test's program was started from. */
#pragma once

#include <efi.h>
#include <efilib.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

/* The volume; NULL: there is none. */
static inline EFI_HANDLE volume_of(EFI_HANDLE image)
{
    EFI_LOADED_IMAGE *loaded;
    EFI_STATUS status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loaded);

    return EFI_ERROR(status) ? NULL : loaded->DeviceHandle;
}

/* Returns when okram.efi has returned, or why it could not be started. */
static inline EFI_STATUS start_okram(EFI_HANDLE image)
{
    EFI_DEVICE_PATH *path = FileDevicePath(volume_of(image), L"\\okram.efi");
    EFI_HANDLE okram;
    EFI_STATUS status = BS->LoadImage(FALSE, image, path, NULL, 0, &okram);

    return EFI_ERROR(status) ? status : BS->StartImage(okram, NULL, NULL);
}

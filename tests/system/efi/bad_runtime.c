// SPDX-License-Identifier: MIT
/*
 * Starts \okram.efi with a runtime service replaced by code from \patch, from ExitBootServices on:
 * what the loader asks of firmware is answered as always. The file:
 *
 *   4 bytes  offset in EFI_RUNTIME_SERVICES of the service; 0: none
 *   4 bytes  the services that EFI_RT_PROPERTIES_TABLE lists; all ones: no such table
 *   the code page: 8 bytes for the address of the real service, 8 bytes of data, then the code
 *
 * Data that is all ones becomes the address of a page of boot services' memory.
 */
#include <efi.h>
#include <efilib.h>

#include "start_okram.h"

#define PATCH_MAX 256

static EFI_GUID properties_guid = {
    0xeb66918a, 0x7eef, 0x402a, { 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 }
};

struct patch {
    UINT32 offset, services;
    UINT64 real, data;
    UINT8 code[PATCH_MAX];
};

struct properties {
    UINT16 version, length;
    UINT32 services;
};

static EFI_STATUS read_patch(EFI_HANDLE volume, struct patch *patch)
{
    EFI_FILE_HANDLE root = LibOpenRoot(volume), file;
    UINTN bytes = sizeof(*patch);
    EFI_STATUS status;

    if (!root)
        return EFI_NOT_FOUND;
    status = root->Open(root, &file, L"\\patch", EFI_FILE_MODE_READ, 0);
    return EFI_ERROR(status) ? status : file->Read(file, &bytes, patch);
}

static UINT64 *service, replacement;

static VOID EFIAPI replace_now(EFI_EVENT event, VOID *context)
{
    *service = replacement;
}

static EFI_STATUS replace(struct patch *patch)
{
    EFI_PHYSICAL_ADDRESS page;
    EFI_EVENT event;
    EFI_STATUS status = EFI_SUCCESS;

    if (patch->data == ~0ull)
        status = BS->AllocatePages(AllocateAnyPages, EfiBootServicesData, 1, &patch->data);
    if (!EFI_ERROR(status))
        status = BS->AllocatePages(AllocateAnyPages, EfiRuntimeServicesCode, 1, &page);
    if (EFI_ERROR(status))
        return status;
    CopyMem((void *)page, (void *)&patch->real, sizeof(*patch) - 2 * sizeof(UINT32));
    service = (UINT64 *)((char *)RT + patch->offset);
    *(UINT64 *)page = *service;
    replacement = page + 2 * sizeof(UINT64);
    return BS->CreateEvent(EVT_SIGNAL_EXIT_BOOT_SERVICES, TPL_NOTIFY, replace_now, NULL, &event);
}

static EFI_STATUS list_services(UINT32 services)
{
    struct properties *table;
    EFI_STATUS status = BS->AllocatePool(EfiRuntimeServicesData, sizeof(*table), (void **)&table);

    if (EFI_ERROR(status))
        return status;
    *table = (struct properties){ 1, sizeof(*table), services };
    return BS->InstallConfigurationTable(&properties_guid, table);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static struct patch patch;
    EFI_STATUS status;

    InitializeLib(image, system_table);
    status = read_patch(volume_of(image), &patch);
    if (!EFI_ERROR(status) && patch.offset)
        status = replace(&patch);
    if (!EFI_ERROR(status) && patch.services != 0xffffffff)
        status = list_services(patch.services);
    return EFI_ERROR(status) ? status : start_okram(image);
}

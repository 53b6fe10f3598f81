// SPDX-License-Identifier: MIT
#include "volume.h"

#include <efilib.h>

#define CONF_NAME L"okram.conf"

CHAR16 *volume_own_path(const EFI_LOADED_IMAGE *loader)
{
    CHAR16 *path = loader->FilePath ? DevicePathToStr(loader->FilePath) : NULL;

    /* Between the nodes of a path of several, gnu-efi puts a slash; files know the backslash. */
    for (CHAR16 *p = path; p && *p; p++) {
        if (*p == '/')
            *p = '\\';
    }
    return path;
}

/* CONF_NAME in the directory of own_path, with no backslash doubled; NULL without memory. */
static CHAR16 *conf_path(const CHAR16 *own_path)
{
    UINTN dir = 0;
    CHAR16 *path;

    for (UINTN i = 0; own_path[i]; i++) {
        if (own_path[i] == '\\')
            dir = i + 1;
    }
    path = AllocatePool(dir * sizeof(CHAR16) + sizeof(CONF_NAME));
    if (path) {
        /* Newer gnu-efi declares the source without CONST; it is only read. */
        CopyMem(path, (VOID *)own_path, dir * sizeof(CHAR16));
        CopyMem(path + dir, CONF_NAME, sizeof(CONF_NAME));
    }
    return path;
}

/* Opens okram.conf for reading: beside the loader, else in the root. */
static EFI_STATUS open_conf(EFI_FILE *root, const CHAR16 *own_path, EFI_FILE **ret_file)
{
    CHAR16 *path = own_path ? conf_path(own_path) : NULL;
    EFI_STATUS status = EFI_NOT_FOUND;

    if (path) {
        status = root->Open(root, ret_file, path, EFI_FILE_MODE_READ, 0);
        FreePool(path);
    }
    if (EFI_ERROR(status))
        status = root->Open(root, ret_file, L"\\" CONF_NAME, EFI_FILE_MODE_READ, 0);
    return status;
}

bool volume_read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, char *out,
                      size_t out_size)
{
    EFI_FILE *root = loader->DeviceHandle ? LibOpenRoot(loader->DeviceHandle) : NULL;
    UINTN n = out_size;
    EFI_FILE *file;
    EFI_STATUS status;

    out[0] = 0;
    if (!root)
        return true;
    status = open_conf(root, own_path, &file);
    if (!EFI_ERROR(status)) {
        status = file->Read(file, &n, out);
        file->Close(file);
    }
    root->Close(root);
    if (EFI_ERROR(status)) {
        out[0] = 0;
        if (status != EFI_NOT_FOUND)
            Print(L"okram: " CONF_NAME " cannot be read (%r); continuing without it.\r\n", status);
        return true;
    }
    out[n < out_size ? n : out_size - 1] = 0;
    return n < out_size;
}

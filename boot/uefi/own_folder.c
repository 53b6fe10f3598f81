// SPDX-License-Identifier: MIT
#include "own_folder.h"

#include <efilib.h>

CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader)
{
    CHAR16 *path = loader->FilePath ? DevicePathToStr(loader->FilePath) : NULL;

    /* gnu-efi puts a slash between the nodes of a path; file names need a backslash. */
    for (CHAR16 *p = path; p && *p; p++) {
        if (*p == '/')
            *p = '\\';
    }
    return path;
}

/* The part of own_path that is the directory, without the backslashes after it. */
static UINTN directory_length(const CHAR16 *own_path)
{
    UINTN n = 0;

    for (UINTN i = 0; own_path[i]; i++) {
        if (own_path[i] == '\\')
            n = i;
    }
    while (n && own_path[n - 1] == '\\')
        n--;
    return n;
}

EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root)
{
    EFI_FILE *root = loader->DeviceHandle ? LibOpenRoot(loader->DeviceHandle) : NULL;
    UINTN n = own_path ? directory_length(own_path) : 0;
    EFI_FILE *directory = NULL;
    CHAR16 *path;

    if (!root || is_root || !n)
        return root;
    path = AllocateZeroPool((n + 1) * sizeof(CHAR16));
    if (path) {
        /* Newer gnu-efi declares the source without CONST; it is only read. */
        CopyMem(path, (VOID *)own_path, n * sizeof(CHAR16));
        if (EFI_ERROR(root->Open(root, &directory, path, EFI_FILE_MODE_READ, 0)))
            directory = NULL;
        FreePool(path);
    }
    root->Close(root);
    return directory;
}

// SPDX-License-Identifier: MIT
#include "volume.h"

#include <efilib.h>

#include "conf_edit.h"
#include "conf_file.h"
#include "file.h"
#include "lib/string.h"

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

/* The part of own_path that is the directory, without the backslashes behind it. */
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

/* The loader's directory, or NULL; with is_root the volume's root. */
static EFI_FILE *open_directory(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                                bool is_root)
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

/* EFI_NOT_FOUND: there is none, or no such directory. */
static EFI_STATUS read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                            struct volume_conf *conf, UINTN *ret_size)
{
    EFI_FILE *directory = open_directory(loader, own_path, conf->is_in_root);
    EFI_STATUS status = EFI_NOT_FOUND;

    if (directory) {
        status = conf_file_read(directory, conf->text, sizeof(conf->text), ret_size);
        directory->Close(directory);
    }
    return status;
}

void volume_read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                      struct volume_conf *ret_conf)
{
    UINTN n = 0;
    EFI_STATUS status;

    *ret_conf = (struct volume_conf){ .is_text = true };
    status = read_conf(loader, own_path, ret_conf, &n);
    if (EFI_ERROR(status)) {
        ret_conf->is_in_root = true;
        status = read_conf(loader, own_path, ret_conf, &n);
    }
    if (EFI_ERROR(status)) {
        ret_conf->is_in_root = false;
        if (status != EFI_NOT_FOUND)
            Print(L"okram: okram.conf cannot be read (%r); continuing without it.\r\n", status);
        n = 0;
    }
    ret_conf->is_cut = n == sizeof(ret_conf->text);
    n -= ret_conf->is_cut;
    ret_conf->text[n] = 0;
    ret_conf->is_text = strlen(ret_conf->text) == n;
}

void volume_save_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                      struct volume_conf *conf, const char *words, struct fmt_buffer *message)
{
    static char text[BOOT_CONF_MAX];
    EFI_FILE *directory;
    EFI_STATUS status;

    fmt_append(message, "okram.conf was not changed: ");
    if (!conf->is_text || conf->is_cut) {
        fmt_append(message, conf->is_text ? "it is longer than %d bytes." : "it is not plain text.",
                   BOOT_CONF_MAX - 1);
        return;
    }
    if (!conf_edit(conf->text, words, text, sizeof(text))) {
        fmt_append(message, "it would be longer than %d bytes.", BOOT_CONF_MAX - 1);
        return;
    }
    directory = open_directory(loader, own_path, conf->is_in_root);
    if (!directory) {
        fmt_append(message, "the loader's volume cannot be opened.");
        return;
    }
    status = conf_file_replace(directory, text, strlen(text));
    directory->Close(directory);
    if (EFI_ERROR(status)) {
        file_append_reason(status, message);
        return;
    }
    string_copy(conf->text, text, sizeof(conf->text));
    message->length = 0;
    fmt_append(message, "Saved to okram.conf: %s", words);
}

// SPDX-License-Identifier: MIT
#include "volume.h"

#include <efilib.h>

#include "file.h"
#include "lib/string.h"
#include "network/network.h"
#include "options/words.h"
#include "own_folder.h"

static const struct file_names conf_names = { L"okram.conf", L"okram.new", L"okram.old" };

/* The file: in UTF-16 two bytes a character, with room for one more, which shows that it is too
 * long. */
static char raw[2 * BOOT_CONF_MAX + 2];

/* EFI_NOT_FOUND: there is no file, or no such directory. */
static EFI_STATUS read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                            struct volume_conf *conf, UINTN *ret_size)
{
    EFI_FILE *directory = own_folder_open(loader, own_path, conf->is_in_root);
    EFI_STATUS status = EFI_NOT_FOUND;

    if (directory) {
        *ret_size = sizeof(raw);
        status = file_read_kept(directory, &conf_names, raw, ret_size);
        directory->Close(directory);
    }
    return status;
}

/* Firmware's own network boot gives the loader's handle no file system; iPXE does. */
static bool has_files(const EFI_LOADED_IMAGE *loader)
{
    EFI_FILE *root = loader->DeviceHandle ? LibOpenRoot(loader->DeviceHandle) : NULL;

    if (root)
        root->Close(root);
    return root;
}

static EFI_STATUS read_from_network(const EFI_LOADED_IMAGE *loader, UINTN *ret_size)
{
    char name[CONF_NAME_SIZE];
    EFI_STATUS status = network_conf_read(loader, raw, sizeof(raw), ret_size, name);

    if (!EFI_ERROR(status))
        Print(L"okram: %a is from the network.\r\n", name);
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
    if (status == EFI_NOT_FOUND && !has_files(loader))
        status = read_from_network(loader, &n);
    if (EFI_ERROR(status)) {
        ret_conf->is_in_root = false;
        if (status != EFI_NOT_FOUND)
            Print(L"okram: okram.conf cannot be read (%r); continuing without it.\r\n", status);
        n = 0;
    }
    n = conf_text_make(raw, n);
    ret_conf->is_cut = n >= sizeof(ret_conf->text);
    if (ret_conf->is_cut)
        n = sizeof(ret_conf->text) - 1;
    memcpy(ret_conf->text, raw, n);
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
    directory = own_folder_open(loader, own_path, conf->is_in_root);
    if (!directory) {
        fmt_append(message, "the loader's volume cannot be opened.");
        return;
    }
    status = file_replace(directory, &conf_names, text, strlen(text));
    directory->Close(directory);
    if (EFI_ERROR(status)) {
        file_append_reason(status, message);
        return;
    }
    string_copy(conf->text, text, sizeof(conf->text));
    message->length = 0;
    fmt_append(message, "Saved to okram.conf: %s", words);
}

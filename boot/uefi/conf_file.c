// SPDX-License-Identifier: MIT
#include "conf_file.h"

#include "file.h"

#define CONF L"okram.conf"
#define NEW  L"okram.new"
#define OLD  L"okram.old"

EFI_STATUS conf_file_read(EFI_FILE *directory, char *out, UINTN size, UINTN *ret_size)
{
    UINTN n = size;
    EFI_STATUS status = file_read(directory, CONF, out, &n);

    if (status == EFI_NOT_FOUND) {
        n = size;
        status = file_read(directory, OLD, out, &n);
    }
    if (!EFI_ERROR(status))
        *ret_size = n;
    return status;
}

EFI_STATUS conf_file_replace(EFI_FILE *directory, const char *text, UINTN size)
{
    static const struct file_names names = { CONF, NEW, OLD };

    return file_replace(directory, &names, text, size);
}

// SPDX-License-Identifier: MIT
#include "conf_file.h"

#include <stdbool.h>

#include "lib/string.h"

#define CONF L"okram.conf"
#define NEW  L"okram.new"
#define OLD  L"okram.old"

#define NAME_MAX 256 /* characters, with the NUL, of a name of these */

static EFI_STATUS open(EFI_FILE *directory, CHAR16 *name, UINT64 mode, EFI_FILE **ret_file)
{
    return directory->Open(directory, ret_file, name, mode, 0);
}

static EFI_STATUS read(EFI_FILE *directory, CHAR16 *name, char *out, UINTN *size)
{
    EFI_FILE *file;
    EFI_STATUS status = open(directory, name, EFI_FILE_MODE_READ, &file);

    if (EFI_ERROR(status))
        return status;
    status = file->Read(file, size, out);
    file->Close(file);
    return status;
}

EFI_STATUS conf_file_read(EFI_FILE *directory, char *out, UINTN size, UINTN *ret_size)
{
    UINTN n = size;
    EFI_STATUS status = read(directory, CONF, out, &n);

    if (status == EFI_NOT_FOUND) {
        n = size;
        status = read(directory, OLD, out, &n);
    }
    if (!EFI_ERROR(status))
        *ret_size = n;
    return status;
}

static bool exists(EFI_FILE *directory, CHAR16 *name)
{
    EFI_FILE *file;

    if (EFI_ERROR(open(directory, name, EFI_FILE_MODE_READ, &file)))
        return false;
    file->Close(file);
    return true;
}

/* If it is there; a failure shows when the name is needed. */
static void delete (EFI_FILE *directory, CHAR16 *name)
{
    EFI_FILE *file;

    if (!EFI_ERROR(open(directory, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, &file)))
        file->Delete(file); /* closes it, too */
}

static EFI_STATUS rename(EFI_FILE *directory, CHAR16 *from, const CHAR16 *to, UINTN to_bytes)
{
    static EFI_GUID file_info = EFI_FILE_INFO_ID;
    union {
        EFI_FILE_INFO info;
        UINT8 bytes[sizeof(EFI_FILE_INFO) + NAME_MAX * sizeof(CHAR16)];
    } buffer;
    UINTN size = sizeof(buffer);
    EFI_FILE *file;
    EFI_STATUS status = open(directory, from, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, &file);

    if (EFI_ERROR(status))
        return status;
    status = file->GetInfo(file, &file_info, &size, &buffer);
    if (!EFI_ERROR(status)) {
        size = SIZE_OF_EFI_FILE_INFO + to_bytes;
        buffer.info.Size = size;
        memcpy(buffer.bytes + SIZE_OF_EFI_FILE_INFO, to, to_bytes);
        status = file->SetInfo(file, &file_info, size, &buffer);
    }
    file->Close(file);
    return status;
}

static EFI_STATUS write(EFI_FILE *directory, CHAR16 *name, const char *text, UINTN size)
{
    UINTN n = size;
    EFI_FILE *file;
    EFI_STATUS status, closed;

    status = open(directory, name, EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                  &file);
    if (EFI_ERROR(status))
        return status;
    status = file->Write(file, &n, (void *)text);
    if (!EFI_ERROR(status) && n != size)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    closed = file->Close(file);
    return EFI_ERROR(status) ? status : closed;
}

static bool holds(EFI_FILE *directory, CHAR16 *name, const char *text, UINTN size)
{
    char part[256];
    UINTN at = 0, n;
    EFI_FILE *file;
    bool same = true;

    if (EFI_ERROR(open(directory, name, EFI_FILE_MODE_READ, &file)))
        return false;
    do {
        n = sizeof(part);
        same = !EFI_ERROR(file->Read(file, &n, part)) && n <= size - at &&
               memcmp(part, text + at, n) == 0;
        at += same ? n : 0;
    } while (same && n);
    file->Close(file);
    return same && at == size;
}

static EFI_STATUS write_new(EFI_FILE *directory, const char *text, UINTN size)
{
    EFI_STATUS status;

    delete (directory, NEW);
    status = write(directory, NEW, text, size);
    if (!EFI_ERROR(status) && !holds(directory, NEW, text, size))
        status = EFI_DEVICE_ERROR;
    return status;
}

EFI_STATUS conf_file_replace(EFI_FILE *directory, const char *text, UINTN size)
{
    EFI_STATUS status = write_new(directory, text, size);

    if (!EFI_ERROR(status) && exists(directory, CONF)) {
        delete (directory, OLD);
        status = rename(directory, CONF, OLD, sizeof(OLD));
    }
    if (!EFI_ERROR(status)) {
        status = rename(directory, NEW, CONF, sizeof(CONF));
        if (EFI_ERROR(status) && !exists(directory, CONF))
            rename(directory, OLD, CONF, sizeof(CONF));
    }
    delete (directory, EFI_ERROR(status) ? NEW : OLD);
    return status;
}

// SPDX-License-Identifier: MIT
#include "file.h"

#include <stddef.h>

#include "lib/string.h"

#define NAME_MAX   256                               /* characters, with the NUL, of a new name */
#define HEAD_BYTES offsetof(EFI_FILE_INFO, FileName) /* gnu-efi's SIZE_OF_ dereferences NULL */

static EFI_STATUS open(EFI_FILE *directory, CHAR16 *name, UINT64 mode, EFI_FILE **ret_file)
{
    return directory->Open(directory, ret_file, name, mode, 0);
}

EFI_STATUS file_read(EFI_FILE *directory, CHAR16 *name, void *out, UINTN *size)
{
    EFI_FILE *file;
    EFI_STATUS status = open(directory, name, EFI_FILE_MODE_READ, &file);

    if (EFI_ERROR(status))
        return status;
    status = file->Read(file, size, out);
    file->Close(file);
    return status;
}

EFI_STATUS file_read_kept(EFI_FILE *directory, const struct file_names *names, void *out,
                          UINTN *size)
{
    UINTN n = *size;
    EFI_STATUS status = file_read(directory, names->name, out, &n);

    if (status == EFI_NOT_FOUND) {
        n = *size;
        status = file_read(directory, names->old, out, &n);
    }
    if (!EFI_ERROR(status))
        *size = n;
    return status;
}

bool file_exists(EFI_FILE *directory, CHAR16 *name)
{
    EFI_FILE *file;

    if (EFI_ERROR(open(directory, name, EFI_FILE_MODE_READ, &file)))
        return false;
    file->Close(file);
    return true;
}

bool file_is_absent(EFI_FILE *directory, CHAR16 *name)
{
    EFI_FILE *file;
    EFI_STATUS status = open(directory, name, EFI_FILE_MODE_READ, &file);

    if (!EFI_ERROR(status))
        file->Close(file);
    return status == EFI_NOT_FOUND;
}

void file_delete(EFI_FILE *directory, CHAR16 *name)
{
    EFI_FILE *file;

    if (!EFI_ERROR(open(directory, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, &file)))
        file->Delete(file); /* closes it, too */
}

static EFI_STATUS rename(EFI_FILE *directory, CHAR16 *from, const CHAR16 *to)
{
    static EFI_GUID file_info = EFI_FILE_INFO_ID;
    union {
        EFI_FILE_INFO info;
        UINT8 bytes[sizeof(EFI_FILE_INFO) + NAME_MAX * sizeof(CHAR16)];
    } buffer;
    UINTN size = sizeof(buffer), to_bytes = sizeof(*to);
    EFI_FILE *file;
    EFI_STATUS status = open(directory, from, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, &file);

    if (EFI_ERROR(status))
        return status;
    for (UINTN i = 0; to[i]; i++)
        to_bytes += sizeof(*to);
    status = file->GetInfo(file, &file_info, &size, &buffer);
    if (!EFI_ERROR(status)) {
        size = HEAD_BYTES + to_bytes;
        buffer.info.Size = size;
        memcpy(buffer.bytes + HEAD_BYTES, to, to_bytes);
        status = file->SetInfo(file, &file_info, size, &buffer);
    }
    file->Close(file);
    return status;
}

static EFI_STATUS write(EFI_FILE *directory, CHAR16 *name, const void *bytes, UINTN size)
{
    UINTN n = size;
    EFI_FILE *file;
    EFI_STATUS status, closed;

    status = open(directory, name, EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                  &file);
    if (EFI_ERROR(status))
        return status;
    status = file->Write(file, &n, (void *)bytes);
    if (!EFI_ERROR(status) && n != size)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    closed = file->Close(file);
    return EFI_ERROR(status) ? status : closed;
}

bool file_holds(EFI_FILE *directory, CHAR16 *name, const void *bytes, UINTN size)
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
               memcmp(part, (const char *)bytes + at, n) == 0;
        at += same ? n : 0;
    } while (same && n);
    file->Close(file);
    return same && at == size;
}

EFI_STATUS file_check_room(EFI_FILE *root, UINT64 blocks, const UINTN *bytes, unsigned n)
{
    static EFI_GUID type = EFI_FILE_SYSTEM_INFO_ID;
    union {
        EFI_FILE_SYSTEM_INFO info;
        UINT8 bytes[sizeof(EFI_FILE_SYSTEM_INFO) + 256 * sizeof(CHAR16)];
    } u;
    UINTN size = sizeof(u);

    if (EFI_ERROR(root->GetInfo(root, &type, &size, &u)) || !u.info.BlockSize)
        return EFI_SUCCESS;
    if (u.info.ReadOnly)
        return EFI_WRITE_PROTECTED;
    for (unsigned i = 0; i < n; i++)
        blocks += bytes[i] / u.info.BlockSize + 1;
    return blocks > u.info.FreeSpace / u.info.BlockSize ? EFI_VOLUME_FULL : EFI_SUCCESS;
}

EFI_STATUS file_write_new(EFI_FILE *directory, CHAR16 *name, const void *bytes, UINTN size)
{
    EFI_STATUS status = write(directory, name, bytes, size);

    if (!EFI_ERROR(status) && !file_holds(directory, name, bytes, size))
        status = EFI_DEVICE_ERROR;
    if (EFI_ERROR(status))
        file_delete(directory, name);
    return status;
}

EFI_STATUS file_replace(EFI_FILE *directory, const struct file_names *names, const void *bytes,
                        UINTN size)
{
    EFI_STATUS status;

    file_delete(directory, names->new);
    status = file_write_new(directory, names->new, bytes, size);
    if (!EFI_ERROR(status) && file_exists(directory, names->name)) {
        file_delete(directory, names->old);
        status = rename(directory, names->name, names->old);
    }
    if (!EFI_ERROR(status)) {
        status = rename(directory, names->new, names->name);
        if (EFI_ERROR(status) && !file_exists(directory, names->name))
            rename(directory, names->old, names->name);
    }
    file_delete(directory, EFI_ERROR(status) ? names->new : names->old);
    return status;
}

void file_append_reason(EFI_STATUS status, struct fmt_buffer *out)
{
    if (status == EFI_WRITE_PROTECTED)
        fmt_append(out, "the medium is read-only.");
    else if (status == EFI_ACCESS_DENIED)
        fmt_append(out, "the file is write-protected.");
    else if (status == EFI_VOLUME_FULL)
        fmt_append(out, "the volume is full.");
    else if (status == EFI_NO_MEDIA || status == EFI_MEDIA_CHANGED)
        fmt_append(out, "the medium has been removed.");
    else
        fmt_append(out, "firmware reports error 0x%lx.", (unsigned long)status);
}

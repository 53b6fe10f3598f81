// SPDX-License-Identifier: MIT
#include "keep_list.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/own_folder.h"
#include "lib/string.h"
#include "save/saved.h"

#define NAME       L"OkramGuard"
#define ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)
#define KEPT_FREE  5120u /* bytes of the store that are left to others */

static EFI_GUID vendor = SAVED_GUID;

struct content {
    void *bytes; /* NULL: there is no such variable */
    UINTN size;
    UINT32 attributes;
};

/* The caller frees the bytes. */
static EFI_STATUS read_variable(struct content *ret)
{
    struct content c = { .attributes = ATTRIBUTES };
    EFI_STATUS status = RT->GetVariable(NAME, &vendor, &c.attributes, &c.size, NULL);

    if (status == EFI_BUFFER_TOO_SMALL) {
        c.bytes = AllocatePool(c.size);
        status = c.bytes ? RT->GetVariable(NAME, &vendor, &c.attributes, &c.size, c.bytes)
                         : EFI_OUT_OF_RESOURCES;
        if (EFI_ERROR(status) && c.bytes)
            FreePool(c.bytes);
    }
    if (!EFI_ERROR(status) || status == EFI_NOT_FOUND)
        *ret = c;
    return status;
}

static bool variable_holds(const void *list, UINTN bytes)
{
    struct content c;
    bool same;

    if (EFI_ERROR(read_variable(&c)))
        return false;
    same = c.size == bytes && memcmp(c.bytes, list, bytes) == 0;
    FreePool(c.bytes);
    return same;
}

static EFI_STATUS has_room(UINT32 attributes, UINTN bytes)
{
    UINT64 all, left, most;
    EFI_STATUS status = RT->QueryVariableInfo(attributes, &all, &left, &most);

    if (EFI_ERROR(status))
        return status;
    return left >= bytes + KEPT_FREE && most >= bytes ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS write_variable(const void *list, UINTN bytes)
{
    struct content old;
    EFI_STATUS status = read_variable(&old);

    if (EFI_ERROR(status) && status != EFI_NOT_FOUND)
        return status;
    status = has_room(old.attributes, bytes);
    if (!EFI_ERROR(status))
        status = RT->SetVariable(NAME, &vendor, old.attributes, bytes, (void *)list);
    if (!EFI_ERROR(status) && !variable_holds(list, bytes)) {
        status = EFI_DEVICE_ERROR;
        RT->SetVariable(NAME, &vendor, old.bytes ? old.attributes : 0, old.size, old.bytes);
    }
    if (old.bytes)
        FreePool(old.bytes);
    return status;
}

static EFI_STATUS write_file(const EFI_LOADED_IMAGE *driver, const void *list, UINTN bytes)
{
    static const struct file_names names = { L"guard.list", L"guard.new", L"guard.old" };
    EFI_FILE *own = own_folder_open(driver, own_folder_path(driver), false), *folder;
    EFI_STATUS status;

    if (!own)
        return EFI_NOT_FOUND;
    status = own->Open(own, &folder, L"okram",
                       EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                       EFI_FILE_DIRECTORY);
    own->Close(own);
    if (EFI_ERROR(status))
        return status;
    status = file_replace(folder, &names, list, bytes);
    folder->Close(folder);
    return status;
}

static EFI_STATUS write_to(enum guard_origin place, const EFI_LOADED_IMAGE *driver,
                           const void *list, UINTN bytes)
{
    return place == GUARD_FILE ? write_file(driver, list, bytes) : write_variable(list, bytes);
}

/* The variable goes first: it must not be there when the file is to count. */
static EFI_STATUS leave_variable(void)
{
    EFI_STATUS status = RT->SetVariable(NAME, &vendor, 0, 0, NULL);

    return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

EFI_STATUS guard_list_keep(const EFI_LOADED_IMAGE *driver, bool is_secure_boot, const void *list,
                           UINTN bytes, enum guard_origin *origin)
{
    enum guard_origin first = *origin == GUARD_FILE ? GUARD_FILE : GUARD_VARIABLE;
    enum guard_origin second = first == GUARD_FILE ? GUARD_VARIABLE : GUARD_FILE;
    EFI_STATUS status = write_to(first, driver, list, bytes);

    if (!EFI_ERROR(status) || is_secure_boot) {
        *origin = EFI_ERROR(status) ? *origin : first;
        return status;
    }
    status = write_to(second, driver, list, bytes);
    if (!EFI_ERROR(status) && second == GUARD_FILE)
        status = leave_variable();
    if (!EFI_ERROR(status))
        *origin = second;
    return status;
}

// SPDX-License-Identifier: MIT
#include "keep_list.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/own_folder.h"
#include "boot/uefi/variables.h"
#include "saved/saved_write.h"

#define NAME "OkramGuard"

static EFI_STATUS write_variable(const void *list, UINTN bytes)
{
    struct variable old = variable_read(NAME, &variable_okram);
    UINT32 attributes = old.bytes ? old.attributes : VARIABLE_KEPT;
    uint64_t remaining, largest;
    EFI_STATUS status = EFI_SUCCESS;

    if (!old.bytes && old.status != EFI_NOT_FOUND)
        return old.status;
    if (!variable_room(attributes, &remaining, &largest) || remaining < bytes + SAVED_KEEP_FREE ||
        largest < bytes)
        status = EFI_OUT_OF_RESOURCES;
    else
        status = variable_write(NAME, &variable_okram, attributes, list, bytes);
    if (status == EFI_DEVICE_ERROR && old.bytes)
        variable_write(NAME, &variable_okram, attributes, old.bytes, old.size);
    else if (status == EFI_DEVICE_ERROR)
        variable_delete(NAME, &variable_okram);
    variable_free(&old);
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
        status = variable_delete(NAME, &variable_okram); /* which else counts before the file */
    if (!EFI_ERROR(status))
        *origin = second;
    return status;
}

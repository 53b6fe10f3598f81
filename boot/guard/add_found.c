// SPDX-License-Identifier: MIT
#include "source.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/own_folder.h"
#include "boot/uefi/variables.h"
#include "guardlist/guard_list.h"
#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/sort.h"
#include "saved/saved_write.h"

/* Two numbers with at most 6 bytes each. */
#define BYTES_A_PAGE 12u

static int64_t now(void)
{
    EFI_TIME t;

    return EFI_ERROR(RT->GetTime(&t, NULL))
               ? 0
               : date_seconds(&(struct date){ t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second });
}

static bool is_lower(const void *ctx, const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* The pages that were found as a list of their own, in `bytes`. */
static size_t list_found(struct guard_patrol *patrol, const struct guard_fingerprint *machine,
                         uint8_t *bytes, size_t size)
{
    struct guard_writer writer = guard_writer_begin(bytes, size);

    sort(patrol->found, patrol->n_found, sizeof(patrol->found[0]), is_lower, NULL);
    for (uint32_t i = 0; i < patrol->n_found; i++)
        guard_writer_add(&writer, (struct guard_run){ patrol->found[i], 1 });
    return guard_writer_end(&writer, machine, now());
}

/* Not freed: the list stays in use. */
static uint8_t *make_list(const struct guard_list *old, const struct guard_fingerprint *machine,
                          struct guard_patrol *patrol, size_t *ret_bytes)
{
    size_t found_room = GUARD_LIST_HEAD + patrol->n_found * BYTES_A_PAGE, size;
    size_t room = found_room + (old ? old->head.bytes + patrol->n_found * BYTES_A_PAGE : 0);
    uint8_t *bytes = AllocatePool(found_room + room);
    struct guard_list found;
    const char *why;

    *ret_bytes = 0;
    if (!bytes)
        return NULL;
    size = list_found(patrol, old ? &old->head.machine : machine, bytes + room, found_room);
    if (guard_list_open(bytes + room, size, &found, &why) == STATUS_OK)
        *ret_bytes = guard_merge(old, &found, bytes, room);
    return bytes;
}

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

/*
 * Replaces the list that came from *origin: there, or where it does not fit, in the other place. If
 * Secure Boot is on, only in the variable. What was written is read back; after an error the former
 * list is there.
 */
static EFI_STATUS keep_list(const EFI_LOADED_IMAGE *driver, bool is_secure_boot, const void *list,
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

void guard_add_found(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                     const struct guard_fingerprint *machine, struct guard_patrol *patrol,
                     struct guard_source *source)
{
    bool has_list = source->state == GUARD_MASKED;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;
    const char *why;
    size_t size;
    uint8_t *bytes = make_list(has_list ? &source->list : NULL, machine, patrol, &size);

    if (guard_list_open(bytes, size, &source->list, &why) == STATUS_OK) {
        source->state = GUARD_MASKED;
        source->why[0] = 0;
        status = keep_list(driver, is_secure_boot, bytes, size, &source->origin);
    }
    if (EFI_ERROR(status))
        fmt_print(source->why, sizeof(source->why),
                  "the list cannot be written (0x%llx), new bad pages are masked at this boot only",
                  (unsigned long long)status);
}

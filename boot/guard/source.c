// SPDX-License-Identifier: MIT
#include "source.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/measure.h"
#include "boot/uefi/own_folder.h"
#include "boot/uefi/variables.h"
#include "lib/fmt.h"

#define TIMES_READ 3

struct read {
    const void *bytes; /* never freed, so that another reading gets another place */
    UINTN size;
    UINT32 attributes; /* of a variable */
};

static void explain(struct guard_source *source, enum guard_state state, const char *why)
{
    source->state = state;
    fmt_print(source->why, sizeof(source->why), "%s", why);
}

static EFI_STATUS read_variable(EFI_FILE *folder, struct read *ret_read)
{
    struct variable v = variable_read("OkramGuard", &variable_okram);

    if (v.bytes)
        *ret_read = (struct read){ v.bytes, v.size, v.attributes };
    return v.status;
}

static EFI_STATUS read_file(EFI_FILE *folder, struct read *ret_read)
{
    CHAR16 *name = L"okram\\guard.list";
    UINTN size = GUARD_LIST_MAX;
    void *bytes;
    EFI_STATUS status;

    if (folder && !file_exists(folder, name))
        name = L"okram\\guard.old"; /* of an interrupted replacement */
    if (!folder || !file_exists(folder, name))
        return EFI_NOT_FOUND;
    status = BS->AllocatePool(EfiBootServicesData, size, &bytes);
    if (!EFI_ERROR(status))
        status = file_read(folder, name, bytes, &size);
    if (!EFI_ERROR(status))
        *ret_read = (struct read){ .bytes = bytes, .size = size };
    return status;
}

typedef EFI_STATUS (*reader)(EFI_FILE *folder, struct read *ret_read);

/* Where memory is faulty, a list may be damaged in the place that it is read to. */
static void open(reader read_bytes, EFI_FILE *folder, struct read *ret_read,
                 struct guard_source *ret_source)
{
    const char *why = "";

    for (unsigned i = 0; i < TIMES_READ; i++) {
        EFI_STATUS status = read_bytes(folder, ret_read);

        if (EFI_ERROR(status)) {
            if (status == EFI_NOT_FOUND)
                explain(ret_source, GUARD_NONE, "there is no list");
            else
                explain(ret_source, GUARD_INVALID, "it cannot be read");
            return;
        }
        if (guard_list_open(ret_read->bytes, ret_read->size, &ret_source->list, &why) ==
            STATUS_OK) {
            explain(ret_source, GUARD_MASKED, "");
            return;
        }
    }
    explain(ret_source, GUARD_INVALID, why);
}

static void find_in(reader read_bytes, EFI_FILE *folder, const struct guard_fingerprint *machine,
                    bool is_secure_boot, struct guard_source *ret_source)
{
    struct read found = { 0 };
    const char *what;

    open(read_bytes, folder, &found, ret_source);
    if (ret_source->state != GUARD_MASKED)
        return;
    if (is_secure_boot && found.attributes & EFI_VARIABLE_RUNTIME_ACCESS) {
        explain(ret_source, GUARD_INVALID,
                "Secure Boot is on, and an operating system can write it");
        return;
    }
    what = guard_fingerprint_differs(&ret_source->list.head.machine, machine);
    if (what) {
        ret_source->state = GUARD_STALE;
        fmt_print(ret_source->why, sizeof(ret_source->why), "%s changed since it was made", what);
    }
}

void guard_source_find(const EFI_LOADED_IMAGE *driver, const struct guard_fingerprint *machine,
                       bool is_secure_boot, struct guard_source *ret_source)
{
    struct guard_source in_file = { .origin = GUARD_FILE };
    EFI_FILE *folder;

    *ret_source = (struct guard_source){ .origin = GUARD_VARIABLE };
    find_in(read_variable, NULL, machine, is_secure_boot, ret_source);
    if (ret_source->state != GUARD_MASKED && !is_secure_boot) {
        folder = own_folder_open(driver, own_folder_path(driver), false);
        find_in(read_file, folder, machine, is_secure_boot, &in_file);
        if (folder)
            folder->Close(folder);
        if (in_file.state == GUARD_MASKED || ret_source->state == GUARD_NONE)
            *ret_source = in_file;
    }
    if (ret_source->state == GUARD_NONE)
        ret_source->origin = GUARD_NOWHERE;
    if (ret_source->state == GUARD_MASKED)
        measure_bytes("okram_guard_list", ret_source->list.runs - ret_source->list.head.head_bytes,
                      ret_source->list.head.bytes);
}

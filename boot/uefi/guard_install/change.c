// SPDX-License-Identifier: MIT
#include "change.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "guardlist/guard_merge.h"
#include "lib/string.h"
#include "list_make.h"
#include "load_option.h"
#include "partitions.h"
#include "place.h"

#define LIST_END "\\guard.list"

/* The list's file, by the backup; NULL: the list is in the variable. */
static const char *list_path(const struct backup *b)
{
    for (unsigned i = 0; i < b->n_files; i++) {
        size_t n = strlen(b->file[i]);

        if (n > strlen(LIST_END) && strcmp(b->file[i] + n - strlen(LIST_END), LIST_END) == 0)
            return b->file[i];
    }
    return NULL;
}

bool change_can_add(const struct install_state *state)
{
    const struct guard_list *found = &state->found.list, *before = &state->installed.list;

    if (!state->found.is_valid || !state->has_backup)
        return false;
    return !state->installed.is_valid ||
           (state->has_here && guard_fingerprint_differs(&before->head.machine, &state->here)) ||
           !guard_list_holds(before, found);
}

void change_show_add(const struct install_state *state, struct fmt_buffer *out)
{
    const char *path = list_path(&state->backup);
    unsigned long n = (unsigned long)state->found.list.head.n_pages;

    fmt_append(out, "- %s%s: joined with the %lu bad page%s of the last run\n",
               path ? "The file " : "UEFI variable OkramGuard", path ? path : "", n, fmt_plural(n));
}

static EFI_STATUS write_file(const struct backup *b, const char *path, const struct made_list *list)
{
    struct place_file file = { .bytes = list->bytes, .size = list->size };
    EFI_FILE *root = volumes_open_root(partitions_handle(b->partition));
    const char *name = path + strlen(path) - strlen(LIST_END) + 1;
    EFI_STATUS status;

    if (!root)
        return EFI_NO_MEDIA;
    string_copy(file.folder, path, (size_t)(name - path));
    string_copy(file.name, name, sizeof(file.name));
    status = place_write(root, &file);
    root->Close(root);
    return status;
}

bool change_add(const struct install_state *state, struct fmt_buffer *message)
{
    const char *path = list_path(&state->backup);
    struct made_list list = { 0 };
    EFI_STATUS status = EFI_ABORTED;

    if (list_make(state, &list, message)) {
        status = path ? write_file(&state->backup, path, &list)
                      : variable_write("OkramGuard", &variable_okram, VARIABLE_KEPT, list.bytes,
                                       list.size);
        if (EFI_ERROR(status))
            fmt_append(message, "The list could not be written (error 0x%lx).",
                       (unsigned long)status);
        else
            fmt_append(message, "The guard's list now has %lu bad page%s. Restart to mask all.",
                       (unsigned long)list.n_pages, fmt_plural(list.n_pages));
    }
    if (list.bytes)
        FreePool(list.bytes);
    return !EFI_ERROR(status);
}

void change_show_remove(const struct install_state *state, struct fmt_buffer *out)
{
    const struct backup *b = &state->backup;

    if (b->option[0])
        fmt_append(out, "- UEFI variable %s; %s without it\n", b->option, guard_way_order(b->way));
    fmt_append(out, "- UEFI variables OkramGuard, OkramPatrol, " BACKUP_NAME "\n");
    for (unsigned i = 0; i < b->n_files; i++)
        fmt_append(out, "- %s\n", b->file[i]);
    for (unsigned i = 0; i < b->n_folders; i++)
        fmt_append(out, "- the folder %s, if it is empty\n", b->folder[i]);
}

/* Restores the order; what others have added since then stays. */
static EFI_STATUS restore_order(const struct backup *b, uint16_t number)
{
    const char *name = guard_way_order(b->way);
    struct variable now = variable_read(name, &variable_boot);
    EFI_STATUS status = EFI_SUCCESS;

    if (now.bytes && now.size % 2 == 0 && load_order_has(now.bytes, now.size, number)) {
        size_t left = load_order_without(now.bytes, now.size, number, now.bytes);

        status = left ? variable_write(name, &variable_boot, now.attributes, now.bytes, left)
                      : variable_delete(name, &variable_boot);
    } else if (!now.bytes && now.status != EFI_NOT_FOUND) {
        status = now.status;
    }
    variable_free(&now);
    return status;
}

/* Whether Driver#### now belongs to other software. */
static bool is_of_others(const char *name)
{
    static const CHAR16 wanted[] = L"okram-guard";
    const UINTN n = sizeof(wanted) - sizeof(wanted[0]);
    struct variable v = variable_read(name, &variable_boot);
    bool found = v.status == EFI_NOT_FOUND;

    for (UINTN at = 0; at + n <= v.size && !found; at++)
        found = memcmp(v.bytes + at, wanted, n) == 0;
    variable_free(&v);
    return !found;
}

static EFI_STATUS remove_start(const struct backup *b)
{
    uint16_t number;
    EFI_STATUS status;

    if (!load_option_number(b->option, guard_way_prefix(b->way), &number))
        return b->option[0] ? EFI_INVALID_PARAMETER : EFI_SUCCESS;
    if (is_of_others(b->option))
        return EFI_SUCCESS;
    status = restore_order(b, number);
    return EFI_ERROR(status) ? status : variable_delete(b->option, &variable_boot);
}

static bool remove_files(const struct backup *b, struct fmt_buffer *message)
{
    EFI_FILE *root;
    unsigned left;

    if (!b->n_files)
        return true;
    root = volumes_open_root(partitions_handle(b->partition));
    if (!root) {
        fmt_append(message, "The partition %s, which has the guard's files, is missing.",
                   b->partition);
        return false;
    }
    left = place_remove(root, b);
    root->Close(root);
    if (left)
        fmt_append(message,
                   "%u file%s of the guard's on the EFI system partition could not be "
                   "deleted.",
                   left, fmt_plural(left));
    return !left;
}

bool change_remove(const struct install_state *state, struct fmt_buffer *message)
{
    const struct backup *b = &state->backup;
    EFI_STATUS status = remove_start(b);
    bool has_files_left;

    if (!EFI_ERROR(status))
        status = variable_delete("OkramGuard", &variable_okram);
    if (!EFI_ERROR(status))
        status = variable_delete("OkramPatrol", &variable_okram);
    if (EFI_ERROR(status)) {
        fmt_append(message,
                   "The guard was not removed: firmware refused to change its variables "
                   "(error 0x%lx).",
                   (unsigned long)status);
        return false;
    }
    has_files_left = !remove_files(b, message);
    if (!has_files_left)
        status = variable_delete(BACKUP_NAME, &variable_okram);
    if (has_files_left || EFI_ERROR(status)) {
        fmt_append(message,
                   "%sThe guard no longer starts. " BACKUP_NAME " stays, so that "
                   "removing can be tried again.",
                   message->length ? " " : "");
        return false;
    }
    fmt_append(message, "The guard is removed: variables, DriverOrder and files are as before. "
                        "Pages that it masked at this start stay masked until the next.");
    return true;
}

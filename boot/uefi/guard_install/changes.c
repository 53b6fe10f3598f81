// SPDX-License-Identifier: MIT
#include "lib/panic.h"

#include "changes.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/volumes.h"
#include "lib/string.h"

static CHAR16 *wide(const char *text, CHAR16 out[BACKUP_PATH_MAX])
{
    UINTN n = 0;

    for (; text[n] && n + 1 < BACKUP_PATH_MAX; n++)
        out[n] = (CHAR16)text[n];
    out[n] = 0;
    return out;
}

static EFI_STATUS open_folder(EFI_FILE *root, const char *path, UINT64 more_mode,
                              EFI_FILE **ret_folder)
{
    CHAR16 name[BACKUP_PATH_MAX];

    return root->Open(root, ret_folder, wide(path, name),
                      EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | more_mode, EFI_FILE_DIRECTORY);
}

bool changes_is_absent(EFI_FILE *root, const char *path)
{
    CHAR16 name[BACKUP_PATH_MAX];

    return file_is_absent(root, wide(path, name));
}

static EFI_STATUS make_folder(EFI_FILE *root, const char *path)
{
    EFI_FILE *folder;
    EFI_STATUS status = open_folder(root, path, 0, &folder);

    if (status == EFI_NOT_FOUND)
        status = open_folder(root, path, EFI_FILE_MODE_CREATE, &folder);
    if (!EFI_ERROR(status))
        folder->Close(folder);
    return status;
}

/* Whether it is other than "." and "..". */
static bool is_entry(const CHAR16 *name)
{
    return name[0] != '.' || (name[1] && (name[1] != '.' || name[2]));
}

#define DOTS 2 /* a folder has "." and "..", at most */

static bool is_empty(EFI_FILE *root, const char *path)
{
    union {
        EFI_FILE_INFO info;
        UINT8 bytes[sizeof(EFI_FILE_INFO) + 256 * sizeof(CHAR16)];
    } u;
    EFI_FILE *folder;
    EFI_STATUS status;
    bool found = false;
    UINTN size = 1;

    if (EFI_ERROR(open_folder(root, path, 0, &folder)))
        return false;
    for (unsigned i = 0; size && !found; i++) {
        size = sizeof(u);
        status = folder->Read(folder, &size, &u);
        found = EFI_ERROR(status) || (size && (i == DOTS || is_entry(u.info.FileName)));
    }
    folder->Close(folder);
    return !found;
}

/* Some firmware deletes a folder that is not empty. */
static void delete_if_empty(EFI_FILE *root, const char *path)
{
    CHAR16 name[BACKUP_PATH_MAX];

    if (is_empty(root, path))
        file_delete(root, wide(path, name));
}

#define STEM_MAX 8 /* as of okram guard; and "guard.old" is where the guard looks, too */

/* A file's name in its folder, and its names while it is replaced. */
struct names {
    CHAR16 name[BACKUP_PATH_MAX], new[STEM_MAX + 5], old[STEM_MAX + 5];
};

static void name_stages(struct names *names)
{
    unsigned n = 0;

    for (; n < STEM_MAX && names->name[n] && names->name[n] != '.'; n++)
        names->new[n] = names->old[n] = names->name[n];
    memcpy(names->new + n, L".new", sizeof(L".new"));
    memcpy(names->old + n, L".old", sizeof(L".old"));
}

static EFI_STATUS open_parent(EFI_FILE *root, const char *path, EFI_FILE **ret_folder,
                              struct names *ret_names)
{
    char folder[BACKUP_PATH_MAX];
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] != '\\')
        n--;
    wide(path + n, ret_names->name);
    name_stages(ret_names);
    string_copy(folder, path, n);
    return open_folder(root, folder, 0, ret_folder);
}

uint8_t *changes_read_file(EFI_FILE *root, const char *path, UINTN max, UINTN *ret_size)
{
    struct names n;
    EFI_FILE *folder;
    uint8_t *bytes;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;

    if (EFI_ERROR(open_parent(root, path, &folder, &n)))
        return NULL;
    bytes = AllocatePool(max);
    *ret_size = max;
    if (bytes)
        status =
            file_read(folder, file_is_absent(folder, n.name) ? n.old : n.name, bytes, ret_size);
    folder->Close(folder);
    if (bytes && EFI_ERROR(status)) {
        FreePool(bytes);
        bytes = NULL;
    }
    return bytes;
}

static EFI_STATUS write_file(EFI_FILE *root, const struct change *c)
{
    struct names n;
    const struct file_names names = { n.name, n.new, n.old };
    EFI_FILE *folder;
    EFI_STATUS status = open_parent(root, c->name, &folder, &n);

    if (EFI_ERROR(status))
        return status;
    if (!file_holds(folder, n.name, c->bytes, c->size))
        status = file_replace(folder, &names, c->bytes, c->size);
    folder->Close(folder);
    return status;
}

/* And what a write that was interrupted has left. */
static EFI_STATUS delete_file(EFI_FILE *root, const char *path)
{
    struct names n;
    EFI_FILE *folder;
    EFI_STATUS status = open_parent(root, path, &folder, &n);
    bool is_absent;

    if (EFI_ERROR(status))
        return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
    file_delete(folder, n.name);
    file_delete(folder, n.new);
    file_delete(folder, n.old);
    is_absent = file_is_absent(folder, n.name);
    folder->Close(folder);
    return is_absent ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

static EFI_STATUS change_variable(struct change *c)
{
    c->before = variable_read(c->name, c->vendor);
    if (!c->bytes)
        return variable_delete(c->name, c->vendor);
    if (!c->before.bytes && c->before.status != EFI_NOT_FOUND)
        return c->before.status;
    return variable_write(c->name, c->vendor, c->attributes, c->bytes, c->size);
}

static EFI_STATUS do_one(EFI_FILE *root, struct change *c)
{
    if (c->kind == CHANGE_VARIABLE)
        return change_variable(c);
    if (!root)
        return EFI_NO_MEDIA;
    c->was_there = !changes_is_absent(root, c->name);
    if (c->kind == CHANGE_FILE)
        return c->bytes ? write_file(root, c) : delete_file(root, c->name);
    if (c->bytes)
        return make_folder(root, c->name);
    delete_if_empty(root, c->name);
    return EFI_SUCCESS;
}

static void undo_one(EFI_FILE *root, const struct change *c)
{
    if (c->kind == CHANGE_VARIABLE && c->before.bytes)
        variable_write(c->name, c->vendor, c->before.attributes, c->before.bytes, c->before.size);
    else if (c->kind == CHANGE_VARIABLE && c->before.status == EFI_NOT_FOUND)
        variable_delete(c->name, c->vendor);
    else if (c->kind == CHANGE_VARIABLE)
        return;
    else if (root && !c->was_there && c->kind == CHANGE_FILE)
        delete_file(root, c->name);
    else if (root && !c->was_there)
        delete_if_empty(root, c->name);
}

EFI_STATUS changes_do(struct changes *changes, bool is_undone, const struct change **ret_failed)
{
    EFI_FILE *root = changes->partition ? volumes_open_root(changes->partition) : NULL;
    EFI_STATUS status = EFI_SUCCESS;
    unsigned n = 0;

    while (n < changes->n && !EFI_ERROR(status))
        status = do_one(root, &changes->change[n++]);
    if (EFI_ERROR(status))
        *ret_failed = &changes->change[n - 1];
    for (; n > 0; n--) {
        if (EFI_ERROR(status) && is_undone)
            undo_one(root, &changes->change[n - 1]);
        variable_free(&changes->change[n - 1].before);
    }
    if (root)
        root->Close(root);
    return status;
}

struct change *changes_add(struct changes *changes, enum change_kind kind, const char *name)
{
    struct change *c = &changes->change[changes->n++];

    ASSERT(changes->n <= CHANGES_MAX);
    *c = (struct change){ .kind = kind };
    string_copy(c->name, name, sizeof(c->name));
    return c;
}

void changes_show(const struct changes *changes, struct fmt_buffer *out)
{
    static const char *const kinds[] = { [CHANGE_VARIABLE] = "UEFI variable ",
                                         [CHANGE_FILE] = "the file ",
                                         [CHANGE_FOLDER] = "the folder " };

    for (unsigned i = 0; i < changes->n; i++) {
        const struct change *c = &changes->change[i];

        if (c->kind == CHANGE_FOLDER && c->bytes)
            continue;
        fmt_append(out, "- %s%s", kinds[c->kind], c->name);
        if (c->size)
            fmt_append(out, ", %lu bytes", (unsigned long)c->size);
        fmt_append(out, "%s\n", c->what);
    }
}

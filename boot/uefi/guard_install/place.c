// SPDX-License-Identifier: MIT
#include "place.h"

#include "boot/uefi/file.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define NEW L"okram.new"
#define OLD L"okram.old"

static CHAR16 *wide(const char *text)
{
    static CHAR16 out[2 * BACKUP_PATH_MAX];
    UINTN n = 0;

    for (; text[n] && n + 1 < sizeof(out) / sizeof(out[0]); n++)
        out[n] = (CHAR16)text[n];
    out[n] = 0;
    return out;
}

static EFI_STATUS open_folder(EFI_FILE *root, const char *path, bool create, EFI_FILE **ret_folder)
{
    UINT64 mode = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | (create ? EFI_FILE_MODE_CREATE : 0);

    return root->Open(root, ret_folder, wide(path), mode, EFI_FILE_DIRECTORY);
}

/* Calls visit with each folder of the path, the outermost first. */
static EFI_STATUS each_folder(EFI_FILE *root, const char *path, void *ctx,
                              EFI_STATUS (*visit)(EFI_FILE *root, const char *path, void *ctx))
{
    char part[BACKUP_PATH_MAX];
    EFI_STATUS status = EFI_SUCCESS;

    string_copy(part, path, sizeof(part));
    for (char *end = part; !EFI_ERROR(status) && end; *end = '\\') {
        end = strchr(end + 1, '\\');
        if (!end)
            return visit(root, part, ctx);
        *end = 0;
        status = visit(root, part, ctx);
    }
    return status;
}

static EFI_STATUS list_folder(EFI_FILE *root, const char *path, void *ctx)
{
    struct backup *b = ctx;

    if (!file_is_absent(root, wide(path)))
        return EFI_SUCCESS;
    for (unsigned i = 0; i < b->n_folders; i++) {
        if (strcmp(b->folder[i], path) == 0)
            return EFI_SUCCESS;
    }
    if (b->n_folders == BACKUP_PATHS_MAX)
        return EFI_BUFFER_TOO_SMALL;
    string_copy(b->folder[b->n_folders++], path, BACKUP_PATH_MAX);
    return EFI_SUCCESS;
}

bool place_list(EFI_FILE *root, const struct place_file *file, struct backup *backup)
{
    char path[2 * BACKUP_PATH_MAX];
    struct fmt_buffer b = fmt_buffer_make(path, sizeof(path));

    fmt_append(&b, "%s\\%s", file->folder, file->name);
    if (b.length >= BACKUP_PATH_MAX || backup->n_files == BACKUP_PATHS_MAX ||
        EFI_ERROR(each_folder(root, file->folder, backup, list_folder)))
        return false;
    if (file_is_absent(root, wide(path)))
        string_copy(backup->file[backup->n_files++], path, BACKUP_PATH_MAX);
    return true;
}

static EFI_STATUS make_folder(EFI_FILE *root, const char *path, void *ctx)
{
    EFI_FILE *folder;
    EFI_STATUS status = open_folder(root, path, false, &folder);

    if (status == EFI_NOT_FOUND)
        status = open_folder(root, path, true, &folder);
    if (!EFI_ERROR(status))
        folder->Close(folder);
    return status;
}

static EFI_STATUS replace(EFI_FILE *folder, const struct place_file *file)
{
    CHAR16 name[BACKUP_PATH_MAX];
    const struct file_names names = { name, NEW, OLD };

    memcpy(name, wide(file->name), sizeof(name));
    if (file_holds(folder, name, file->bytes, file->size))
        return EFI_SUCCESS;
    return file_replace(folder, &names, file->bytes, file->size);
}

EFI_STATUS place_write(EFI_FILE *root, const struct place_file *file)
{
    EFI_FILE *folder;
    EFI_STATUS status = each_folder(root, file->folder, NULL, make_folder);

    if (!EFI_ERROR(status))
        status = open_folder(root, file->folder, false, &folder);
    if (EFI_ERROR(status))
        return status;
    status = replace(folder, file);
    folder->Close(folder);
    return status;
}

/* Whether it is other than "." and "..". */
static bool is_entry(const CHAR16 *name)
{
    return name[0] != '.' || (name[1] && (name[1] != '.' || name[2]));
}

#define DOTS 2 /* a folder has "." and "..", at most */

/* Some firmware deletes a folder that is not empty. */
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

    if (EFI_ERROR(open_folder(root, path, false, &folder)))
        return false;
    for (unsigned i = 0; size && !found; i++) {
        size = sizeof(u);
        status = folder->Read(folder, &size, &u);
        found = EFI_ERROR(status) || (size && (i == DOTS || is_entry(u.info.FileName)));
    }
    folder->Close(folder);
    return !found;
}

unsigned place_remove(EFI_FILE *root, const struct backup *backup)
{
    unsigned left = 0;

    for (unsigned i = 0; i < backup->n_files; i++) {
        file_delete(root, wide(backup->file[i]));
        left += !file_is_absent(root, wide(backup->file[i]));
    }
    for (unsigned i = backup->n_folders; i-- > 0;) {
        if (is_empty(root, backup->folder[i]))
            file_delete(root, wide(backup->folder[i]));
    }
    return left;
}

// SPDX-License-Identifier: MIT
#include "report_files.h"

#include "boot/uefi/file.h"

#define NUMBERS_MAX      1000 /* names that are tried */
#define DIRECTORY_BLOCKS 4    /* that a directory may need for their names */

static const char *const extensions[REPORT_FILES] = { "jsonl", "html" };

static void file_name(const char *name, unsigned file, CHAR16 out[REPORT_NAME_MAX])
{
    char text[REPORT_NAME_MAX];
    size_t n = 0;

    fmt_print(text, sizeof(text), "%s.%s", name, extensions[file]);
    do {
        out[n] = (CHAR16)text[n];
    } while (text[n++]);
}

static bool holds(EFI_FILE *directory, CHAR16 *name, const struct fmt_buffer *content)
{
    return file_holds(directory, name, content->text, content->length);
}

static EFI_STATUS check_room(EFI_FILE *root, const struct report_content *content)
{
    UINTN bytes[REPORT_FILES];

    for (unsigned i = 0; i < REPORT_FILES; i++)
        bytes[i] = content->file[i].length;
    return file_check_room(root, DIRECTORY_BLOCKS, bytes, REPORT_FILES);
}

static EFI_STATUS open_directory(EFI_FILE *root, const struct report_content *content,
                                 EFI_FILE **ret_directory)
{
    static CHAR16 name[] = L"okram";
    EFI_STATUS status;

    if (file_is_absent(root, name)) {
        status = check_room(root, content);
        if (EFI_ERROR(status))
            return status;
    }
    return root->Open(root, ret_directory, name,
                      EFI_FILE_MODE_CREATE | EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                      EFI_FILE_DIRECTORY);
}

/* Whether each file of that name is absent, or already has the bytes to write. */
static bool is_free(EFI_FILE *directory, const char *name, const struct report_content *content)
{
    CHAR16 path[REPORT_NAME_MAX];

    for (unsigned i = 0; i < REPORT_FILES; i++) {
        file_name(name, i, path);
        if (!file_is_absent(directory, path) && !holds(directory, path, &content->file[i]))
            return false;
    }
    return true;
}

static EFI_STATUS write_files(EFI_FILE *root, EFI_FILE *directory, const char *name,
                              const struct report_content *content)
{
    unsigned written = 0; /* bit n: file n was written now */
    CHAR16 path[REPORT_NAME_MAX];
    EFI_STATUS status = EFI_SUCCESS;

    for (unsigned i = 0; i < REPORT_FILES && !EFI_ERROR(status); i++) {
        const struct fmt_buffer *file = &content->file[i];

        file_name(name, i, path);
        if (holds(directory, path, file))
            continue;
        if (!written)
            status = check_room(root, content);
        if (EFI_ERROR(status))
            break;
        status = file_write_new(directory, path, file->text, file->length);
        written |= 1u << i;
    }
    for (unsigned i = 0; i < REPORT_FILES && EFI_ERROR(status); i++) {
        file_name(name, i, path);
        if (written >> i & 1)
            file_delete(directory, path);
    }
    return status;
}

EFI_STATUS report_files_write(EFI_FILE *root, const struct saved_report *report,
                              const struct report_content *content, char ret_name[REPORT_NAME_MAX])
{
    EFI_FILE *directory;
    EFI_STATUS status;

    for (unsigned i = 0; i < REPORT_FILES; i++) {
        if (content->file[i].cut)
            return EFI_BUFFER_TOO_SMALL;
    }
    status = open_directory(root, content, &directory);
    if (EFI_ERROR(status))
        return status;
    status = EFI_ACCESS_DENIED;
    for (unsigned n = 1; n <= NUMBERS_MAX; n++) {
        struct fmt_buffer name = fmt_buffer_make(ret_name, REPORT_NAME_MAX);

        report_append_name(report, n, &name);
        if (!is_free(directory, ret_name, content))
            continue;
        status = write_files(root, directory, ret_name, content);
        break;
    }
    directory->Close(directory);
    return status;
}

// SPDX-License-Identifier: MIT
#include "kept_state.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "boot/uefi/variables.h"
#include "boot/uefi/volumes.h"
#include "diagnosis/state_bytes.h"

#define DIRECTORY_BLOCKS 4 /* that a directory may need for the file's names */

static CHAR16 folder[] = L"okram";
static CHAR16 file_name[] = L"diagnosis.bin";
static CHAR16 file_new[] = L"diagnosis.new";
static CHAR16 file_old[] = L"diagnosis.old";

static void take(const void *bytes, size_t size, struct kept_copy *ret_copy)
{
    ret_copy->is_valid = diagnosis_read(bytes, size, &ret_copy->state, &ret_copy->why) == STATUS_OK;
    if (ret_copy->is_valid)
        ret_copy->why = NULL;
}

static void read_variable(struct kept_copy *ret_copy)
{
    struct variable v = variable_read(DIAGNOSIS_VARIABLE, &variable_okram);

    if (v.bytes && v.attributes != VARIABLE_KEPT)
        ret_copy->why = "its attributes are not those of okram's variable";
    else if (v.bytes)
        take(v.bytes, v.size, ret_copy);
    else if (v.status != EFI_NOT_FOUND)
        ret_copy->why = "firmware cannot read it";
    variable_free(&v);
}

/* The folder of okram's files; mode 0: it is not made. */
static EFI_STATUS open_folder(EFI_FILE *root, UINT64 mode, EFI_FILE **ret_directory)
{
    return root->Open(root, ret_directory, folder, EFI_FILE_MODE_READ | mode,
                      mode ? EFI_FILE_DIRECTORY : 0);
}

static void read_bytes(EFI_FILE *directory, CHAR16 *name, struct kept_copy *ret_copy)
{
    static uint8_t bytes[DIAGNOSIS_BYTES_MAX + 1]; /* one more: a longer file is not one */
    UINTN size = sizeof(bytes);

    if (EFI_ERROR(file_read(directory, name, bytes, &size)))
        ret_copy->why = "it cannot be read";
    else
        take(bytes, size, ret_copy);
}

/* Its old name is what an interrupted replacement leaves. */
static void read_file(EFI_HANDLE own, struct kept_copy *ret_copy)
{
    EFI_FILE *root = volumes_open_root(own), *directory;

    if (!root)
        return;
    if (!EFI_ERROR(open_folder(root, 0, &directory))) {
        if (!file_is_absent(directory, file_name))
            read_bytes(directory, file_name, ret_copy);
        else if (!file_is_absent(directory, file_old))
            read_bytes(directory, file_old, ret_copy);
        directory->Close(directory);
    }
    root->Close(root);
}

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept)
{
    ret_kept->variable = ret_kept->file = (struct kept_copy){ 0 };
    read_variable(&ret_kept->variable);
    read_file(own, &ret_kept->file);
}

static EFI_STATUS write_to(EFI_FILE *root, const void *bytes, UINTN size)
{
    static const struct file_names names = { file_name, file_new, file_old };
    EFI_STATUS status = file_check_room(root, DIRECTORY_BLOCKS, &size, 1);
    EFI_FILE *directory;

    if (EFI_ERROR(status))
        return status;
    status = open_folder(root, EFI_FILE_MODE_CREATE | EFI_FILE_MODE_WRITE, &directory);
    if (EFI_ERROR(status))
        return status;
    if (!file_holds(directory, file_name, bytes, size))
        status = file_replace(directory, &names, bytes, size);
    directory->Close(directory);
    return status;
}

static EFI_STATUS write_file(EFI_HANDLE own, const void *bytes, UINTN size)
{
    EFI_FILE *root = volumes_open_root(own);
    EFI_STATUS status = EFI_NO_MEDIA;

    if (root) {
        status = write_to(root, bytes, size);
        root->Close(root);
    }
    return status;
}

bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message)
{
    static uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    UINTN size = diagnosis_write(d, bytes);
    EFI_STATUS variable =
        variable_write(DIAGNOSIS_VARIABLE, &variable_okram, VARIABLE_KEPT, bytes, size);
    EFI_STATUS file = write_file(own, bytes, size);

    if (!EFI_ERROR(variable) || !EFI_ERROR(file))
        return true;
    fmt_append(message,
               "What was tested cannot be kept for the next start: firmware refuses the UEFI "
               "variable " DIAGNOSIS_VARIABLE " (error 0x%lx), and on the volume okram was started "
               "from, ",
               (unsigned long)variable);
    file_append_reason(file, message);
    return false;
}

/* Whether it is gone: what cannot be opened for writing is not. */
static bool delete_name(EFI_FILE *directory, CHAR16 *name)
{
    if (!file_is_absent(directory, name))
        file_delete(directory, name);
    return file_is_absent(directory, name);
}

static bool delete_file(EFI_HANDLE own)
{
    EFI_FILE *root = volumes_open_root(own), *directory;
    bool is_gone = true;

    if (!root)
        return true;
    if (!EFI_ERROR(open_folder(root, 0, &directory))) {
        is_gone = delete_name(directory, file_name);
        is_gone = delete_name(directory, file_old) && is_gone;
        directory->Close(directory);
    }
    root->Close(root);
    return is_gone;
}

bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message)
{
    EFI_STATUS status = variable_delete(DIAGNOSIS_VARIABLE, &variable_okram);
    bool is_gone = delete_file(own);

    if (EFI_ERROR(status))
        fmt_append(message,
                   "The UEFI variable " DIAGNOSIS_VARIABLE " cannot be deleted: error 0x%lx. ",
                   (unsigned long)status);
    if (!is_gone)
        fmt_append(message, "The file \\okram\\diagnosis.bin cannot be deleted.");
    return !EFI_ERROR(status) && is_gone;
}

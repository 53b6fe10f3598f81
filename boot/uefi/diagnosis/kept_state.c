// SPDX-License-Identifier: MIT
#include "kept_state.h"

#include "boot/uefi/file.h"
#include "boot/uefi/variables.h"
#include "boot/uefi/volumes.h"
#include "lib/string.h"

#define DIRECTORY_BLOCKS 4 /* that a directory may need for the file's names */

static CHAR16 folder[] = L"okram";
static CHAR16 file_name[] = L"diagnosis.bin";
static CHAR16 file_new[] = L"diagnosis.new";
static CHAR16 file_old[] = L"diagnosis.old";

static void read_variable(struct kept_copy *ret_copy)
{
    struct variable v = variable_read(KEPT_VARIABLE, &variable_okram);

    if (v.bytes && v.attributes != VARIABLE_KEPT)
        ret_copy->why = "its attributes are not those of okram's variable";
    else if (v.bytes && v.size < sizeof(ret_copy->text))
        memcpy(ret_copy->text, v.bytes, v.size);
    else if (!v.bytes && v.status != EFI_NOT_FOUND)
        ret_copy->why = "firmware cannot read it";
    if (v.bytes && !ret_copy->text[0] && !ret_copy->why)
        ret_copy->why = "it is not a word of okram";
    variable_free(&v);
}

/*
 * The folder of okram's files; NULL: it cannot be opened. size: of a file that is to be written,
 * for which the folder is made; 0: none is.
 */
static EFI_FILE *open_folder(EFI_HANDLE own, UINTN size, EFI_STATUS *ret_status)
{
    EFI_FILE *root = volumes_open_root(own), *directory;
    UINT64 mode = size ? EFI_FILE_MODE_CREATE | EFI_FILE_MODE_WRITE : 0;

    *ret_status = EFI_NO_MEDIA;
    if (!root)
        return NULL;
    *ret_status = size ? file_check_room(root, DIRECTORY_BLOCKS, &size, 1) : EFI_SUCCESS;
    if (!EFI_ERROR(*ret_status))
        *ret_status = root->Open(root, &directory, folder, EFI_FILE_MODE_READ | mode,
                                 size ? EFI_FILE_DIRECTORY : 0);
    root->Close(root);
    return EFI_ERROR(*ret_status) ? NULL : directory;
}

static void read_text(EFI_FILE *directory, CHAR16 *name, struct kept_copy *ret_copy)
{
    UINTN size = sizeof(ret_copy->text) - 1;

    if (EFI_ERROR(file_read(directory, name, ret_copy->text, &size))) {
        *ret_copy = (struct kept_copy){ .why = "it cannot be read" };
        return;
    }
    ret_copy->text[size] = 0;
    if (!ret_copy->text[0])
        ret_copy->why = "it is empty";
}

/* Its old name is what an interrupted replacement leaves. */
static void read_file(EFI_HANDLE own, struct kept_copy *ret_copy)
{
    EFI_STATUS status;
    EFI_FILE *directory = open_folder(own, 0, &status);

    if (!directory)
        return;
    if (!file_is_absent(directory, file_name))
        read_text(directory, file_name, ret_copy);
    else if (!file_is_absent(directory, file_old))
        read_text(directory, file_old, ret_copy);
    directory->Close(directory);
}

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept)
{
    ret_kept->variable = ret_kept->file = (struct kept_copy){ 0 };
    read_variable(&ret_kept->variable);
    read_file(own, &ret_kept->file);
}

static EFI_STATUS write_file(EFI_HANDLE own, const void *bytes, UINTN size)
{
    static const struct file_names names = { file_name, file_new, file_old };
    EFI_STATUS status;
    EFI_FILE *directory = open_folder(own, size, &status);

    if (!directory)
        return status;
    if (!file_holds(directory, file_name, bytes, size))
        status = file_replace(directory, &names, bytes, size);
    directory->Close(directory);
    return status;
}

bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message)
{
    char text[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    EFI_STATUS variable, file;

    diagnosis_append_code(d, true, &b);
    variable = variable_write(KEPT_VARIABLE, &variable_okram, VARIABLE_KEPT, text, b.length);
    file = write_file(own, text, b.length);
    if (!EFI_ERROR(variable) || !EFI_ERROR(file))
        return true;
    fmt_append(message,
               "What was tested cannot be kept for the next start: firmware refuses the UEFI "
               "variable " KEPT_VARIABLE " (error 0x%lx), and on the volume okram was started "
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
    EFI_STATUS status;
    EFI_FILE *directory = open_folder(own, 0, &status);
    bool is_gone;

    if (!directory)
        return true;
    is_gone = delete_name(directory, file_name);
    is_gone = delete_name(directory, file_old) && is_gone;
    directory->Close(directory);
    return is_gone;
}

bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message)
{
    EFI_STATUS status = variable_delete(KEPT_VARIABLE, &variable_okram);
    bool is_gone = delete_file(own);

    if (EFI_ERROR(status))
        fmt_append(message, "The UEFI variable " KEPT_VARIABLE " cannot be deleted: error 0x%lx. ",
                   (unsigned long)status);
    if (!is_gone)
        fmt_append(message, "The file \\okram\\diagnosis.bin cannot be deleted.");
    return !EFI_ERROR(status) && is_gone;
}

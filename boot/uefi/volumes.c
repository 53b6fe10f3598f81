// SPDX-License-Identifier: MIT
#include "volumes.h"

#include <efilib.h>
#include <stddef.h>

#include "boot/uefi/file.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define LABEL_MAX 24
#define NODES_MAX 64 /* of a device path */

/* Where the label begins: gnu-efi's macro for that dereferences a null pointer. */
#define LABEL_AT offsetof(EFI_FILE_SYSTEM_INFO, VolumeLabel)

union system_info {
    EFI_FILE_SYSTEM_INFO info;
    UINT8 bytes[sizeof(EFI_FILE_SYSTEM_INFO) + 256 * sizeof(CHAR16)];
};

EFI_FILE *volumes_open_root(EFI_HANDLE handle)
{
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE *root;

    if (!handle || EFI_ERROR(BS->HandleProtocol(handle, &FileSystemProtocol, (void **)&volume)) ||
        EFI_ERROR(volume->OpenVolume(volume, &root)))
        return NULL;
    return root;
}

/* Appends UTF-16, up to its NUL, if the bytes have one. */
static void append_label(struct fmt_buffer *out, const UINT8 *bytes, UINTN size)
{
    for (UINTN i = 0; i + 1 < size && i < 2 * LABEL_MAX; i += 2) {
        unsigned c = bytes[i] | (unsigned)bytes[i + 1] << 8;

        if (!c)
            break;
        fmt_append(out, "%c", c >= ' ' && c <= '~' ? (char)c : '?');
    }
}

/* How the disk is connected, by the last node of the path that says so (UEFI 2.10, 10.3.4); or "".
 */
static const char *connection(EFI_HANDLE handle)
{
    static const struct {
        UINT8 sub_type;
        const char *name;
    } known[] = { { 1, "IDE disk" },   { 2, "SCSI disk" }, { 5, "USB disk" }, { 18, "SATA disk" },
                  { 23, "NVMe disk" }, { 26, "SD card" },  { 29, "eMMC" } };
    EFI_DEVICE_PATH *path;
    const char *found = "";

    if (EFI_ERROR(BS->HandleProtocol(handle, &DevicePathProtocol, (void **)&path)))
        return found;
    for (int i = 0; i < NODES_MAX && !IsDevicePathEnd(path); i++) {
        if ((UINTN)DevicePathNodeLength(path) < sizeof(*path))
            break;
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
            if (DevicePathType(path) == MESSAGING_DEVICE_PATH &&
                DevicePathSubType(path) == known[k].sub_type)
                found = known[k].name;
        }
        path = NextDevicePathNode(path);
    }
    return found;
}

static void append_disk(EFI_HANDLE handle, struct fmt_buffer *out)
{
    const char *disk = connection(handle);

    if (disk[0])
        fmt_append(out, "%s%s", out->length ? " on " : "", disk);
    else if (!out->length)
        fmt_append(out, "a disk without a name");
}

/* Both, else the size, if there is room for it. */
static void append_sizes(const EFI_FILE_SYSTEM_INFO *info, struct fmt_buffer *out)
{
    char both[40], size[20];

    fmt_print(both, sizeof(both), " (%s, %s free)", FMT_SIZE(info->VolumeSize),
              FMT_SIZE(info->FreeSpace));
    fmt_print(size, sizeof(size), " (%s)", FMT_SIZE(info->VolumeSize));
    if (out->length + strlen(both) < out->size)
        fmt_append(out, "%s", both);
    else if (out->length + strlen(size) < out->size)
        fmt_append(out, "%s", size);
}

bool volumes_describe(EFI_HANDLE handle, EFI_FILE *root, char ret_name[VOLUME_NAME_MAX],
                      bool *ret_is_read_only)
{
    static EFI_GUID type = EFI_FILE_SYSTEM_INFO_ID;
    struct fmt_buffer b = fmt_buffer_make(ret_name, VOLUME_NAME_MAX);
    union system_info u;
    UINTN size = sizeof(u);

    if (EFI_ERROR(root->GetInfo(root, &type, &size, &u)) || size < LABEL_AT)
        return false;
    *ret_is_read_only = u.info.ReadOnly;
    if (file_exists(root, L"\\EFI\\Microsoft\\Boot\\bootmgfw.efi"))
        fmt_append(&b, "Windows' boot partition");
    else
        append_label(&b, u.bytes + LABEL_AT, size - LABEL_AT);
    append_disk(handle, &b);
    append_sizes(&u.info, &b);
    return true;
}

void volumes_connect(void)
{
    EFI_HANDLE *handle;
    UINTN n;

    if (EFI_ERROR(BS->LocateHandleBuffer(AllHandles, NULL, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++)
        BS->ConnectController(handle[i], NULL, NULL, TRUE);
    BS->FreePool(handle);
}

void volumes_find_writable(EFI_HANDLE own, struct volumes *ret_volumes)
{
    struct volumes *v = ret_volumes;
    EFI_HANDLE *handle;
    UINTN n;

    v->n = 0;
    volumes_connect();
    if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &FileSystemProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n && v->n < VOLUMES_MAX; i++) {
        EFI_FILE *root = handle[i] == own ? NULL : volumes_open_root(handle[i]);
        bool is_read_only;

        if (!root)
            continue;
        if (volumes_describe(handle[i], root, v->name[v->n], &is_read_only) && !is_read_only)
            v->handle[v->n++] = handle[i];
        root->Close(root);
    }
    BS->FreePool(handle);
}

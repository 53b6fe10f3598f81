// SPDX-License-Identifier: MIT
#include "partitions.h"

#include <efilib.h>

#include "boot/uefi/file.h"
#include "lib/fmt.h"
#include "lib/string.h"

/* EFI_PARTITION_INFO_PROTOCOL (13.18), as far as it is read here. */
struct partition_info {
    UINT32 revision, type; /* 0: neither MBR nor GPT */
    UINT8 is_system;
} __attribute__((packed));

#define NODES_MAX 64 /* of a device path */

/* The node of a hard disk's partition in the handle's device path, or NULL. */
static const HARDDRIVE_DEVICE_PATH *find_node(EFI_HANDLE handle)
{
    EFI_DEVICE_PATH *path;

    if (EFI_ERROR(BS->HandleProtocol(handle, &DevicePathProtocol, (void **)&path)))
        return NULL;
    for (int i = 0; i < NODES_MAX && !IsDevicePathEnd(path); i++) {
        if ((UINTN)DevicePathNodeLength(path) < sizeof(*path))
            return NULL;
        if (DevicePathType(path) == MEDIA_DEVICE_PATH &&
            DevicePathSubType(path) == MEDIA_HARDDRIVE_DP &&
            DevicePathNodeLength(path) == PARTITION_NODE)
            return (const void *)path;
        path = NextDevicePathNode(path);
    }
    return NULL;
}

static void append_guid(struct fmt_buffer *out, const HARDDRIVE_DEVICE_PATH *node)
{
    static const signed char gpt[] = { 3,  2, 1, 0,  -1, 5,  4,  -1, 7,  6,
                                       -1, 8, 9, -1, 10, 11, 12, 13, 14, 15 };
    const UINT8 *s = node->Signature;

    if (node->SignatureType != SIGNATURE_TYPE_GUID) {
        fmt_append(out, "%02x%02x%02x%02x-%02x", s[3], s[2], s[1], s[0],
                   (unsigned)node->PartitionNumber);
        return;
    }
    for (unsigned i = 0; i < sizeof(gpt); i++) {
        if (gpt[i] < 0)
            fmt_append(out, "-");
        else
            fmt_append(out, "%02x", s[gpt[i]]);
    }
}

static bool is_system_partition(EFI_HANDLE handle, EFI_FILE *root)
{
    static EFI_GUID guid = {
        0x8cf2f62c, 0xbc9b, 0x4821, { 0x80, 0x8d, 0xec, 0x9e, 0xc4, 0x21, 0xa1, 0xa0 }
    };
    const struct partition_info *info;

    if (EFI_ERROR(BS->HandleProtocol(handle, &guid, (void **)&info)) || !info->type)
        return file_exists(root, L"\\EFI");
    return info->is_system;
}

static void take(EFI_HANDLE handle, EFI_FILE *root, struct partitions *p)
{
    struct partition found = { .handle = handle, .node = find_node(handle) };
    struct fmt_buffer guid = fmt_buffer_make(found.guid, sizeof(found.guid));
    bool is_read_only;

    if (!found.node || !is_system_partition(handle, root) ||
        !volumes_describe(handle, root, found.name, &is_read_only))
        return;
    append_guid(&guid, found.node);
    if (is_read_only)
        p->n_read_only++;
    else if (p->n == PARTITIONS_MAX)
        p->n_left_out++;
    else
        p->partition[p->n++] = found;
}

void partitions_find(EFI_HANDLE own, struct partitions *ret_partitions)
{
    EFI_HANDLE *handle;
    UINTN n;

    *ret_partitions = (struct partitions){ 0 };
    volumes_connect();
    if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &FileSystemProtocol, NULL, &n, &handle)))
        return;
    for (UINTN i = 0; i < n; i++) {
        EFI_FILE *root = handle[i] == own ? NULL : volumes_open_root(handle[i]);

        if (!root)
            continue;
        take(handle[i], root, ret_partitions);
        root->Close(root);
    }
    BS->FreePool(handle);
}

EFI_HANDLE partitions_handle(const char *guid)
{
    EFI_HANDLE *handle, found = NULL;
    UINTN n;

    volumes_connect();
    if (EFI_ERROR(BS->LocateHandleBuffer(ByProtocol, &FileSystemProtocol, NULL, &n, &handle)))
        return NULL;
    for (UINTN i = 0; i < n && !found; i++) {
        const HARDDRIVE_DEVICE_PATH *node = find_node(handle[i]);
        char text[PARTITION_GUID_MAX];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        if (!node)
            continue;
        append_guid(&b, node);
        if (strcmp(text, guid) == 0)
            found = handle[i];
    }
    BS->FreePool(handle);
    return found;
}

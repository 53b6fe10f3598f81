// SPDX-License-Identifier: MIT
#include "network_in_use.h"

#include <efilib.h>

static EFI_GUID simple_network = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

/* Bytes before the end; a node of an impossible length ends it, too. */
static UINTN path_length(EFI_DEVICE_PATH *path)
{
    EFI_DEVICE_PATH *node = path;

    while (!IsDevicePathEnd(node) && (UINTN)DevicePathNodeLength(node) >= sizeof(*node))
        node = NextDevicePathNode(node);
    return (UINTN)((UINT8 *)node - (UINT8 *)path);
}

/* The driver's handles are children of the function's: their paths begin with its. */
static bool is_child(EFI_HANDLE child, EFI_DEVICE_PATH *parent)
{
    EFI_DEVICE_PATH *path = DevicePathFromHandle(child);
    UINTN n = path_length(parent);

    return path && path_length(path) >= n && CompareMem(path, parent, n) == 0;
}

static bool is_opened_exclusively(EFI_HANDLE handle)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entry;
    bool found = false;
    UINTN n;

    if (EFI_ERROR(BS->OpenProtocolInformation(handle, &simple_network, &entry, &n)))
        return false;
    for (UINTN i = 0; i < n; i++)
        found |= (entry[i].Attributes & EFI_OPEN_PROTOCOL_EXCLUSIVE) != 0;
    FreePool(entry);
    return found;
}

bool network_is_in_use(EFI_HANDLE controller)
{
    EFI_DEVICE_PATH *path = DevicePathFromHandle(controller);
    EFI_HANDLE *handle;
    bool found = false;
    UINTN n;

    if (!path || EFI_ERROR(LibLocateHandle(ByProtocol, &simple_network, NULL, &n, &handle)))
        return false;
    for (UINTN i = 0; i < n; i++)
        found |= is_child(handle[i], path) && is_opened_exclusively(handle[i]);
    FreePool(handle);
    return found;
}

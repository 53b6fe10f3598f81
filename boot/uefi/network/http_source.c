// SPDX-License-Identifier: MIT
#include "boot/uefi/network/http_source.h"

#include <efilib.h>
#include <stddef.h>

#include "lib/string.h"

static bool copy_uri(const EFI_DEVICE_PATH *node, char *url)
{
    UINTN n = DevicePathNodeLength(node) - sizeof(*node);

    if (n == 0 || n >= BOOT_FILE_MAX)
        return false;
    memcpy(url, node + 1, n);
    url[n] = 0;
    return true;
}

/* gnu-efi's struct has a byte of padding at its end. */
#define IPV4_NODE_BYTES (offsetof(IPv4_DEVICE_PATH, SubnetMask) + sizeof(EFI_IPv4_ADDRESS))

/* Nodes follow each other byte by byte, in no alignment (UEFI 2.10, 10.2). */
static void copy_address(const EFI_DEVICE_PATH *node, struct http_access_point *ret_from)
{
    const uint8_t *ipv4 = (const void *)node;

    if ((UINTN)DevicePathNodeLength(node) < IPV4_NODE_BYTES)
        return;
    memcpy(&ret_from->address, ipv4 + offsetof(IPv4_DEVICE_PATH, LocalIpAddress),
           sizeof(ret_from->address));
    memcpy(&ret_from->subnet, ipv4 + offsetof(IPv4_DEVICE_PATH, SubnetMask),
           sizeof(ret_from->subnet));
}

bool http_source_read(EFI_DEVICE_PATH *path, struct http_source *ret_source)
{
    bool has_uri = false;

    *ret_source = (struct http_source){ 0 };
    for (; path && !IsDevicePathEnd(path) && (UINTN)DevicePathNodeLength(path) >= sizeof(*path);
         path = NextDevicePathNode(path)) {
        if (DevicePathType(path) != MESSAGING_DEVICE_PATH)
            continue;
        if (DevicePathSubType(path) == MSG_IPv4_DP)
            copy_address(path, &ret_source->from);
        if (DevicePathSubType(path) == MSG_URI_DP)
            has_uri = copy_uri(path, ret_source->url);
    }
    return has_uri && ret_source->from.address.Addr[0] && strncmp(ret_source->url, "http", 4) == 0;
}

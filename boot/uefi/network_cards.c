// SPDX-License-Identifier: MIT
#include "network_cards.h"

#include <efi.h>
#include <efilib.h>

#include "lib/string.h"

static EFI_GUID simple_network = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

#define IF_TYPE_ETHERNET 1 /* RFC 3232: the numbers of ARP's hardware */

static bool is_address(const uint8_t mac[BOOT_MAC_BYTES])
{
    static const uint8_t none[BOOT_MAC_BYTES], all[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    return memcmp(mac, none, sizeof(none)) != 0 && memcmp(mac, all, sizeof(all)) != 0;
}

/* The permanent address, or else the current one: some drivers know only that. */
static bool read_address(EFI_HANDLE handle, uint8_t ret_mac[BOOT_MAC_BYTES])
{
    EFI_SIMPLE_NETWORK *card;

    if (EFI_ERROR(BS->HandleProtocol(handle, &simple_network, (void **)&card)) || !card->Mode ||
        card->Mode->IfType != IF_TYPE_ETHERNET || card->Mode->HwAddressSize != BOOT_MAC_BYTES)
        return false;
    memcpy(ret_mac, card->Mode->PermanentAddress.Addr, BOOT_MAC_BYTES);
    if (!is_address(ret_mac))
        memcpy(ret_mac, card->Mode->CurrentAddress.Addr, BOOT_MAC_BYTES);
    return is_address(ret_mac);
}

static bool is_listed(uint8_t (*mac)[BOOT_MAC_BYTES], uint32_t n, const uint8_t *wanted)
{
    for (uint32_t i = 0; i < n; i++) {
        if (memcmp(mac[i], wanted, BOOT_MAC_BYTES) == 0)
            return true;
    }
    return false;
}

uint32_t network_cards_list(uint8_t ret_mac[BOOT_MACS_MAX][BOOT_MAC_BYTES])
{
    uint8_t mac[BOOT_MAC_BYTES];
    EFI_HANDLE *handle;
    uint32_t n = 0;
    UINTN handles;

    if (EFI_ERROR(LibLocateHandle(ByProtocol, &simple_network, NULL, &handles, &handle)))
        return 0;
    for (UINTN i = 0; i < handles && n < BOOT_MACS_MAX; i++) {
        if (read_address(handle[i], mac) && !is_listed(ret_mac, n, mac))
            memcpy(ret_mac[n++], mac, BOOT_MAC_BYTES);
    }
    FreePool(handle);
    return n;
}

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

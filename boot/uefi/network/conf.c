// SPDX-License-Identifier: MIT
#include "boot/uefi/network/network.h"

#include <efilib.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/uefi/firmware_tables.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define CONF_NAMES_MAX   3
#define IF_TYPE_ETHERNET 1 /* RFC 3232: the numbers of ARP's hardware */
#define MAC_NODE_BYTES   (offsetof(MAC_ADDR_DEVICE_PATH, IfType) + 1)

/* Of the card that the loader came by (UEFI 2.10, 10.3.4.11); NULL: its path names none. */
static const uint8_t *find_mac(EFI_DEVICE_PATH *path)
{
    for (; path && !IsDevicePathEnd(path) && (UINTN)DevicePathNodeLength(path) >= sizeof(*path);
         path = NextDevicePathNode(path)) {
        const MAC_ADDR_DEVICE_PATH *card = (const void *)path;

        if (DevicePathType(path) == MESSAGING_DEVICE_PATH &&
            DevicePathSubType(path) == MSG_MAC_ADDR_DP &&
            (UINTN)DevicePathNodeLength(path) >= MAC_NODE_BYTES &&
            card->IfType <= IF_TYPE_ETHERNET) /* some firmware leaves it at 0 */
            return card->MacAddress.Addr;
    }
    return NULL;
}

struct conf_names {
    char name[CONF_NAMES_MAX][CONF_NAME_SIZE]; /* the first one that the server has is taken */
    uint32_t n;
};

static struct fmt_buffer begin(struct conf_names *names)
{
    struct fmt_buffer b = fmt_buffer_make(names->name[names->n++], CONF_NAME_SIZE);

    fmt_append(&b, "okram.conf");
    return b;
}

static void make_names(EFI_HANDLE device, struct conf_names *ret_names)
{
    const uint8_t *mac = find_mac(DevicePathFromHandle(device));
    char uuid[SMBIOS_UUID_MAX];
    struct fmt_buffer b;

    firmware_tables_uuid(uuid);
    *ret_names = (struct conf_names){ 0 };
    if (uuid[0]) {
        b = begin(ret_names);
        fmt_append(&b, "-%s", uuid);
    }
    if (mac) {
        b = begin(ret_names);
        fmt_append(&b, "-%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
                   mac[5]);
    }
    begin(ret_names);
}

static EFI_STATUS read(EFI_HANDLE device, const char *name, char *out, UINTN size, UINTN *ret_size)
{
    EFI_STATUS status = http_read_sibling(device, name, out, size, ret_size);

    return status == EFI_UNSUPPORTED ? tftp_read_sibling(device, name, out, size, ret_size)
                                     : status;
}

EFI_STATUS network_conf_read(const EFI_LOADED_IMAGE *loader, char *out, UINTN size, UINTN *ret_size,
                             char *ret_name)
{
    EFI_STATUS status = EFI_NOT_FOUND;
    struct conf_names names;

    if (!loader->DeviceHandle)
        return EFI_NOT_FOUND;
    make_names(loader->DeviceHandle, &names);
    for (uint32_t i = 0; i < names.n && status == EFI_NOT_FOUND; i++) {
        string_copy(ret_name, names.name[i], CONF_NAME_SIZE);
        status = read(loader->DeviceHandle, ret_name, out, size, ret_size);
    }
    return status == EFI_UNSUPPORTED ? EFI_NOT_FOUND : status;
}

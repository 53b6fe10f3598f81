// SPDX-License-Identifier: MIT
#include "volumes.h"

#include <efilib.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/string.h"

#define NODES_MAX  64   /* of a device path */
#define DATA_BYTES 4096 /* of an NVMe controller; of all others less */

struct disk_info {
    EFI_GUID interface;
    EFI_STATUS(EFIAPI *inquiry)(struct disk_info *this, void *out, UINT32 *size);
    EFI_STATUS(EFIAPI *identify)(struct disk_info *this, void *out, UINT32 *size);
};

/* Which bytes of which data have the name. */
struct layout {
    EFI_GUID interface;
    bool is_swapped; /* each two bytes, as in ATA */
    UINT32 at, n;
};

static const struct layout identified[] = {
    /* IDE, AHCI: words 27 to 46 (ACS-3, 7.12) */
    { { 0x5e948fe3, 0x26d3, 0x42b5, { 0xaf, 0x17, 0x61, 0x02, 0x87, 0x18, 0x8d, 0xec } },
      true,
      54,
      40 },
    { { 0x9e498932, 0x4abc, 0x45af, { 0xa3, 0x4d, 0x02, 0x47, 0x78, 0x7b, 0xe7, 0xc6 } },
      true,
      54,
      40 },
    /* NVMe: MN (NVMe 1.4, 5.15.2.2) */
    { { 0x3ab14680, 0x5d3f, 0x4a4d, { 0xbc, 0xdc, 0xcc, 0x38, 0x00, 0x18, 0xc7, 0xf7 } },
      false,
      24,
      40 },
};

/* All others, as SCSI and USB: vendor and product (SPC-4, 6.4.2). */
static const struct layout inquired = { .at = 8, .n = 24 };

static const struct layout *layout_of(const EFI_GUID *interface)
{
    for (size_t i = 0; i < sizeof(identified) / sizeof(identified[0]); i++) {
        if (memcmp(interface, &identified[i].interface, sizeof(*interface)) == 0)
            return &identified[i];
    }
    return &inquired;
}

/* Printable ASCII, and one blank in place of several. */
static void take_words(const uint8_t *data, const struct layout *l, char ret_name[DISK_NAME_MAX])
{
    struct fmt_buffer b = fmt_buffer_make(ret_name, DISK_NAME_MAX);
    bool blank = false;

    for (UINT32 i = 0; i < l->n; i++) {
        uint8_t c = data[l->at + (l->is_swapped ? i ^ 1 : i)];

        if (c > ' ' && c <= '~')
            fmt_append(&b, "%s%c", blank && b.length ? " " : "", (char)c);
        blank = c <= ' ';
    }
}

static void ask(struct disk_info *info, char ret_name[DISK_NAME_MAX])
{
    static uint8_t data[DATA_BYTES];
    const struct layout *l = layout_of(&info->interface);
    UINT32 size = sizeof(data);
    EFI_STATUS status =
        l == &inquired ? info->inquiry(info, data, &size) : info->identify(info, data, &size);

    if (!EFI_ERROR(status) && size >= l->at + l->n)
        take_words(data, l, ret_name);
}

/* By the last node of the path that says so (UEFI 2.10, 10.3.4). */
static const char *connection(const EFI_DEVICE_PATH *path)
{
    static const struct {
        UINT8 sub_type;
        const char *name;
    } known[] = { { 1, "IDE disk" },   { 2, "SCSI disk" }, { 5, "USB disk" }, { 18, "SATA disk" },
                  { 23, "NVMe disk" }, { 26, "SD card" },  { 29, "eMMC" } };
    const char *found = "";

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

void disk_name(EFI_HANDLE handle, char ret_name[DISK_NAME_MAX])
{
    /* EFI_DISK_INFO_PROTOCOL_GUID */
    static EFI_GUID guid = {
        0xd432a67f, 0x14dc, 0x484b, { 0xb3, 0xbb, 0x3f, 0x02, 0x91, 0x84, 0x93, 0x27 }
    };
    EFI_DEVICE_PATH *path, *rest;
    struct disk_info *info;
    EFI_HANDLE disk;

    ret_name[0] = 0;
    if (EFI_ERROR(BS->HandleProtocol(handle, &DevicePathProtocol, (void **)&path)))
        return;
    rest = path;
    if (!EFI_ERROR(BS->LocateDevicePath(&guid, &rest, &disk)) &&
        !EFI_ERROR(BS->HandleProtocol(disk, &guid, (void **)&info)))
        ask(info, ret_name);
    if (!ret_name[0])
        string_copy(ret_name, connection(path), DISK_NAME_MAX);
}

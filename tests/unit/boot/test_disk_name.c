// SPDX-License-Identifier: MIT
#include "boot/uefi/volumes.h"

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

EFI_GUID DevicePathProtocol = { .Data1 = 2 };

#define DISK_INFO 0xd432a67f
#define AHCI                                                                                       \
    {                                                                                              \
        0x9e498932, 0x4abc, 0x45af,                                                                \
        {                                                                                          \
            0xa3, 0x4d, 2, 0x47, 0x78, 0x7b, 0xe7, 0xc6                                            \
        }                                                                                          \
    }
#define IDE                                                                                        \
    {                                                                                              \
        0x5e948fe3, 0x26d3, 0x42b5,                                                                \
        {                                                                                          \
            0xaf, 0x17, 0x61, 2, 0x87, 0x18, 0x8d, 0xec                                            \
        }                                                                                          \
    }
#define NVME                                                                                       \
    {                                                                                              \
        0x3ab14680, 0x5d3f, 0x4a4d,                                                                \
        {                                                                                          \
            0xbc, 0xdc, 0xcc, 0x38, 0, 0x18, 0xc7, 0xf7                                            \
        }                                                                                          \
    }
#define USB                                                                                        \
    {                                                                                              \
        0xcb871572, 0xc11a, 0x47b5,                                                                \
        {                                                                                          \
            0xb4, 0x92, 0x67, 0x5e, 0xaf, 0xa7, 0x77, 0x27                                         \
        }                                                                                          \
    }

/* A disk of firmware, whose handle is 2; that of a partition on it is 1. */
static struct {
    bool has_path, has_info;
    uint8_t path[80];
    EFI_GUID interface;
    EFI_STATUS status;
    uint8_t data[4096];
    UINT32 n;
} disk;

static EFI_STATUS answer(void *out, UINT32 *size)
{
    assert_true(*size >= disk.n);
    memcpy(out, disk.data, disk.n);
    *size = disk.n;
    return disk.status;
}

/* As of the interface: the other call is not answered. */
static bool is_inquired(void)
{
    return disk.interface.Data1 == 0xcb871572;
}

static EFI_STATUS EFIAPI inquiry(void *this, void *out, UINT32 *size)
{
    return is_inquired() ? answer(out, size) : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI identify(void *this, void *out, UINT32 *size)
{
    return is_inquired() ? EFI_NOT_FOUND : answer(out, size);
}

static struct {
    EFI_GUID interface;
    void *inquiry, *identify;
} protocol = { .inquiry = (void *)inquiry, .identify = (void *)identify };

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **out)
{
    if (guid->Data1 == 2) {
        *out = disk.path;
        return disk.has_path && handle == (EFI_HANDLE)1 ? EFI_SUCCESS : EFI_UNSUPPORTED;
    }
    assert_int_equal(guid->Data1, DISK_INFO);
    assert_ptr_equal(handle, (EFI_HANDLE)2);
    protocol.interface = disk.interface;
    *out = &protocol;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_path(EFI_GUID *guid, EFI_DEVICE_PATH **path, EFI_HANDLE *out)
{
    assert_int_equal(guid->Data1, DISK_INFO);
    assert_ptr_equal(*path, disk.path);
    *path = NULL; /* the rest */
    *out = (EFI_HANDLE)2;
    return disk.has_info ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_BOOT_SERVICES services = { .HandleProtocol = handle_protocol,
                                      .LocateDevicePath = locate_path };
EFI_BOOT_SERVICES *BS = &services;

/* Nodes of 4 bytes, then the end. */
static void set_path(const uint8_t (*nodes)[2], size_t n)
{
    static const uint8_t end[] = { 0x7f, 0xff, 4, 0 };

    for (size_t i = 0; i < n; i++)
        memcpy(disk.path + 4 * i, (uint8_t[]){ nodes[i][0], nodes[i][1], 4, 0 }, 4);
    memcpy(disk.path + 4 * n, end, 4);
    disk.has_path = true;
}

static const char *name(void)
{
    static char found[DISK_NAME_MAX];

    memset(found, '?', sizeof(found));
    disk_name((EFI_HANDLE)1, found);
    return found;
}

static int start(void **state)
{
    static const uint8_t sata[][2] = { { 2, 1 }, { 1, 1 }, { 3, 18 }, { 4, 1 } };

    memset(&disk, 0, sizeof(disk));
    set_path(sata, 4);
    disk.has_info = true;
    disk.n = 512;
    return 0;
}

TEST(models, start)
{
    static const struct {
        EFI_GUID interface;
        size_t at;
        const char *data, *name;
    } cases[] = {
        { AHCI, 54, "aSsmnu gSS D78 0VE O05G0 B              ", "Samsung SSD 870 EVO 500GB" },
        { IDE, 54, "TS0100MD00-3E11R26                      ", "ST1000DM003-1ER162" },
        { NVME, 24, "WDC PC SN730 SDBQNTY-512G-1001          ", "WDC PC SN730 SDBQNTY-512G-1001" },
        { NVME, 24, "0123456789012345678901234567890123456789",
          "0123456789012345678901234567890123456789" },
        { USB, 8, "SanDisk Ultra           ", "SanDisk Ultra" },
        { USB, 8, "        \33\201Flash\t Disk  4 ", "Flash Disk 4" },
        { USB, 8, "                        ", "SATA disk" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        disk.interface = cases[i].interface;
        memset(disk.data, 'x', sizeof(disk.data));
        memcpy(disk.data + cases[i].at, cases[i].data, strlen(cases[i].data));
        assert_string_equal(name(), cases[i].name);
    }
}

/* Data that are too short, a disk that does not answer, none that could. */
TEST(without_a_model, start)
{
    static const uint8_t nvme[][2] = { { 2, 1 }, { 3, 23 }, { 4, 1 } },
                         usb[][2] = { { 3, 18 }, { 3, 5 }, { 3, 5 } },
                         virtual[][2] = { { 2, 1 }, { 1, 1 }, { 4, 1 } };

    disk.interface = (EFI_GUID)NVME;
    memset(disk.data, 'x', sizeof(disk.data));
    disk.n = 63;
    assert_string_equal(name(), "SATA disk");
    disk.n = 64;
    assert_string_equal(name(), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    disk.status = EFI_DEVICE_ERROR;
    set_path(nvme, 3);
    assert_string_equal(name(), "NVMe disk");
    disk.has_info = false;
    set_path(usb, 3);
    assert_string_equal(name(), "USB disk");
    set_path(virtual, 3);
    assert_string_equal(name(), "");
    disk.path[10] = 0; /* a node without a length */
    assert_string_equal(name(), "");
    disk.has_path = false;
    assert_string_equal(name(), "");
}
